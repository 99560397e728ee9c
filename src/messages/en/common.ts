/** Words that stand on buttons and in many messages. */
export const common = {
  yes: 'Yes',
  no: 'No',
  continue: 'Continue',
  retry: 'Retry',
  wrong: 'Something went wrong on my side.',
  more: 'and {n, plural, one {one more} other {# more}}',
  asItIs: '{text}',
} as const;

/** When something is. */
export const times = {
  today: 'today at {time}',
  tomorrow: 'tomorrow ({day}) at {time}',
  yesterday: 'yesterday at {time}',
  later: '{day}, {date} at {time}',
} as const;
