import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkSource } from '../../../src/channels/markdown/chunks.ts';
import { parseDocument } from '../../../src/channels/markdown/parse.ts';
import { renderSlack, type SlackPart } from '../../../src/channels/slack/send/render.ts';
import { expectSame, hostile } from '../markdown/hostile.ts';
import { huge, PROPERTY_TIMEOUT, runs } from '../markdown/nasty.ts';

/** What Slack takes for a mention, a date or a link of its own. */
const TOKEN = /<(?:!(?:channel|here|everyone|group|subteam|date)|[@#][A-Z0-9]|[a-z][a-z0-9+.-]*:[^<>]*\|)/i;
const CALL = /@(?:channel|here|everyone)(?![\w-])/i;
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

async function checkBlock({ markdown }: SlackPart): Promise<string> {
  expect(markdown.length).toBeLessThanOrEqual(11_900);
  expect(markdown).toMatch(VISIBLE);
  expect(markdown.isWellFormed()).toBe(true);
  expect(TOKEN.exec(markdown)).toBeNull();
  const { rich, blocks } = await parseDocument(`${markdown}\n\n**END**`);
  // A fence left open would have taken it in.
  expect(blocks.at(-1)).toMatchObject({ type: 'paragraph', inline: { text: 'END' } });
  const code = rich.spans.filter(({ kind }) => kind === 'code' || kind === 'pre');
  for (const { index } of rich.text.matchAll(new RegExp(CALL, 'gi'))) {
    expect(code.some(({ start, end }) => start <= index && index < end)).toBe(true);
  }
  return rich.text.slice(0, -3);
}

/** The words of mrkdwn, as far as letters go. Every `<` must be a web or mail link, every `&` one of three entities. */
function checkMrkdwn(text: string, limit: number): string {
  expect(text.length).toBeLessThanOrEqual(limit);
  expect(text).toMatch(VISIBLE);
  expect(text.isWellFormed()).toBe(true);
  const shown = text.replace(
    /<(?:https?:\/\/|mailto:)[^<>|\s]+?(?:\|([^<>\n]*))?>/g,
    (link, label?: string) => label ?? link.slice(1, -1),
  );
  expect(shown).not.toMatch(/</m);
  expect(shown.replace(/&(?:amp|lt|gt);/g, '')).not.toMatch(/&/);
  expect((text.match(/```/g)?.length ?? 0) % 2).toBe(0);
  const outside = shown
    .split('```')
    .filter((_part, index) => index % 2 === 0)
    .join('');
  expect(CALL.exec(outside.replace(/`[^`\n]*`/g, ''))).toBeNull();
  return shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function withoutEntities(text: string): string {
  return text.replace(/&(?:amp;)*(?:#?\w+;)/g, '');
}

async function check(source: string): Promise<void> {
  const parts = await renderSlack(source);
  const { rich, blocks } = await parseDocument(source);
  const of = {
    hasTable: JSON.stringify(blocks).includes('"type":"table"'),
    hasLinks: /https?:\/\/|mailto|www/i.test(source),
  };
  const shown: string[] = [];
  const sections: string[] = [];
  for (const part of parts) {
    shown.push(await checkBlock(part));
    expect(part.sections.length).toBeGreaterThan(0);
    expect(part.sections.length).toBeLessThanOrEqual(45);
    sections.push(...part.sections.map((section) => checkMrkdwn(section, 3000)));
    checkMrkdwn(part.mrkdwn, 3900);
    const all = part.sections.join('\n\n');
    if (all.length <= 3900) expect(part.mrkdwn).toBe(all);
    else expect(part.mrkdwn).toMatch(/\n…$/);
  }
  // What our parser finds too costly it reads as it is written, marks included.
  const isLiteral = parts.some(({ markdown }) =>
    chunkSource(markdown).some((chunk) => chunk.kind === 'block' && chunk.block.type === 'paragraph'),
  );
  expectSame(withoutEntities(shown.join('\n')), withoutEntities(rich.text), isLiteral ? { ...of, hasTable: true } : of);
  expectSame(sections.join('\n'), rich.text, of);
}

test('every form is one that Slack takes, shows the words and calls nobody', {
  timeout: 3 * PROPERTY_TIMEOUT,
}, async () => {
  await fc.assert(fc.asyncProperty(hostile, check), runs(1.5));
});

test('the same source gives the same parts', { timeout: 3 * PROPERTY_TIMEOUT }, async () => {
  const again = async (source: string): Promise<void> => {
    expect(await renderSlack(source)).toEqual(await renderSlack(source));
  };
  await fc.assert(fc.asyncProperty(hostile, again), runs(0.05));
});

test('64 kB', { timeout: 3 * PROPERTY_TIMEOUT }, async () => {
  await fc.assert(fc.asyncProperty(huge, check), runs(0.01));
});
