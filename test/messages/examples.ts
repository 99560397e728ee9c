/** What stands in the place of each argument when the catalogue is shown or tested. A new one needs no entry: its name stands in. */
const EXAMPLES: Readonly<Record<string, string | number>> = {
  name: 'Alex',
  by: 'Alex',
  who: 'Alex',
  file: 'notes.md',
  title: 'Book the train to Vienna',
  time: '09:00',
  at: '14:02',
  day: 'Mon',
  date: '24 Nov',
  trace: 't-8f3a',
  channel: 'Telegram',
};

/** A message given one, two, and five of everything that is counted, and each choice of a select. */
export function examplesFor(
  args: ReadonlyMap<string, readonly string[] | 'count' | 'text'>,
): Record<string, string | number>[] {
  const kinds = [...args.values()];
  const rounds = kinds.includes('count') ? [1, 2] : [1];
  const choices = Math.max(1, ...kinds.map((kind) => (typeof kind === 'string' ? 1 : kind.length)));
  return Array.from({ length: Math.max(rounds.length, choices) }, (_, round) =>
    Object.fromEntries(
      [...args].map(([name, kind]) => {
        if (kind === 'count') return [name, rounds[round % rounds.length] ?? 1];
        if (kind === 'text') return [name, EXAMPLES[name] ?? `<${name}>`];
        return [name, kind[round % kind.length] ?? 'other'];
      }),
    ),
  );
}
