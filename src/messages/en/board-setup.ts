/** What the Board says while an owner sets the gateway up. */
export const boardSetup = {
  conflict: 'The settings were changed somewhere else in the meantime. Look at them again, then repeat your change.',
  oldLogin:
    'This needs a login from the last {minutes, plural, one {# minute} other {# minutes}} with a link from the machine itself. Run {command} there, open its link, and try again.',
  atMachine: "{name} can't be changed in a browser. {how}",
  inFile: 'Edit the configuration on the machine.',
  byCommand: 'Run this on the machine: {command}',
  noReference: "can't refer to a variable here",
  setOutside:
    "{name} is set in the gateway's environment, which takes precedence. Change it there, or remove it and try again.",
  told: '{name} changed the setup on the Board: {settings}. If that was nobody you know, run `{command}` on my machine, end that login, and check config.yaml.',
  serverTaken: 'There already is a server {name}. Remove it first, or choose another name.',
  noFolder: 'folders on the machine can only be added there, with {command}',
  manyBackups: 'There are {n, plural, one {# backup} other {# backups}} in {folder} already. Remove old ones first.',
  newKey: 'paste the key for this address; the one I have belongs to another',
  noCard: "I can't ask {name} for its link right now. Try again in a moment.",
  noCommand: 'This only works if I was started with {command}.',
  noRestart: 'Nothing would start me again here. Restart me where you started me.',
  restarting: 'I am restarting already.',
  pushAddress:
    "I can't send notifications there: a push service has a public https address, or is listed under `push.services`.",
  pushTooMany:
    'You already get notifications in {n, plural, one {# browser} other {# browsers}}. End a login that you no longer use under People.',
  pushRefused: 'The push service of this browser refuses notifications: {reason}',
  pushLater: "I can't reach the push service of this browser right now ({reason}). Try again in a minute.",
  pushUnsure:
    '{n, plural, one {A notification} other {# notifications}} may not have arrived: I was cut off while sending. Look at what waits for you.',
  pushGone: 'This browser has ended its notifications. Turn them off and on again.',
  pushTest: 'Notifications work.',
  pushQuestion: 'A question is waiting for you',
  pushQuestions: '{n, plural, one {# question is} other {# questions are}} waiting for you',
  pushDone: 'Done',
  pushFailed: 'A task has failed',
  pushMore: 'and {n, plural, one {# more} other {# more}}',
  pushNothing: 'Nothing is left to do.',
} as const;
