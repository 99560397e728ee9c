/** Texts that break renderers, put together from fragments; and how many of them a run tries. */
import fc from 'fast-check';

/**
 * `PROPERTY_RUNS` overrides the number of runs; `share` scales it for properties that are slower than the others.
 * `PROPERTY_SHRINK` looks for the smallest counterexample, which may take minutes.
 */
export function runs(share = 1): { numRuns: number; endOnFailure: boolean } {
  const numRuns = Math.max(1, Math.round(Number(process.env.PROPERTY_RUNS ?? 120) * share));
  return { numRuns, endOnFailure: process.env.PROPERTY_SHRINK === undefined };
}

/** Milliseconds a property may take. */
export const PROPERTY_TIMEOUT = 240_000 + Number(process.env.PROPERTY_RUNS ?? 120) * 60;

const WORDS = fc.constantFrom(
  'word',
  'naïve',
  'x',
  'supercalifragilisticexpialidocious'.repeat(3),
  '@alice',
  'a@b.example',
  '#tag',
  '/start',
  'https://bank.example/a_b?c=d&e=f',
  'www.shop.example',
  'snake_case_name',
  '2*3*4',
  '1. one',
  '漢字かな交じり文。そして次の文。',
  'שלום עולם',
  'مرحبا',
  '\u202eevil\u202c',
  '@\u202ealice\u202c',
  '👩‍👩‍👧‍👦',
  '🇩🇪🇫🇷🇮🇹',
  '👍🏽',
  'e\u0301\u0302\u0303',
  'क्षि',
  '\u200d',
  '\ud83d',
  '\udc4d',
  '&amp;&lt;&#x202E;&nbsp;',
  '<b>html</b>',
  '<!-- note -->',
  '\\*not\\*',
  '\t',
  '\u00a0',
  '\u0007',
  '|',
  '>',
  '`',
  '**',
  '__',
  '~~',
  '[',
  '](',
  ')',
  '![',
  '***',
  '~',
  '5~10 min',
  '<br>',
  '<br />',
  '「重要」です',
  '（補足）：次',
);

const inline: fc.Arbitrary<string> = fc.letrec<{ inline: string; piece: string }>((tie) => ({
  inline: fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' ')),
  piece: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 5, arbitrary: WORDS },
    { weight: 1, arbitrary: fc.string({ maxLength: 8, unit: 'binary' }) },
    { weight: 1, arbitrary: tie('inline').map((text) => `**${text}**`) },
    { weight: 1, arbitrary: tie('inline').map((text) => `_${text}_`) },
    { weight: 1, arbitrary: tie('inline').map((text) => `~~${text}~~`) },
    { weight: 1, arbitrary: WORDS.map((text) => `\`${text}\``) },
    { weight: 1, arbitrary: tie('inline').map((text) => `[${text}](https://evil.example/p)`) },
    { weight: 1, arbitrary: WORDS.map((text) => `[${text}](javascript:alert(1))`) },
    { weight: 1, arbitrary: WORDS.map((text) => `![${text}](http://localhost:1/p.png)`) },
    { weight: 1, arbitrary: WORDS.map((text) => `[${text}][ref]`) },
  ),
})).inline;

const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);

const block: fc.Arbitrary<string> = fc.letrec<{ block: string; nested: string }>((tie) => ({
  nested: fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((blocks) => blocks.join('\n\n')),
  block: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 4, arbitrary: inline },
    { weight: 1, arbitrary: fc.array(inline, { maxLength: 4 }).map((lines) => lines.join('  \n')) },
    { weight: 1, arbitrary: fc.tuple(fc.integer({ min: 1, max: 7 }), inline).map(([n, t]) => `${'#'.repeat(n)} ${t}`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('```', '~~~', '```ts', '````md', '``` "x', '    '), fc.array(inline, { maxLength: 5 }))
        .map(([fence, lines]) => `${fence}\n    ${lines.join('\n\n  ')}\n${fence.slice(0, 4)}`),
    },
    { weight: 1, arbitrary: tie('nested').map((text) => `> ${indent(text, '> ')}`) },
    { weight: 1, arbitrary: tie('nested').map((text) => `- ${indent(text, '  ')}\n- two`) },
    { weight: 1, arbitrary: tie('nested').map((text) => `7. ${indent(text, '   ')}\n8. eight`) },
    { weight: 1, arbitrary: inline.map((text) => `- [ ] ${text}\n- [x] done`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min: 1, max: 5 }), fc.array(inline, { minLength: 1, maxLength: 8 }))
        .map(([columns, cells]) => tableOf(columns, cells)),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('---', '[ref]: https://ref.example', 'a[^1]\n\n[^1]: note', '<div>\n*x*\n</div>', ''),
    },
  ),
})).block;

function tableOf(columns: number, cells: string[]): string {
  const row = (items: string[]) => `| ${items.map((item) => item.replaceAll('\n', ' ')).join(' | ')} |`;
  const rows = [row(cells.slice(0, columns)), `|${':-:|'.repeat(columns)}`];
  for (let at = columns; at < cells.length; at += columns) rows.push(row(cells.slice(at, at + columns)));
  return rows.join('\n');
}

/** Up to a few hundred characters. */
export const nasty: fc.Arbitrary<string> = fc
  .array(block, { minLength: 1, maxLength: 3 })
  .chain((blocks) => fc.constantFrom('\n\n', '\n', '\r\n\r\n', ' ').map((between) => blocks.join(between)));

/** About 64 kB of the same. */
export const huge: fc.Arbitrary<string> = fc
  .tuple(fc.array(block, { minLength: 3, maxLength: 20 }), fc.constantFrom('\n\n', '\n', ' '))
  .map(([blocks, between]) => {
    const once = blocks.join(between) + between;
    return once.trim() === '' ? 'x' : once.repeat(Math.ceil(65_536 / once.length)).slice(0, 65_536);
  });
