/** Wraps text by words, for a terminal of a known width. */

/** Returns the lines, each but the first with `hang` before it. A word that is longer than a line stays whole. */
export function wrapWords(text: string, width: number, hang = ''): string[] {
  const lines: string[] = [];
  const indent = /^ */.exec(text)?.[0] ?? '';
  let line = '';
  for (const word of text.slice(indent.length).split(' ')) {
    const before = line === '' ? (lines.length === 0 ? indent : hang) : `${line} `;
    if (line !== '' && before.length + word.length > width) {
      lines.push(line);
      line = `${hang}${word}`;
    } else line = `${before}${word}`;
  }
  return [...lines, line];
}

/** Narrower than this, the right column goes below the left one. */
const LEAST = 24;

/** Returns rows of two columns, the right one wrapped. */
export function columns(rows: readonly (readonly [string, string])[], width: number): string[] {
  const left = Math.max(...rows.map(([name]) => name.length));
  const hang = ' '.repeat(left + 4);
  if (width - hang.length < LEAST)
    return rows.flatMap(([name, about]) => [`  ${name}`, ...wrapWords(`      ${about}`, width, ' '.repeat(6))]);
  return rows.flatMap(([name, about]) => {
    const [first = '', ...rest] = wrapWords(about, width - hang.length);
    return [`  ${name.padEnd(left)}  ${first}`, ...rest.map((line) => `${hang}${line}`)];
  });
}

/** A line in which somebody reads well is no longer than this, however wide the terminal is. */
const MOST = 120;

/** Returns the width to wrap at: of the terminal, or of COLUMNS; what goes into a file or a pipe isn't wrapped. */
export function terminalWidth(output: { isTTY?: boolean; columns?: number }, env: NodeJS.ProcessEnv): number {
  const known = Number(env.COLUMNS) || (output.isTTY ? output.columns : undefined);
  return known === undefined || known < 1 ? Number.POSITIVE_INFINITY : Math.min(known, MOST);
}
