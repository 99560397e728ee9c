/** Was Suchen finden. */
export const search = {
  sources: 'Quellen:',
  ask: 'Im Web nach {query} suchen? {who} bekommt diese Wörter zu lesen.',
} as const;
