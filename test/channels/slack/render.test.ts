import { describe, expect, test } from 'vitest';
import { plainLine, renderSlack, type SlackPart } from '../../../src/channels/slack/send/render.ts';
import { FAMILY } from '../markdown/hostile.ts';

async function only(source: string): Promise<SlackPart> {
  const parts = await renderSlack(source);
  expect(parts).toHaveLength(1);
  const [part] = parts;
  if (part === undefined) throw new Error('no part');
  return part;
}

/** With the invisible characters made visible. */
const visible = (text: string) => text.replaceAll('\u2060', '·').replaceAll('\u200b', '¦');

describe('the markdown block', () => {
  test.each<[string, string, string]>(
    // biome-ignore format: a row is a line
    [
      ['plain words', 'Done. 3 files, 12%.', 'Done. 3 files, 12%.'],
      ['formatting', '**a** *b* ~~c~~ `d` ***e***', '**a** _b_ ~~c~~ `d` _**e**_'],
      ['formatting within a word', 'a**b**c d*e*f', 'a**·b·**c d*·e·*f'],
      ['headings', '# A\ntext\n##### B', '# A\n\ntext\n\n##### B'],
      ['marks that mean nothing', 'a_b_c 5*3 ~5 \\*x\\* \\[a\\](b)', 'a_b_c 5\\*3 ~5 \\*x\\* [a\\](b)'],
      ['what looks like a block', '\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\na\n\\===', '\\# a\n\n\\- b\n\n1\\. c\n\n&gt; d\n\na  \n\\==='],
      ['line breaks', 'a\nb\\\nc', 'a  \nb  \nc'],
      ['lists', '- a\n  - b\n- c', '- a\n\n  - b\n- c'],
      ['lists side by side', '3. a\n\n1) b', '3. a\n\n·\n\n1. b'],
      ['blank lines at the start of an item', '7. <br>  \n~\n8. b', '7. ~\n8. b'],
      ['tasks', '- [ ] a\n- [x] b\n- \\[ ] c', '- [ ] a\n- [x] b\n- \\[ ] c'],
      ['quotations', '> a\n>\n> > b\n\nc', '> a\n> \n> > b\n\nc'],
      ['code in a list', '1. a\n   ```ts\n   b()\n   ```\n2. c', '1. a\n\n   ```ts\n   b()\n   ```\n2. c'],
      ['a fence in code', '````md\n```js\n````', '````md\n```js\n````'],
      ['a table', '| a | b |\n|:-|-:|\n| c\\|d | **e** |', '| a | b |\n| :-- | --: |\n| c\\|d | **e** |'],
      ['a table in a list is a list', '- x\n\n  | a | b |\n  |-|-|\n  | 1 | 2 |', '- x\n\n  - **a:** 1\n\n    - **b:** 2'],
      ['<br> in a table', '| a | b |\n|-|-|\n| x<br>**y** | z |', '| a | b |\n| --- | --- |\n| x **y** | z |'],
      ['HTML and entities', '<b>x</b> a & b &amp;lt;', '&lt;b&gt;x&lt;/b&gt; a & b &amp;lt;'],
      ['a rule', 'a\n\n---\n\nb', 'a\n\n---\n\nb'],
      ['an image', '![cat](https://a.example/c.png)', 'cat: [https://a.example/c.png](https://a.example/c.png)'],
      ['a footnote', 'a[^1]\n\n[^1]: note', 'a[1]\n\n[1] note'],
      ['links', '[a](https://x.example/a(b)c?d=1&e=2) https://x.example', '[a](https://x.example/a%28b%29c?d=1&e=2) [https://x.example](https://x.example)'],
      ['a hidden host', '[bank.example](https://evil.example)', '[bank.example](https://evil.example) (evil.example)'],
      ['unsafe links', '[a](javascript:alert(1)) [b](data:text/html,x)', 'a b'],
    ],
  )('%s', async (_name, source, expected) => {
    expect(visible((await only(source)).markdown)).toBe(expected);
  });
});

describe('mrkdwn', () => {
  test.each<[string, string, string]>(
    // biome-ignore format: a row is a line
    [
      ['formatting', '**a** *b* ~~c~~ `d` ***e***', '*a* _b_ ~c~ `d` _*e*_'],
      ['within a word', 'a**b**c', 'a¦*b*¦c'],
      ['over lines', '**a\nb**', '*a*\n*b*'],
      ['headings', '# A **b**\ntext', '*A b*\n\ntext'],
      ['marks that mean nothing', '\\*a\\* snake_case_name 2*3', '·*·a·*· snake_case_name 2*3'],
      ['entities', 'a & b < c > d `<!x>` \n\n> q', 'a &amp; b &lt; c &gt; d `&lt;!x&gt;`\n\n> q'],
      ['lists', '- a\n  - b\n    - c\n3. d', '• a\n    ◦ b\n        ▪ c\n\n·\n\n3. d'],
      ['blank lines at the start of an item', '7. <br>  \n~\n8. b', '7. ~\n8. b'],
      ['tasks', '- [ ] a\n- [x] b', '☐ a\n☑ b'],
      ['code', '```ts\na < b && "```"\n```', '```\na &lt; b &amp;&amp; "`·``"\n```'],
      ['links', '**[a *b*](https://x.example/?a=1&b=2)** https://y.example', '*<https://x.example/?a=1&amp;b=2|a b>* <https://y.example>'],
      ['a hidden host', '[bank.example](https://evil.example)', '<https://evil.example|bank.example> (evil.example)'],
      ['a table', '| a | b |\n|-|-:|\n| [x](https://x.example) | 10 |', '```\na |  b\n--+---\nx | 10\n```\n<https://x.example|x>'],
    ],
  )('%s', async (_name, source, expected) => {
    const part = await only(source);
    expect(part.sections.map(visible)).toEqual([expected]);
    expect(visible(part.mrkdwn)).toBe(expected);
  });
});

describe('nobody is called', () => {
  test.each([
    '<!channel> <!here|here> <!everyone> <!subteam^S1> <!date^1^{date}|x>',
    '<@U012AB3CD> <#C012AB3CD|general>',
    '@channel @here @everyone',
    '`<!here>` ``<@U1>``',
    '```\n<!channel> <@U012AB3CD> <https://evil.example|bank.example>\n```',
    '&lt;!here&gt; &#60;!channel&#62; \\<!here>',
    '[<!here>](https://x.example) **<@U1>**',
    '| <!here> |\n|-|\n| `<@U1>` |',
  ])('%s', async (source) => {
    const { markdown, mrkdwn, sections } = await only(source);
    for (const text of [markdown, mrkdwn, ...sections]) {
      expect(text).not.toMatch(/<(?:[!@#]\w|https:\/\/evil[^>]*\|)|@(?:channel|here|everyone)/);
    }
  });

  test('other signs in code stay what they are', async () => {
    const { markdown } = await only('```html\n<!-- note --><!DOCTYPE html><a href="x">&amp;</a>\n```');
    expect(markdown).toBe('```html\n<!-- note --><!DOCTYPE html><a href="x">&amp;</a>\n```');
  });
});

describe('parts', () => {
  test('one message holds what three limits allow', async () => {
    const parts = await renderSlack(`# Long\n\n${'Some words & more. '.repeat(1500)}`);
    expect(parts).toHaveLength(3);
    for (const { markdown, mrkdwn, sections } of parts) {
      expect(markdown.length).toBeLessThanOrEqual(11_900);
      expect(mrkdwn.length).toBeLessThanOrEqual(3900);
      expect(mrkdwn).toMatch(/\.\n…$/);
      for (const section of sections) expect(section.length).toBeLessThanOrEqual(3000);
    }
    const words = (text: string) => text.match(/Some words/g)?.length;
    expect(words(parts.map((part) => part.markdown).join())).toBe(1500);
    expect(words(parts.flatMap((part) => part.sections).join())).toBe(1500);
  });

  test('a code block is closed and opened again', async () => {
    const code = Array.from({ length: 400 }, (_, index) => `let line${index} = "<&> and some more words";`);
    const parts = await renderSlack(`- a\n\n  \`\`\`js\n  ${code.join('\n  ')}\n  \`\`\``);
    expect(parts.length).toBe(2);
    expect(parts[1]?.markdown).toMatch(/^```js\nlet line/);
    for (const section of parts.flatMap((part) => part.sections))
      expect(section).toMatch(/^(?:• a\n\n)?```\nlet [\s\S]*;\n```$/);
    expect(
      parts
        .flatMap((part) => part.sections)
        .join('\n')
        .match(/let line\d+/g),
    ).toHaveLength(400);
  });

  test('tables within what Slack takes', async () => {
    const rows = (count: number, cell: string) => Array.from({ length: count }, () => `| ${cell} | 1 |`).join('\n');
    const many = (await renderSlack(`| a | b |\n|-|-|\n${rows(250, 'x')}`)).map((part) => part.markdown).join('\n\n');
    const tables = many.split('\n\n');
    expect(tables).toHaveLength(3);
    for (const table of tables) expect(table).toMatch(/^\| a \| b \|\n\| --- \| --- \|\n(?:\| x \| 1 \|\n?){1,99}$/);
    const wide = await only(`|${'a|'.repeat(21)}\n|${'-|'.repeat(21)}\n|${'1|'.repeat(21)}`);
    expect(wide.markdown).toMatch(/^- \*\*a:\*\* 1\n/);
    for (const part of await renderSlack(`| a | b |\n|-|-|\n${rows(90, 'y'.repeat(120))}`)) {
      expect(part.markdown.match(/y/g)?.length).toBeLessThan(9000);
    }
  });

  test('padding does not make too many sections', async () => {
    const columns = 19;
    const header = `| ${'c'.repeat(40)} `.repeat(columns);
    const source = `${header}|\n${'|-'.repeat(columns)}|\n${`${'|1'.repeat(columns)}|\n`.repeat(240)}`;
    for (const { sections } of await renderSlack(source)) expect(sections.length).toBeLessThanOrEqual(45);
  });

  test('what a reader sees as one character is never cut', async () => {
    const parts = await renderSlack(`x${FAMILY.repeat(2500)}`);
    const count = (texts: string[]) => texts.reduce((sum, text) => sum + text.split(FAMILY).length - 1, 0);
    expect(count(parts.map((part) => part.markdown))).toBe(2500);
    expect(count(parts.flatMap((part) => part.sections))).toBe(2500);
  });

  test('nothing to show gives nothing', async () => {
    expect(await renderSlack(' \n\u200b\n')).toEqual([]);
  });

  test.each([
    ['lines', 'some **bold** text, a [link](https://a.example) and `code` @here\n'],
    ['one line', 'word <@U1> *x* '],
    ['fences', '```js\nlet x;\n```\n'],
    ['items', '- a\n  - b\n'],
    ['rows', '| a | b |\n'],
    ['marks', '*_~`[](<'],
    ['signs', '&<>'],
  ])('200 kB of %s take less than two seconds', async (_name, unit) => {
    await renderSlack('**warm**');
    // Of this process alone: the machine may have other work.
    const start = process.cpuUsage();
    await renderSlack(unit.repeat(Math.ceil(200_000 / unit.length)));
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});

test('a line for a status message is plain and short enough', () => {
  expect(plainLine('Reading **a_b.md**\nfor @here & <!channel>')).toBe(
    'Reading \u2060**\u2060a_b.md\u2060**\u2060 for @\u2060here &amp; &lt;!channel&gt;',
  );
  expect(plainLine('&'.repeat(50), 22)).toBe('&amp;'.repeat(4));
  expect(plainLine(FAMILY.repeat(3), 25)).toBe(FAMILY.repeat(2));
  expect(plainLine(' \n')).toBe('');
});
