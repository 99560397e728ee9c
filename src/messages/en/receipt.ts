/** Counts what became of people's messages. */
export const receipt = {
  kept: 'Nothing you wrote was lost: {messages, plural, one {one message} other {# messages}}, {answered} answered, {restarts, plural, =0 {no restart} one {one restart} other {# restarts}}.',
  counted:
    '{messages, plural, one {One message} other {# messages}}, {answered} answered, {restarts, plural, =0 {no restart} one {one restart} other {# restarts}}.',
  week: 'Since {from}: {text}',
  none: 'Nobody wrote since {from}.',
  failed: '{n, plural, one {One of the answers says} other {# of the answers say}} that something went wrong.',
  stopped: '{n, plural, one {One was} other {# were}} stopped before the end.',
  waiting: '{n, plural, one {One still waits.} other {# still wait.}}',
  givenUp:
    '{n, plural, one {One was given up, and its sender was told.} other {# were given up, and their senders were told.}}',
  unknown: '{n, plural, one {One has} other {# have}} no answer on record.',
  undelivered: "{n, plural, one {One answer} other {# answers}} couldn't be delivered.",
  unsure: "I can't know whether {n, plural, one {one answer} other {# answers}} arrived.",
  deleted: '{n, plural, one {One more turn was} other {# more turns were}} in tasks that have been deleted since.',
  atLeast: 'Some conversations are too long to count in full, so there may be more.',
  restartsSince: 'Restarts are counted since {when}.',
  refused: "Messages that I refused at once aren't counted; their senders were told.",
} as const;
