/** What a question becomes once it is decided. */
export const outcomes = {
  approved: '✓ Approved by {by}, {time}',
  always: '✓ Approved by {by}, {time}; I no longer ask about this here.',
  denied: '✗ Refused by {by}, {time}',
  answered: '✓ {by} chose “{answer}”, {time}',
  another: '{by} asked for another time: “{answer}”, {time}',
  wentOn: 'Nobody answered, so I went on with “{answer}” at {time}.',
  expired: 'Nobody answered in time, so I did not do it.',
  wrote: 'No longer needed: {by} wrote to me instead.',
  stopped: 'No longer needed: the work was stopped.',
  skillTaken: '✓ Done by {by}, {time}',
  skillLeft: '✗ Left by {by}, {time}',
  letIn: '✓ Let in by {by}, {time}',
  turnedAway: '✗ Turned away by {by}, {time}',
  remembered: '✓ Remembered ({by}, {time}): {text}',
  notRemembered: '✗ Not remembered ({by}, {time}): {text}',
} as const;
