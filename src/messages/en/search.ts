/** What searches find. */
export const search = {
  sources: 'Sources:',
  ask: 'Search the web for {query}? {who} is told these words.',
} as const;
