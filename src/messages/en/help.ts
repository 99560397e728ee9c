/** What can be asked for: eight lines. */
export const help = {
  about: 'Write to me as you would to a colleague, and send files if they help.',
  now: '**Now**: /status what I am doing, /stop ends it, /plan the steps, /steer and /followup change what comes',
  tasks: '**Tasks**: /new begins another, /tasks lists yours, /open continues one here',
  files: '**Files**: /artifacts lists them, /get sends one, /export gives you the whole conversation',
  memory: '**Memory**: /memory what I remember, /compact makes room for more',
  routine: '**Again and again**: /jobs what is scheduled, /play follows a playbook',
  model: '**Model**: /model which one answers, /think how long, /skills what else I can use',
  here: '**Here**: /use who answers, /live what you see while I work, /queue what becomes of messages meanwhile, /timezone yours, /link your other accounts',
  more: '**More**: {names}',
  statusButton: 'What are you doing?',
  tasksButton: 'My tasks',
  planButton: 'The plan',
  newButton: 'Something new',
} as const;
