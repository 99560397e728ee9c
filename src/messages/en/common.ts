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
  daysAt: '{days} at {times}',
  both: '{before}; and {after}',
  everyDay: 'every day',
  everyWeekday: 'every weekday',
  everyOn: 'every {days}',
  hours: '{n, plural, one {every hour} other {every # hours}}',
  minutes: '{n, plural, one {every minute} other {every # minutes}}',
  between: '{rhythm} from {from} to {to}',
  rhythmOn: '{rhythm}, {days}',
  monthly: 'on the {n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} of the month at {times}',
} as const;
