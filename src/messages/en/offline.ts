/** The small built-in model. Its examples are what it understands. */
export const offline = {
  about: "I'm the small built-in model: I understand a few fixed requests, and I can't think or talk freely.",
  hello: 'Hello! {about}',
  abilities: `I can:
- make a plan: "plan: buy paint; paint the wall; clean up"; tick a step: "done 2"; show it: "show plan"
- write a file: "write a file notes.md: the text"; read one: "read notes.md"; "list files"
- remember: "remember that I like tea", "what do you know?"

Schedules in words need a language model. To add a job by hand, run \`{add}\` on the machine I run on.`,
  realModel: 'To connect a language model, run `{command}` on the machine I run on.',
  cannot:
    'I can\'t do that without a language model: the small built-in one understands a few fixed requests, and "help" lists them.\nTo connect a language model, run `{command}` on the machine I run on.',
  cannotSchedule:
    "I can't schedule that without a language model. To add a job by hand, run `{add}` on the machine I run on.\nTo connect a language model, run `{command}` there.",
  cannotInProject:
    "I can't work in projects without a language model, so I changed nothing.\nTo connect one, run `{command}` on the machine I run on.",
  unknown: 'I didn\'t understand "{text}".',
  noTool: "I can't do that here ({tool}).",
  planMade: 'The plan has {n, plural, one {# step} other {# steps}}.',
  planReplaced:
    'It replaces a plan with {n, plural, one {an open step} other {# open steps}}: {left}. To keep a plan and begin another task, send /new first.',
  noPlan: 'There is no plan yet. Say "plan: first; second; third" to make one; /tasks lists your other tasks.',
  noStep: 'There is no step {step} in the plan:',
  step: '{id}, "{title}",',
  quoted: '"{title}"',
  stepIs: '{n, plural, one {Step {steps} is} other {Steps {steps} are}} done; {rest}.',
  allDone: 'every step of the plan is done',
  left: '{left} of {total} left',
  planFailed: "The plan couldn't be changed: {why}",
  planConflict: 'Somebody else changed the plan in the meantime, so mine is only a proposal.',
  stepsLeft: '{left} of {total, plural, one {# step} other {# steps}} left.',
  isInProgress: '(in progress)',
  isSkipped: '(skipped)',
  notRemembered: "I couldn't remember it: {why}",
  rememberWaits: "I'll remember this once you accept it: {text}",
  remembered: "I'll remember: {text}",
  nothingKnown: 'I remember nothing yet. Say "remember that …" to change that.',
  nothingAccepted:
    'I remember nothing yet: what I asked you about counts once you accept it. To do that, send /memory.',
  keptOut: "Where others can read, I don't show what I remember; ask me in a direct message.",
  known: 'I remember:',
  wrote: 'I wrote {file}.',
  notWritten: "{file} couldn't be written: {why}",
  notRead: "{file} couldn't be read: {why}",
  notListed: "The files couldn't be listed: {why}",
  noFiles: 'There are no files yet.',
  files: 'The files are:',
  noFileYet: 'There is no file yet',
  noFile: "I can't find a file {file}",
  thereIs: 'There is: {names}.',
} as const;
