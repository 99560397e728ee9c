/** What searches find. */
export const search = {
  sources: 'Sources:',
} as const;
