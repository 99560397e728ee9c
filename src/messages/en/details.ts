/** Details of a question: where something runs, what it can reach, and when. */
export const details = {
  taskFolder: 'a folder of this task',
  sandboxed:
    'It works in {where}, in a sandbox, {network, select, yes {with access to the network} other {without network}}, and can read the files of this task.',
  open: 'It works in {where}, without a sandbox: it can read and change what this gateway can, and reach the network.',
  skillFiles: 'It may use the files of the skill in {folder}.',
  program:
    'It works in a folder of this task, in a sandbox, {network, select, yes {with access to the network} other {without network}}; it can read the files of this task and those of the skill in {folder}.',
  command:
    'It works in {where}, in a sandbox, {network, select, yes {with access to the network} other {without network}}, and can read the files of this task; it is stopped after {seconds, plural, one {# second} other {# seconds}} unless it says otherwise.',
  given: 'It gets {names}.',
  address: '{host} sees this address and everything written in it.',
  searches: '{who} sees these words.',
  job: "I'll do it {when}; the result goes to {places}. The next times ({zone}):",
  here: 'this conversation',
  jobMoved: "I'll do it {when}. The next times ({zone}):",
  jobDeleted:
    'This deletes the job "{name}" ({id}), {made, select, hand {written by hand} other {made in a chat}}: {when}.',
} as const;
