/** When something is. */
export const times = {
  today: 'today at {time}',
  tomorrow: 'tomorrow ({day}) at {time}',
  yesterday: 'yesterday at {time}',
  later: '{day}, {date} at {time}',
} as const;
