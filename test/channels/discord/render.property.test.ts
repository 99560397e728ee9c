import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderDiscord } from '../../../src/channels/discord/send/render.ts';
import { parseDocument } from '../../../src/channels/markdown/parse.ts';
import { expectSame, hostile } from '../markdown/hostile.ts';
import { huge, PROPERTY_TIMEOUT, runs } from '../markdown/nasty.ts';
import { readDiscord } from './reader.ts';

const LIMIT = 2000;

async function check(source: string): Promise<void> {
  const texts = await renderDiscord(source);
  const shown: string[] = [];
  for (const text of texts) {
    expect(text.length).toBeLessThanOrEqual(LIMIT);
    expect(text).toMatch(/[^\s\p{Cc}\p{Cf}]/u);
    expect(text.isWellFormed()).toBe(true);
    expect((text.match(/```/g)?.length ?? 0) % 2).toBe(0);
    const read = readDiscord(text);
    expect(read.alive).toEqual([]);
    for (const { url } of read.links) expect(url).toMatch(/^https?:\/\//);
    shown.push(read.shown);
  }
  const { rich, blocks } = await parseDocument(source);
  const hasTable = JSON.stringify(blocks).includes('"type":"table"');
  expectSame(shown.join(''), rich.text, { hasTable, hasLinks: /https?:\/\/|mailto|www/i.test(source) });
}

test('every text is one that Discord takes, shows the words and calls nobody', {
  timeout: 3 * PROPERTY_TIMEOUT,
}, async () => {
  await fc.assert(fc.asyncProperty(hostile, check), runs(1.5));
});

test('the same source gives the same texts', { timeout: 3 * PROPERTY_TIMEOUT }, async () => {
  const again = async (source: string): Promise<void> => {
    expect(await renderDiscord(source)).toEqual(await renderDiscord(source));
  };
  await fc.assert(fc.asyncProperty(hostile, again), runs(0.05));
});

test('64 kB', { timeout: 3 * PROPERTY_TIMEOUT }, async () => {
  await fc.assert(fc.asyncProperty(huge, check), runs(0.01));
});
