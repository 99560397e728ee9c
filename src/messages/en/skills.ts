/** What can be used beyond words, and what is missing for the rest. */
export const skills = {
  noneHere: 'There are no skills here.',
  none: 'There are no skills.',
  ok: 'ok',
  okBut: 'ok, but {fixes}',
  missing: 'missing: {fixes}',
  skill: '- **{name}**: {what} ({state})',
  server: '- **{name}** (server of tools): {state}',
  serverWhy: '- **{name}** (server of tools): {state}: {why}',
  idle: 'not used yet',
  connecting: 'being connected',
  connected: 'ok, {n, plural, one {# tool} other {# tools}}',
  failed: 'away',
  more: 'and {n, number} more',
  broken: 'Not loaded:',
} as const;
