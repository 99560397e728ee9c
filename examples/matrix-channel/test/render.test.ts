/** What Markdown becomes: HTML that every app shows, within the size of an event, and words without it. */
import { expect, it } from 'vitest';
import { MAX_TEXT, render, renderWords } from '../render.ts';
import { wrongHtml } from './checks.ts';

const one = async (markdown: string) => (await renderWords(markdown))[0] ?? {};

it.each([
  ['plain words', undefined, 'plain words'],
  ['**a** and *b*', '<strong>a</strong> and <em>b</em>', 'a and b'],
  ['~~a~~ `b<c>`', '<del>a</del> <code>b&lt;c&gt;</code>', 'a b<c>'],
  ['# Title\n\nwords', '<h1>Title</h1>words', 'Title\n\nwords'],
  ['a\n\n> said\n\nb', 'a<blockquote>said</blockquote>b', 'a\n\nsaid\n\nb'],
  ['```js\na < b\n```', '<pre><code class="language-js">a &lt; b</code></pre>', 'a < b'],
  [
    '[here](https://example.org/?a=1&b="2")',
    '<a href="https://example.org/?a=1&amp;b=&quot;2&quot;">here</a>',
    'here (https://example.org/?a=1&b="2")',
  ],
  ['<https://example.org>', '<a href="https://example.org">https://example.org</a>', 'https://example.org'],
  ['**a**\nb', '<strong>a</strong><br>b', 'a\nb'],
])('writes %j', async (markdown, html, body) => {
  const content = await one(markdown);
  expect(content.formatted_body).toBe(html);
  expect(content.body).toBe(body);
});

it('notifies nobody, whoever is named', async () => {
  const content = await one('hello @room and @alex:example.org');
  expect(content['m.mentions']).toEqual({});
});

it('writes HTML that apps show, and loses nothing, whatever the words are', async () => {
  const nasty = [
    '<script>alert(1)</script> **<img src=x onerror=y>**',
    '[x](javascript:alert(1)) [y](data:text/html,z)',
    `${'> '.repeat(150)}deep`,
    `${'**a** '.repeat(9_000)}`,
    `${'*é*'.repeat(20_000)}`,
    `\u202egnp.exe\u0000 *x*`,
    '```\n</code></pre>\n```',
    `${'&<>"'.repeat(20_000)} *x*`,
    '| a | b |\n|---|---|\n| 1 | **2** |',
  ];
  for (const markdown of nasty) {
    const contents = await renderWords(markdown);
    expect(contents.length).toBeGreaterThan(0);
    for (const content of contents) {
      expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(60_000);
      expect(wrongHtml(String(content.formatted_body ?? ''))).toBeUndefined();
      expect(String(content.body)).not.toMatch(/[\u202e\0]/);
    }
  }
});

it('cuts by the bytes of an event', async () => {
  const contents = await renderWords('漢'.repeat(MAX_TEXT));
  expect(contents.map(({ body }) => String(body)).join('')).toBe('漢'.repeat(MAX_TEXT));
  for (const { body } of contents) expect(Buffer.byteLength(String(body))).toBeLessThanOrEqual(MAX_TEXT);
});

it('numbers its buttons, also where there are no words', async () => {
  const buttons = [[{ id: 'a', label: 'Yes' }], [{ id: 'b', label: 'No & more' }]];
  const message = { id: 'x', address: { channel: 'matrix', account: '', chat: '!a' }, files: [], buttons };
  const [part] = await render({ ...message, text: '**Go?**' }, 1_000);
  expect(part?.content.body).toBe('Go?\n\n1️⃣ Yes\n2️⃣ No & more');
  expect(part?.content.formatted_body).toBe('<strong>Go?</strong><br><br>1️⃣ Yes<br>2️⃣ No &amp; more');
  const [bare] = await render({ ...message, text: '' }, 1_000);
  expect(bare?.content.body).toMatch(/^\S.*\n\n1️⃣ Yes/);
  expect(await render({ ...message, text: 'again' }, 1_000)).toEqual(
    await render({ ...message, text: 'again' }, 1_000),
  );
});
