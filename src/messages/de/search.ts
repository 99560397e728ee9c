/** Was Suchen finden. */
export const search = {
  sources: 'Quellen:',
} as const;
