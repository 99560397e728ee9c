import fc from 'fast-check';
import type { MessageEntity } from 'grammy/types';
import { expect, test } from 'vitest';
import type { Attachment, OutboundMessage } from '../../../src/channels/channel.ts';
import { parseMarkdown } from '../../../src/channels/markdown/parse.ts';
import { forTelegram } from '../../../src/channels/telegram/send/entities.ts';
import { renderTelegram, type TelegramPart } from '../../../src/channels/telegram/send/render.ts';
import { huge, nasty, PROPERTY_TIMEOUT, runs } from '../markdown/nasty.ts';

const limits = { text: 4096, uploadBytes: 50_000, downloadBytes: 1 };
const TYPES = new Set([
  'bold',
  'italic',
  'strikethrough',
  'code',
  'pre',
  'text_link',
  'blockquote',
  'expandable_blockquote',
]);
const ALONE = new Set(['code', 'pre', 'text_link']);
const visible = (text: string) => text.replace(/[\s\p{C}]/gu, '');

/** Throws unless Telegram would take the text as it is and keep every entity as it is. */
function checkText(text: string, entities: readonly MessageEntity[], limit: number): void {
  const fail = (why: string) => {
    throw new Error(`${why}: ${JSON.stringify({ text, entities })}`);
  };
  if (text.length > limit || text.trim() === '' || !text.isWellFormed()) fail('bad text');
  // Telegram trims what stands before the first entity and after the last visible character.
  if (text.trimEnd() !== text || (/^\s/.test(text) && entities[0]?.offset !== 0)) fail('blanks at the edges');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what the server would change
  if (/[\0-\x08\x0b-\x1f\u2028-\u202e]/.test(text)) fail('a character that the server changes');
  if (entities.length > 100) fail('too many entities');
  const open: MessageEntity[] = [];
  let last: MessageEntity | undefined;
  for (const entity of entities) {
    const { type, offset, length } = entity;
    const end = offset + length;
    const covered = text.slice(offset, end);
    if (!TYPES.has(type)) fail(`unknown type ${type}`);
    if (offset < 0 || length < 1 || end > text.length) fail('outside of the text');
    if (covered.trimEnd() !== covered || !covered.isWellFormed()) fail('ends in blanks or within a character');
    if (last && (offset < last.offset || (offset === last.offset && length > last.length))) fail('not sorted');
    while (open.at(-1) && (open.at(-1)?.offset ?? 0) + (open.at(-1)?.length ?? 0) <= offset) open.pop();
    for (const outer of open) {
      if (end > outer.offset + outer.length) fail('entities cross');
      if (outer.type === 'code' || outer.type === 'pre' || outer.type === type) fail('nested where it must not be');
      if (ALONE.has(outer.type) && ALONE.has(type)) fail('links and code contain each other');
    }
    if (type === 'text_link' && !/^https?:\/\/[^/?#]*[.[]/i.test(entity.url)) fail('a link Telegram would drop');
    open.push(entity);
    last = entity;
  }
  const mentions = [...text.matchAll(/(?<![\p{L}\p{N}_])@\w/gu)];
  const isCovered = (at: number) =>
    entities.some((e) => ALONE.has(e.type) && e.offset <= at && at < e.offset + e.length);
  if (mentions.some(({ index }) => !isCovered(index) && !/\S*\/\S*$/.test(text.slice(0, index)))) fail('a mention');
}

function checkPart(part: TelegramPart): string {
  const { text, entities, caption, caption_entities, media, reply_markup } = part.params as {
    text?: string;
    entities?: MessageEntity[];
    caption?: string;
    caption_entities?: MessageEntity[];
    media?: { type: string; caption?: string; caption_entities?: MessageEntity[] }[];
    reply_markup?: object;
  };
  expect(JSON.parse(JSON.stringify(part))).toEqual(part);
  if (text !== undefined) checkText(text, entities ?? [], 4096);
  if (caption !== undefined) checkText(caption, caption_entities ?? [], 1024);
  if (media !== undefined) {
    expect(media.length).toBe(part.files.length);
    expect(media.length).toBeGreaterThan(1);
    expect(media.length).toBeLessThanOrEqual(10);
    expect(new Set(media.map(({ type }) => type)).size).toBe(1);
    expect(reply_markup).toBeUndefined();
    for (const item of media)
      if (item.caption !== undefined) checkText(item.caption, item.caption_entities ?? [], 1024);
  } else if (part.method === 'sendPhoto' || part.method === 'sendDocument') expect(part.files).toHaveLength(1);
  else expect(part.files).toEqual([]);
  return text ?? caption ?? media?.map((item) => item.caption ?? '').join('') ?? '';
}

interface Size {
  blocks: number;
  depth: number;
  columns: number;
  text: string;
}

/** Counts a rich message by its JSON alone. */
function measureRich(value: unknown, size: Size, depth: number): void {
  if (typeof value === 'string') size.text += value;
  else if (Array.isArray(value)) for (const item of value) measureRich(item, size, depth);
  else if (typeof value === 'object' && value !== null) {
    size.depth = Math.max(size.depth, depth);
    for (const [key, inner] of Object.entries(value)) {
      if (Array.isArray(inner) && ['blocks', 'items', 'cells'].includes(key)) size.blocks += inner.length;
      if (key === 'cells') for (const row of inner as unknown[][]) size.columns = Math.max(size.columns, row.length);
      if (['blocks', 'items', 'cells', 'text'].includes(key)) measureRich(inner, size, depth + 1);
    }
  }
}

function checkRich(part: TelegramPart | undefined): void {
  const size: Size = { blocks: 0, depth: 0, columns: 0, text: '' };
  measureRich(part?.params.rich_message, size, 0);
  expect([...size.text].length).toBeLessThanOrEqual(32_768);
  expect(size.blocks).toBeLessThanOrEqual(500);
  expect(size.depth).toBeLessThanOrEqual(16);
  expect(size.columns).toBeLessThanOrEqual(20);
  if (/(?<![\p{L}\p{N}_/])@\w/u.test(size.text.replace(/https?:\S*|`[^`]*`/g, '')) && !size.text.includes('@alice')) {
    throw new Error('a mention');
  }
}

const attachment: fc.Arbitrary<Attachment> = fc.record({
  path: fc.constant('/tmp/x'),
  name: fc.string({ unit: 'binary', maxLength: 20 }),
  mimeType: fc.constantFrom('image/png', 'image/svg+xml', 'text/plain', 'image/gif'),
  size: fc.constantFrom(0, 10, 20_000, 60_000),
  sha256: fc.constant('0'),
});

type Extras = Pick<OutboundMessage, 'files' | 'placeholder' | 'buttons'>;

async function check(text: string, more: Extras): Promise<void> {
  const address = { channel: 'telegram', account: '1', chat: '5', thread: '7' };
  const { parts, rich } = await renderTelegram({ id: 'm', address, text, replyTo: '3', ...more }, limits);
  const sent = parts.map(checkPart).join('');
  const source = /[\u030a\u0333\u033f]/.test(text) ? text.normalize('NFC') : text;
  expect(visible(sent).startsWith(visible(forTelegram(await parseMarkdown(source)).text))).toBe(true);
  const taken = more.files.filter((file) => file.size > 0 && file.size <= limits.uploadBytes);
  for (const list of [parts, ...(rich ? [rich] : [])]) {
    expect(list.flatMap((part) => part.files).length).toBe(taken.length);
    expect(list.filter((part) => part.params.reply_parameters).length).toBeLessThanOrEqual(1);
    if (more.buttons) expect(list.filter((part) => part.params.reply_markup)).toHaveLength(1);
    if (more.placeholder) expect(list.map((part) => part.method).indexOf('editMessageText')).toBe(0);
  }
  if (rich) checkRich(rich[0]);
}

const extras: fc.Arbitrary<Extras> = fc.record<Extras, 'files'>(
  {
    files: fc.array(attachment, { maxLength: 13 }),
    placeholder: fc.constant('12'),
    buttons: fc.constant<OutboundMessage['buttons'] & object>([[{ id: 'b', label: 'x' }]]),
  },
  { requiredKeys: ['files'] },
);

test('every call is one that Telegram takes, and nothing is lost', { timeout: PROPERTY_TIMEOUT }, async () => {
  await fc.assert(fc.asyncProperty(nasty, extras, check), runs());
});

test('64 kB', { timeout: PROPERTY_TIMEOUT }, async () => {
  await fc.assert(fc.asyncProperty(huge, extras, check), runs(0.01));
});
