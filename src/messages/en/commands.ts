/** Commands: who may give them, and those about the conversation itself. */
export const commands = {
  unknown: 'I do not know /{name}. {hint}',
  hint: 'Send /help to see what I can do.',
  goalHint:
    '/{name} does not take these words. To give me a goal that begins with one of my commands, write /task first: `/task {goal}`',
  unkept: 'I was restarted before I could tell you about {what}. Nothing was changed; ask me once more.',
  lastOne: 'what you asked for',
  peopleOnly: 'Only the people of **{title}** may use /{name} on it; ask one of them.',
  notAllowed: 'You may not use /{name} here; ask the owner of this bot.',
  membersOnly: 'Only the people of this bot may change that here; ask its owner.',
  unknownTask: 'I know no task {id} of yours. /tasks lists them.',
  unknownTaskHere: 'I know no task {id} here. /tasks lists this group’s; ask me about others in a direct message.',
  whatToSteer: 'What should I do differently? Write it after /steer.',
  whatFollows: 'What comes next? Write it after /followup.',
  queueNow: 'New messages here: **{mode}**, {means}.',
  queueNowWaiting:
    'New messages here: **{mode}**, {means}. {n, plural, one {# message waits.} other {# messages wait.}}',
  queueSet: 'New messages here: **{mode}** from now on, {means}.',
  queueHow: 'Write /queue steer, /queue collect or /queue followup.',
  steer: 'what you write changes what I am doing right away',
  collect: 'I collect what you write, and start on it when I have finished',
  followup: 'each message waits for its own turn',
  zoneIs: 'Your time zone is **{zone}**. Write /timezone and a city to change it.',
  zoneUnknown:
    'I do not know your time zone and take **{zone}**. Write /timezone and a city, for example /timezone Berlin.',
  zoneSet: 'Your time zone is now **{zone}**.',
  zoneUnread: 'I know no time zone “{given}”. Write a city or a name such as Europe/Berlin.',
  zoneNotYours: 'Only the people of this bot have a time zone here.',
  jobsStay:
    '{n, plural, one {One job of yours goes by {zone}, and stays so unless you move it.} other {# jobs of yours go by {zone}, and stay so unless you move them.}}',
  jobsMoved: '{n, plural, one {One job goes} other {# jobs go}} by {zone} now.',
  moveThem: 'Move them',
  liveNow: 'Live progress here is **{mode}**: {means}.',
  liveSet: 'Live progress here is now **{mode}**: {means}.',
  liveHow: 'Write /live off, /live status or /live text.',
  liveOff: 'you see nothing until the answer comes',
  liveStatus: 'you see what I am doing, in one message',
  liveText: 'you see the answer as it grows, where that is possible',
  nearly: 'I do not know /{name}. Did you mean /{near}?',
} as const;

/** What can be asked for: eight lines. */
export const help = {
  about: 'Write to me as you would to a colleague, and send files if they help.',
  now: '**Now**: /status what I am doing, /stop ends it, /plan the steps, /steer and /followup change what comes',
  tasks: '**Tasks**: /new begins another, /tasks lists yours, /open continues one here',
  files: '**Files**: /artifacts lists them, /get sends one, /export gives you the whole conversation',
  memory: '**Memory**: /memory what I remember, /compact makes room for more',
  routine: '**Again and again**:{role, select, owner { /jobs what is scheduled,} other {}} /play follows a playbook',
  model: '**Model**: /model which one answers, /think how long, /skills what else I can use',
  here: '**Here**: /use who answers, /live what you see while I work, /queue what becomes of messages meanwhile, /timezone yours, /link your other accounts{role, select, owner {, /board all of it in your browser} other {}}',
  more: '**More**: {names}',
  statusButton: 'What are you doing?',
  tasksButton: 'My tasks',
  planButton: 'The plan',
  newButton: 'Something new',
} as const;
