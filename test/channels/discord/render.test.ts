import { describe, expect, test } from 'vitest';
import { plainLine, renderDiscord } from '../../../src/channels/discord/send/render.ts';
import { FAMILY } from '../markdown/hostile.ts';
import { readDiscord } from './reader.ts';

/** The one text of a short answer, with the invisible characters made visible. */
async function shown(source: string): Promise<string> {
  const texts = await renderDiscord(source);
  expect(texts.length).toBeLessThanOrEqual(1);
  return (texts[0] ?? '').replaceAll('\u2060', '·');
}

describe('markup', () => {
  test.each<[string, string, string]>([
    ['plain words', 'Done. 3 files, 12%.', 'Done. 3 files, 12%.'],
    ['formatting', '**a** *b* ~~c~~ `d` ***e***', '**a** _b_ ~~c~~· `d` _**e**_'],
    ['formatting within a word', 'un*frigging*real **x**y', 'un_frigging_·real **x**y'],
    ['headings', '# A\ntext\n## B\n### C\n#### D *d*', '# A\ntext\n\n## B\n### C\n**D _d_**'],
    [
      'marks that mean nothing',
      '2*3*4 stays\\*, a_b_c, \\[x], \\|\\|s\\|\\|',
      '2_3_·4 stays\\*, a\\_b\\_c, \\[x\\], \\|\\|s\\|\\|',
    ],
    ['what looks like a block', '\\# a\n\\- b\n1\\. c\n\\> d\n-# e', '\\# a\n\\- b\n1\\. c\n\\> d\n\\-# e'],
    ['lists', '- a\n  - b\n- c\n\n3. d\n4. e\n   1. f', '- a\n  - b\n- c\n\n·\n\n3. d\n4. e\n   1. f'],
    ['tasks', '- [ ] a\n- [x] b', '- ☐ a\n- ☑ b'],
    ['quotations', '> a\n>\n> b\n> > c\n\nd', '> a\n> \n> b\n> \n> c\n\nd'],
    ['a quotation in a list', '- a\n  > b\n- c', '- a\n> b\n- c'],
    ['code in a list', '1. a\n   ```ts\n   b()\n   ```\n2. c', '1. a\n```ts\nb()\n```\n2. c'],
    ['code in a quotation', '> a\n> ```\n> b\n> ```', '> a\n> ```\n> b\n> ```'],
    ['a fence in code', '````md\n```js\n````', '```md\n`·``js\n```'],
    ['backticks in code', '`` a`b `` and ``` c``d ```', '`` a`b `` and `` c`·`d ``'],
    ['code that would end the formatting around it', '**a `b**c` d** _a `_ b` c_', 'a `b**c` d *a `_ b` c*'],
    ['HTML', '<b>x</b> a < b', '\\<b>x\\</b> a < b'],
    ['a rule', 'a\n\n---\n\nb', 'a\n\n———\n\nb'],
    ['a footnote', 'a[^1]\n\n[^1]: note', 'a\\[1\\]\n\n\\[1\\] note'],
    ['right-to-left', 'שלום **עולם** 12', 'שלום **עולם** 12'],
    ['bold beside brackets', '**「重要」**です、**テスト（test）**は', '**「重要」**です、**テスト（test）**は'],
    ['ranges', '5~10 min or 20~30 min ~~x~~', '5\\~10 min or 20\\~30 min ~~x~~·'],
    ['<br>', 'a<br>b', 'a\nb'],
    ['<br> in a table', '| a | b |\n|-|-|\n| x<br>y | z |', '```\na | b\n--+--\nx | z\ny |\n```'],
    ['direction overrides', 'a\u202eb &#x202E;c', 'ab c'],
  ])('%s', async (_name, source, expected) => {
    expect(await shown(source)).toBe(expected);
  });

  test.each<[string, string]>([
    ['[docs](https://docs.example/a_b)', '[docs](<https://docs.example/a_b>)'],
    ['https://docs.example/a_b', '<https://docs.example/a_b>'],
    ['www.docs.example', '[www.docs.example](<http://www.docs.example>)'],
    ['[a](https://docs.example/a(b)c*d|e)', '[a](<https://docs.example/a%28b%29c%2ad%7ce>)'],
    // Discord shows a link whose label has a URL, a mention, an emoji or a backslash as it is written.
    ['[https://a.example](https://evil.example)', 'https://a.example (<https://evil.example>) (evil.example)'],
    ['[bank.example](https://evil.example)', '[bank.example](<https://evil.example>) (evil.example)'],
    ['[👍](https://a.example)', '👍 (<https://a.example>)'],
    ['[2\\*3](https://a.example)', '2\\*3 (<https://a.example>)'],
    ['![cat](https://a.example/cat.png)', 'cat: <https://a.example/cat.png>'],
    ['[write](mailto:me@x.example)', 'write (me@x.example)'],
    ['[run](javascript:alert(1)) [d](data:text/html,x) [t](tg://user?id=1)', 'run d t'],
    ['**[a](https://a.example)**', '**[a](<https://a.example>)**'],
  ])('%s', async (source, expected) => {
    expect(await shown(source)).toBe(expected);
  });

  test('a table is aligned, its links below it', async () => {
    expect(await shown('a\n\n| Fruit | Qty |\n|:--|--:|\n| [Apple](https://a.example) | 3 |\n| Pear | 12 |\n\nb')).toBe(
      'a\n```\nFruit | Qty\n------+----\nApple |   3\nPear  |  12\n```\n[Apple](<https://a.example>)\n\nb',
    );
  });

  test('a wide table is a list', async () => {
    const long = 'a sentence that is much too long for a column '.repeat(2).trim();
    expect(await shown(`| Name | Text |\n|-|-|\n| x | ${long} |\n| y | |`)).toBe(
      `- **Name:** x\n  - **Text:** ${long}\n- **Name:** y`,
    );
  });
});

describe('nobody is called', () => {
  test.each(
    // biome-ignore format: a list is filled
    [
      '@everyone and @here', '<@1> <@!2> <@&3> <#4>', '</task:5> <:x:6> <a:x:7> <t:1618953630:R> <id:customize>',
      '**<@1>** [<@2>](https://a.example) > <@3>', '&lt;@1> &#64;everyone \\<@4>', 'https://x.example|y<a:x:6>',
      '@everyonea@b.example', '@**everyone `**`**', 'snake_case and `_x_` @everyone', '| <@1> |\n|-|\n| @here |',
    ],
  )('%s', async (source) => {
    for (const text of await renderDiscord(source)) expect(readDiscord(text).alive).toEqual([]);
  });

  test('the reader knows them', () => {
    expect(readDiscord('**<@1>** @everyone `<@2>` \\<@3> <t:1:R>').alive).toEqual(['<@1>', '@everyone', '<t:1:R>']);
  });
});

describe('parts', () => {
  test('a fence goes on in the next part, in its language', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `const line${index} = 'some text';`);
    const texts = await renderDiscord(`Here it is:\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\nThat was it.`);
    expect(texts.length).toBe(3);
    expect(texts[0]).toMatch(/^Here it is:\n```ts\nconst line0/);
    for (const text of texts.slice(1)) expect(text).toMatch(/^```ts\nconst line/);
    expect(texts.at(-1)).toMatch(/\n```\n\nThat was it\.$|\n```\nThat was it\.$/);
    expect(texts.join('\n').match(/^const .*$/gm)).toEqual(lines);
  });

  test('a table goes on under its header', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => `| row ${index} | ${index * 7} |`);
    const texts = await renderDiscord(`| Name | Number |\n|-|-:|\n${rows.join('\n')}`);
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts) expect(text).toMatch(/^```\nName +\| Number\n-+\+-+\nrow /);
    expect(texts.join('\n').match(/^row \d+/gm)?.length).toBe(150);
  });

  test('formatting goes on, a heading stays with its text, a list keeps its numbers', async () => {
    const [first, second] = await renderDiscord(`**${'word '.repeat(500).trim()}**`);
    expect([first, second]).toEqual([
      expect.stringMatching(/^\*\*word.*word\*\*$/),
      expect.stringMatching(/^\*\*word.*word\*\*$/),
    ]);
    const [, titled] = await renderDiscord(`${'x '.repeat(900)}\n\n# Title\n\n${'y '.repeat(200)}`);
    expect(titled).toMatch(/^# Title\ny /);
    const items = Array.from({ length: 300 }, (_, index) => `${index + 1}. item number ${index + 1}`);
    expect((await renderDiscord(items.join('\n'))).join('\n')).toBe(items.join('\n'));
  });

  test('what a reader sees as one character is never cut', async () => {
    for (const [cluster, pad] of [
      [FAMILY, 'x'],
      ['🇩🇪', 'xyz'],
      ['👍🏽', ''],
      ['e\u0301', 'x'],
    ] as const) {
      const texts = await renderDiscord(pad + cluster.repeat(900));
      const whole = texts.map((text) => text.split(cluster).length - 1).reduce((sum, count) => sum + count, 0);
      expect(whole).toBe(900);
      expect(texts.length).toBeLessThanOrEqual(Math.ceil((cluster.length * 900 + 3) / 1900) + 1);
    }
  });

  test('a URL too long for a link is written out', async () => {
    const url = `https://a.example/${'b'.repeat(3000)}`;
    expect((await renderDiscord(`[label](${url})`)).join('').replace(/\s/g, '')).toBe(`label(${url})`);
  });

  test('nothing to show gives nothing', async () => {
    expect(await renderDiscord('')).toEqual([]);
    expect(await renderDiscord(' \n\u200b\u2060\n')).toEqual([]);
    expect(await renderDiscord('***')).toEqual(['———']);
  });

  test.each([
    ['lines', 'some **bold** text, a [link](https://a.example) and `code` @here\n'],
    ['one line', 'word <@1> *x* '],
    ['one word', 'ab_c'],
    ['fences', '```js\nlet x;\n```\n'],
    ['items', '- a\n  - b\n'],
    ['rows', '| a | b |\n'],
    ['marks', '*_~`[](<'],
  ])('200 kB of %s take less than two seconds', async (_name, unit) => {
    await renderDiscord('**warm**');
    // Of this process alone: the machine may have other work.
    const start = process.cpuUsage();
    await renderDiscord(unit.repeat(Math.ceil(200_000 / unit.length)));
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});

test('a line for a status message is plain and short enough', () => {
  expect(plainLine('Reading **notes_1.md**\nfor @everyone')).toBe(
    'Reading \\*\\*notes\\_1.md\\*\\* for @\u2060everyone',
  );
  expect(plainLine('**'.repeat(50), 20).length).toBeLessThanOrEqual(20);
  expect(plainLine(FAMILY.repeat(3), 25)).toBe(FAMILY.repeat(2));
  expect(plainLine(' \n')).toBe('');
});
