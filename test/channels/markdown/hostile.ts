/** What models write to break a chat: mentions in every disguise, marks of every platform, and lengths beyond every limit. */
import fc from 'fast-check';
import { nasty } from './nasty.ts';

export const FAMILY = '👩‍👩‍👧‍👦';

// biome-ignore format: a list is filled
const TOKENS = fc.constantFrom(
  '@everyone', '@here please', '@channel', '<@123456789012345678>', '<@!1>', '<@&2>', '<#3>', '</task:4>', '<:x:5>',
  '<a:x:6>', '<t:1618953630:R>', '<id:customize>', '<!channel>', '<!here|here>', '<!subteam^S1|@team>',
  '<!date^1^{date}|x>', '<@U012AB3CD>', '<#C012AB3CD|general>', '<https://evil.example|bank.example>',
  '<https://evil.example/a_b*c>', '`<!here>`', '`` a ` <@U1> ``', '```<!channel>```', '**<@1>**',
  '[@everyone](https://evil.example)', '[<@1>](https://evil.example/a(b)c)', '[a `b` _c_](https://x.example/~~d~~|e)',
  '[a](<https://x.example/a b>)', '[l](https://x.example/?copy;=1&amp;b=2)',
  `[long](https://x.example/${'u'.repeat(1200)})`, '![pic @here](https://x.example/p_q.png)!', '||spoiler||',
  '__init__', '_a_b_', 'a*b*c**d**e', '~/a ~/b', '\\@everyone', '&lt;!here&gt;', '&#64;everyone', '-# small', '>>> all',
  '# not', '1. 2. 3.', '- - -', '+ a', '===', ':--|--:', '[X]', '[r]: z', '😀|😀',
);

const lines = fc
  .array(fc.oneof(TOKENS, nasty, fc.constantFrom('עברית (12) end', 'العربية **غامق** x', `${FAMILY}🇩🇪👍🏽`)), {
    minLength: 1,
    maxLength: 4,
  })
  .chain((all) => fc.constantFrom(' ', '\n', '\n\n', '').map((between) => all.join(between)));

const prefixed = fc
  .tuple(
    fc.constantFrom('> ', '- ', '3. ', '- [x] ', '> - ', '### ', '##### ', '    ', '| a | b |\n|---|:-:|\n| '),
    lines,
  )
  .map(([prefix, text]) => prefix + text);

const fenced = fc
  .tuple(fc.constantFrom('', '> ', '  '), fc.constantFrom('```js', '~~~', '````', '```'), lines)
  .map(
    ([indent, fence, text]) =>
      `- item\n\n${indent}${fence}\n${indent}${text.replaceAll('\n', `\n${indent}`)}\n${indent}${fence}`,
  );

const long = fc
  .tuple(
    fc.oneof(TOKENS, fc.constantFrom(FAMILY, 'word ', 'x', '漢字。', '`a` ', '**b** ', '| c ', '- d\n', '&<>', '*_~`')),
    fc.integer({ min: 1, max: 2500 }),
  )
  .map(([text, count]) => text.repeat(Math.ceil(count / (1 + text.length / 8))));

const wide = fc
  .tuple(
    fc.integer({ min: 1, max: 25 }),
    fc.integer({ min: 0, max: 130 }),
    fc.oneof(TOKENS, fc.constantFrom('1', 'long text '.repeat(9))),
  )
  .map(([columns, rows, cell]) => {
    const row = `|${` ${cell.replaceAll('|', '\\|')} |`.repeat(columns)}`;
    return [
      row,
      `|${'---|'.repeat(columns)}`,
      ...Array.from({ length: Math.min(rows, Math.ceil(200 / columns)) }, () => row),
    ].join('\n');
  });

export const hostile: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 14, arbitrary: lines },
      { weight: 8, arbitrary: prefixed },
      { weight: 5, arbitrary: fenced },
      { weight: 5, arbitrary: nasty },
      { weight: 1, arbitrary: long },
      { weight: 1, arbitrary: wide },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .chain((blocks) => fc.constantFrom('\n\n', '\n', ' ').map((between) => blocks.join(between)));

/** Letters and digits alone: what no markup adds to or takes away. */
export function letters(text: string): string {
  return text.normalize('NFC').replace(/[^\p{L}\p{N}]/gu, '');
}

/** The words that are nowhere in the text. */
export function missingWords(text: string, words: string): string[] {
  const shown = letters(text);
  const wanted = new Set(words.normalize('NFC').match(/[\p{L}\p{N}]+/gu));
  return [...wanted].filter((word) => !shown.includes(word));
}

/** The URLs in brackets that a writer puts after a label it cannot make a link of; their own brackets may be escaped. */
const SPELLED = / ?\(https?:(?:[^\s()]|\([^\s()]*\))*\)/g;
const withoutSpelled = (text: string) => text.replace(/%28/g, '(').replace(/%29/g, ')').replace(SPELLED, '');

/** Throws unless what is shown says what the source says: in order, where there is no table. */
export function expectSame(shown: string, source: string, options: { hasTable: boolean; hasLinks: boolean }): void {
  const wanted = withoutSpelled(source);
  const got = withoutSpelled(shown);
  const missing = missingWords(shown, missingWords(got, wanted).join(' '));
  if (missing.length > 0) throw new Error(`lost: ${missing.join(' ')}`);
  if (options.hasTable) return;
  const [less, more] = [letters(wanted), letters(got)];
  const at = options.hasLinks ? found(less, more) : same(less, more);
  if (at === less.length && (options.hasLinks || at === more.length)) return;
  throw new Error(
    `not shown: …${less.slice(Math.max(0, at - 20), at)}|${less.slice(at, at + 40)}… in ${more.slice(-2000)}`,
  );
}

/** How many of the letters are in the text, in order, with others between them. */
function found(less: string, more: string): number {
  let at = 0;
  for (const letter of more) if (less.startsWith(letter, at)) at += letter.length;
  return at;
}

function same(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charAt(at) === other.charAt(at)) at++;
  return at;
}
