import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_SOURCE } from '../../../src/channels/markdown/chunks.ts';
import { loadMarkdown, parseMarkdown, plainRich } from '../../../src/channels/markdown/parse.ts';
import type { Rich } from '../../../src/channels/markdown/rich.ts';
import { escapeMarkdown } from '../../../src/lib/text.ts';
import { huge, nasty, PROPERTY_TIMEOUT, runs } from './nasty.ts';

/** The text, and below it each span as `kind detail "covered text"`. */
async function read(source: string): Promise<string> {
  const { text, spans } = await parseMarkdown(source);
  const lines = spans.map((span) => {
    const detail =
      span.kind === 'link' ? ` ${span.url}` : span.kind === 'pre' && span.language ? ` ${span.language}` : '';
    return `${span.kind}${detail} ${JSON.stringify(text.slice(span.start, span.end))}`;
  });
  return [text, ...lines].join('\n');
}

const lines = (...all: string[]) => all.join('\n');

describe('formulas', () => {
  test.each([
    ['inline', String.raw`Area \(\pi r^2\) here`],
    ['displayed', String.raw`so \[a_1 * b * c_2\] holds`],
    [
      'on lines of their own',
      String.raw`\[
\begin{aligned}
a &= b \\
&= c
\end{aligned}
\]`,
    ],
    ['one in the other', String.raw`\[ \text{if \(x\)} \]`],
    ['with code and links in them', String.raw`\(\texttt{a\`b} [x](y)\)`],
  ])('%s stay as written', async (_name, source) => {
    expect(await parseMarkdown(source)).toMatchObject({ text: source, spans: [] });
  });

  test.each([
    ['in bold', String.raw`**\(x_1\)**`, '\\(x_1\\)\nbold "\\\\(x_1\\\\)"'],
    ['in a quotation', '> \\[\n> a_1\n> \\]', '\\[\na_1\n\\]\nquote "\\\\[\\na_1\\n\\\\]"'],
    ['in a list', '- x \\(a\n  b\\) y', '• x \\(a\n  b\\) y'],
    ['no number of a list', String.raw`1\) one`, '1) one'],
    ['no link', String.raw`\[a\](b) \[c\]: d`, '[a](b) [c]: d'],
    ['nothing in them', String.raw`\(\) \[ \]`, '() [ ]'],
    ['not closed', String.raw`\(a \[b`, '(a [b'],
    ['a backslash before a bracket', String.raw`C:\\(x86\\)`, 'C:\\(x86\\)'],
  ])('%s', async (_name, source, expected) => {
    expect(await read(source)).toBe(expected);
  });

  test('what we escape is no formula', async () => {
    for (const text of ['[urgent] fix', 'a [b] [c]', '\\[x\\]', '](y) [x', 'f(x) = \\(x\\)'])
      expect((await parseMarkdown(escapeMarkdown(text))).text).toBe(text);
  });
});

describe('each construct as it reads', () => {
  test.each<[string, string, string]>(
    // biome-ignore format: a row is a line
    [
      ['plain text', 'Hello, world! It is 5 o’clock.\nSecond line.\n', 'Hello, world! It is 5 o’clock.\nSecond line.'],
      ['emphasis, nested', '**bold _both_** ~~gone~~ `co*de*`', lines('bold both gone co*de*', 'bold "bold both"', 'italic "both"', 'strike "gone"', 'code "co*de*"')],
      ['headings', '# One\ntext\n\nTwo\n===', lines('One', '', 'text', '', 'Two', 'heading "One"', 'heading "Two"')],
      ['soft and hard breaks', 'a\nb\\\nc  \nd', 'a\nb\nc\nd'],
      ['escapes and entities', '\\*a\\* &amp; &#42; 2 \\< 3', '*a* & * 2 < 3'],
      ['HTML is text', '<b>x</b> <!-- y -->\n\n<div onclick="z">\n**w**\n</div>', lines('<b>x</b> <!-- y -->', '', '<div onclick="z">', 'w', '</div>', 'bold "w"')],
      ['lists in lists', '- one\n  two\n  - three\n    - four\n\n3. x\n4. y\n   1. z', lines('• one', '  two', '  ◦ three', '    ▪ four', '', '3. x', '4. y', '   1. z')],
      ['a list with empty lines', '- a\n\n- b\n\n  c', lines('• a', '', '• b', '', '  c')],
      ['tasks', '- [ ] open\n- [x] **done**\n1. [x] first', lines('☐ open', '☑ done', '', '1. ☑ first', 'bold "done"')],
      ['a fence in a list', '- run:\n  ```sh\n  ls  -l\n    x\n  ```\n- next', lines('• run:', 'ls  -l', '  x', '• next', 'pre sh "ls  -l\\n  x"')],
      ['a fence alone in a list item', '- ```\n  x\n  ```', lines('•', 'x', 'pre "x"')],
      ['a fence with an odd language', '```"><script>\nx\n```', lines('x', 'pre "x"')],
      ['an indented block, left as it stands', '    a\n      b', lines('a', '  b', 'pre "a\\n  b"')],
      ['quotes in quotes', '> a\n> > b\n\nc', lines('a', '', 'b', '', 'c', 'quote "a\\n\\nb"')],
      [
        'a table',
        '| Name | Qty | |\n|:--|--:|:-:|\n| **Äpfel** | 3 | x |\n| 漢字 🥝 | 120 |',
        lines('Name    | Qty |', '--------+-----+--', 'Äpfel   |   3 | x', '漢字 🥝 | 120', 'pre "Name    | Qty |\\n--------+-----+--\\nÄpfel   |   3 | x\\n漢字 🥝 | 120"'),
      ],
      ['links of a table below it', '| a |\n|---|\n| [b](https://c.example) |', lines('a', '-', 'b', 'b', 'pre "a\\n-\\nb"', 'link https://c.example "b"')],
      ['a table without a header', '| | |\n|-|-|\n| a | b |', lines('a | b', 'pre "a | b"')],
      ['a rule', 'a\n\n---\n\nb', lines('a', '', '———', '', 'b')],
      ['links by reference', '[a][r] [R]\n\n[r]: https://x.example', lines('a R', 'link https://x.example "a"', 'link https://x.example "R"')],
      ['bare links', 'see https://x.example/a_b_c.', lines('see https://x.example/a_b_c.', 'link https://x.example/a_b_c "https://x.example/a_b_c"')],
      [
        'images are their words and address',
        '![a cat](https://x.example/c.png)',
        lines('a cat: https://x.example/c.png', 'link https://x.example/c.png "https://x.example/c.png"'),
      ],
      ['footnotes at the end', 'a[^n]\n\n[^n]: the **note**\n\nb', lines('a[n]', '', 'b', '', '[n] the note', 'bold "note"')],
      ['nothing but marks is shown as written', '# ', '#'],
      ['one tilde is a tilde', '5~10 min or 20~30 min, ~/path, H~2~O', '5~10 min or 20~30 min, ~/path, H~2~O'],
      ['two tildes strike', '~~real~~ and ~not~, 2 ~~ 3', lines('real and ~not~, 2 ~~ 3', 'strike "real"')],
      [
        '<br> is a line break, whatever its form, and alone among tags',
        'a<br>b<BR/>c<br />\nd **e<br>f** \\<br> `<br>` <br class="x"> <brr>',
        lines('a', 'b', 'c', 'd e', 'f <br> <br> <br class="x"> <brr>', 'bold "e\\nf"', 'code "<br>"'),
      ],
      ['<br> in a list', '- one<br>two\n- three', lines('• one', '  two', '• three')],
      [
        '<br> in a table, which grows by a line',
        '| a | b |\n|---|--:|\n| x<br>yy | 1 |\n| z | 2<br>33 |',
        lines('a  |  b', '---+---', 'x  |  1', 'yy |', 'z  |  2', '   | 33', 'pre "a  |  b\\n---+---\\nx  |  1\\nyy |\\nz  |  2\\n   | 33"'),
      ],
      ['Japanese beside brackets', '**「重要」**です', lines('「重要」です', 'bold "「重要」"')],
      ['Japanese beside a colon', '**重要：**次に**テスト（test）**は', lines('重要：次にテスト（test）は', 'bold "重要："', 'bold "テスト（test）"')],
      ['Chinese beside quotation marks', '这是**“重点”**内容，*（斜体）*文字', lines('这是“重点”内容，（斜体）文字', 'bold "“重点”"', 'italic "（斜体）"')],
      ['Chinese struck out', '~~（旧价）~~新价', lines('（旧价）新价', 'strike "（旧价）"')],
      ['Korean before a particle', '**이 용어(This term)**를 강조', lines('이 용어(This term)를 강조', 'bold "이 용어(This term)"')],
      ['a Japanese range', '営業は10時~12時、13時~17時です', '営業は10時~12時、13時~17時です'],
      ['an empty link shows where it leads', '[](https://x.example)', lines('https://x.example', 'link https://x.example "https://x.example"')],
    ],
  )('%s', async (_name, source, shown) => {
    expect(await read(source)).toBe(shown);
  });

  test('what platforms may have better means for is named', async () => {
    expect((await parseMarkdown('| a |\n|---|')).features).toEqual({ table: true, tasks: false });
    expect((await parseMarkdown('- [ ] a')).features).toEqual({ table: false, tasks: true });
    expect((await parseMarkdown('a **b**')).features).toEqual({ table: false, tasks: false });
  });
});

describe('plain text is not parsed', () => {
  test.each(['Done.', 'Two\nlines', 'A\n\nparagraph: 3-4 + 5 = 8 (see p. 7)!', 'Ünïcödé 👍', ''])('%j', (text) => {
    expect(plainRich(text)).toMatchObject({ text, spans: [] });
  });

  test.each(
    // biome-ignore format: a list is filled
    [
      '*a*', 'a_b', '# a', 'a\n- b', '1. a', '12) a', 'a & b', 'a@b.c', 'http://a', 'see WWW.a', ' a', 'a \nb',
      'a\n\n\nb', '\na', 'a\n===', 'a|b\n:-|-', 'a\tb', '\ufeffa',
    ],
  )('%j is', (text) => {
    expect(plainRich(text)).toBeUndefined();
  });

  test('the parser is loaded by nothing at the top of a module', () => {
    for (const name of ['parse', 'flatten', 'split', 'rich', 'link', 'table', 'block']) {
      const source = readFileSync(new URL(`../../../src/channels/markdown/${name}.ts`, import.meta.url), 'utf8');
      expect(source).not.toMatch(/^import (?!type)[^;]*'(?:m|\.\/mdast|\.\/chunks)/m);
    }
  });

  test('and reads as the parser would have it', { timeout: PROPERTY_TIMEOUT }, async () => {
    const parse = await loadMarkdown();
    const pieces = fc.constantFrom(
      ...'ab 1.)#+-=:|!(\'"\n\n,',
      ' ',
      'www',
      'http:',
      '//',
      '\u00a0',
      '\u2028',
      '👍',
      '12',
      '~',
      '*',
      '`',
      '\0',
      '\ufeff',
      '---',
      '\n\n',
    );
    let plain = 0;
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
        const source = parts.join('');
        const rich = plainRich(source);
        if (rich === undefined) return;
        plain += 1;
        expect(rich).toEqual(parse(source).rich);
      }),
      runs(3),
    );
    expect(plain).toBeGreaterThan(runs(3).numRuns / 20);
  });
});

function checkSpans({ text, spans }: Rich): void {
  expect(text).not.toMatch(/^\n|\s$/);
  const open: { start: number; end: number }[] = [];
  let last = { start: 0, end: Number.POSITIVE_INFINITY };
  for (const span of spans) {
    const sorted = span.start > last.start || (span.start === last.start && span.end <= last.end);
    while ((open.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= span.start) open.pop();
    const nested = span.end <= (open.at(-1)?.end ?? text.length);
    if (!sorted || !nested || span.start < 0 || span.end <= span.start)
      throw new Error(`bad span ${JSON.stringify(span)}`);
    open.push(span);
    last = span;
  }
}

test('spans are inside the text, sorted and nested', { timeout: PROPERTY_TIMEOUT }, async () => {
  const parse = await loadMarkdown();
  fc.assert(
    fc.property(nasty, (source) => checkSpans(parse(source).rich)),
    runs(),
  );
  fc.assert(
    fc.property(huge, (source) => checkSpans(parse(source).rich)),
    runs(0.01),
  );
});

describe('hostile text is read in bounded time', () => {
  const fill = (piece: string) => piece.repeat(Math.ceil(MAX_SOURCE / piece.length)).slice(0, MAX_SOURCE);
  const steps = (make: (index: number) => string) => {
    let text = '';
    for (let index = 0; text.length < MAX_SOURCE; index++) text += make(index);
    return text.slice(0, MAX_SOURCE);
  };
  test.each<[string, string]>([
    ['quotes 10,000 deep', `${'>'.repeat(10_000)} a`],
    ['brackets 10,000 deep', `${'['.repeat(10_000)}a${']'.repeat(10_000)}`],
    ['100 kB of quotes', fill('>')],
    ['100 kB of brackets', fill('[')],
    ['lists in lists in one line', fill('1) ')],
    ['lists of lists', fill(`${'- '.repeat(16)}a\n`)],
    ['each line deeper', steps((index) => `${'  '.repeat(index)}- a\n`)],
    ['a sawtooth of lists', steps((index) => `${'  '.repeat(index % 40)}- a\n`)],
    ['headings of one letter', fill('a\n=\n')],
    ['quotes of one letter', fill('> a\n\n')],
    ['emphasis never opened', fill('a*')],
    ['emphasis never closed', fill('*a _b ')],
    ['emphasis nested', fill(`${'*a _b ~~c **d '.repeat(20)}${'d** c~~ b_ a* '.repeat(20)}\n\n`)],
    ['links never opened', fill('](')],
    ['footnotes never closed', fill('[^a')],
    ['code of every length', steps((index) => `${'`'.repeat(index + 1)} `)],
    ['HTML never closed', fill('a <![CDATA[')],
    ['a table of 10,000 columns', `${'|a'.repeat(10_000)}\n${'|-'.repeat(10_000)}\n${'|b'.repeat(10_000)}`],
    ['addresses', fill('a@a.')],
    ['blanks in a fence', `\`\`\`\n${' '.repeat(MAX_SOURCE - 20)}x\n\`\`\``],
    ['long definitions', `${steps((index) => `[${index}]: https://x.example/${'y'.repeat(2000)}\n\n`)}`],
    ['a wide cell over many rows', `|${'x'.repeat(9000)}|b|\n|-|-|\n${'|a|b|\n'.repeat(400)}`],
  ])('%s', async (_name, source) => {
    const parse = await loadMarkdown();
    const before = process.threadCpuUsage();
    const { rich } = parse(source);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(2);
    expect(rich.text.length).toBeLessThan(10 * source.length);
    checkSpans(rich);
  });

  test('what is nested beyond reason is shown as written', async () => {
    for (const source of [`${'> '.repeat(30)}a`, `${'- '.repeat(30)}a`, '*a '.repeat(1500) + 'a* '.repeat(1500)]) {
      expect(await parseMarkdown(source)).toMatchObject({ text: source.trim(), spans: [] });
    }
  });

  test('what is too costly is shown as written, the rest of a long text is not', async () => {
    const paragraph = 'Some **bold** words, `code` and a [link](https://x.example).\n\n';
    const source = `${paragraph.repeat(200)}${'a*'.repeat(4000)}\n\n${'x\n\n'.repeat(20)}\`\`\`ts\nconst a_b = 1;\n\`\`\`\n\n${paragraph.repeat(200)}[r]\n\n[r]: https://r.example`;
    const { text, spans } = await parseMarkdown(source);
    expect(text).toContain('a*a*a*');
    expect(spans.filter((span) => span.kind === 'bold').length).toBeGreaterThan(390);
    expect(spans.find((span) => span.kind === 'pre')).toMatchObject({ language: 'ts' });
    expect(spans.find((span) => span.kind === 'link' && span.url === 'https://r.example')).toBeDefined();
  });
});
