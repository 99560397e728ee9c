import { expect, test } from 'vitest';
import { hiddenTarget, safeLink } from '../../../src/channels/markdown/link.ts';
import { parseMarkdown } from '../../../src/channels/markdown/parse.ts';

/** What a label followed by its link reads as. */
function shown(label: string, url: string): string {
  const link = safeLink(url);
  if (link === undefined) return label;
  const hidden = hiddenTarget(label, link);
  return hidden === undefined ? `<${label}>` : `<${label}> (${hidden})`;
}

test.each<[string, string, string]>([
  ['https://bank.example', 'https://evil.example/x', '<https://bank.example> (evil.example)'],
  ['bank.example', 'https://evil.example', '<bank.example> (evil.example)'],
  ['Go to BANK.example now', 'https://evil.example', '<Go to BANK.example now> (evil.example)'],
  ['bank.example:443/login', 'https://evil.example', '<bank.example:443/login> (evil.example)'],
  ['bank.example', 'https://bank.example.evil.example', '<bank.example> (bank.example.evil.example)'],
  ['bank.example', 'https://bank.example@evil.example', '<bank.example> (evil.example)'],
  [
    'https://bank.example@evil.example/',
    'https://bank.example@evil.example/',
    '<https://bank.example@evil.example/> (evil.example)',
  ],
  ['b\u200bank.exam\u00adple', 'https://evil.example', '<b\u200bank.exam\u00adple> (evil.example)'],
  ['bank\u200b.\u2060example', 'https://evil.example', '<bank\u200b.\u2060example> (evil.example)'],
  ['bank。example', 'https://evil.example', '<bank。example> (evil.example)'],
  ['ｂａｎｋ．example', 'https://evil.example', '<ｂａｎｋ．example> (evil.example)'],
  ['b\u0430nk.example', 'https://bank.example', '<b\u0430nk.example> (bank.example)'],
  ['10.0.0.1', 'https://evil.example', '<10.0.0.1> (evil.example)'],
  ['me@bank.example', 'https://evil.example', '<me@bank.example> (evil.example)'],
  ['bank.example', 'https://xn--bnk-7cd.example', '<bank.example> (xn--bnk-7cd.example)'],
  ['the docs', 'https://docs.example', '<the docs>'],
  ['docs.example', 'https://www.docs.example/a', '<docs.example>'],
  ['https://docs.example/a.b/c.de', 'https://docs.example/a.b/c.de', '<https://docs.example/a.b/c.de>'],
  ['docs.example/a', 'https://docs.example/a/b.cd', '<docs.example/a>'],
  ['Node.js 24.1', 'https://nodejs.example', '<Node.js 24.1>'],
  ['e.g. this', 'https://docs.example', '<e.g. this>'],
  ['write to me', 'mailto:me@x.example?subject=a', '<write to me> (me@x.example)'],
  ['Me@x.example', 'mailto:me@x.example', '<Me@x.example>'],
  ['a', 'javascript:alert(1)', 'a'],
  ['a', 'tg://user?id=1', 'a'],
  ['a', 'file:///etc/passwd', 'a'],
  ['a', 'data:text/html,x', 'a'],
  ['a', '/relative', 'a'],
  ['a', '//evil.example', 'a'],
])('[%s](%s)', (label, url, expected) => {
  expect(shown(label, url)).toBe(expected);
});

test('a URL that clients could read in two ways is put in its normal form', () => {
  expect(safeLink('https:\\\\evil.example\\@bank.example')?.url).toBe('https://evil.example/@bank.example');
  expect(safeLink('https:evil.example')?.url).toBe('https://evil.example/');
  expect(safeLink('HTTPS://b\u0430nk.example')?.url).toBe('https://xn--bnk-6cd.example/');
});

test('formatting within the label hides nothing', async () => {
  expect((await parseMarkdown('[**bank**`.example`](https://evil.example)')).text).toBe('bank.example (evil.example)');
  expect((await parseMarkdown('![bank.example](https://evil.example/x.png)')).text).toBe(
    'bank.example: https://evil.example/x.png',
  );
  expect((await parseMarkdown('[bank.example][r]\n\n[r]: https://evil.example')).text).toBe(
    'bank.example (evil.example)',
  );
  expect((await parseMarkdown('|a|\n|-|\n|[bank.example](https://evil.example)|')).text).toContain(
    'bank.example (evil.example)',
  );
});
