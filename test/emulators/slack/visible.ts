/** What a reader sees of a message, the buttons under it, and whom it would have notified. */
import { richTextShown } from './rich-text.ts';
import { isRecord, type Json, type Stored } from './state.ts';
import type { ChatMessage, Ping, ShownButton } from './view.ts';

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Renders mrkdwn as it reads: links as their label, mentions as names, entities resolved; emphasis marks stay. */
export function mrkdwnShown(text: string): string {
  const shown = text.replace(
    /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g,
    (_all, mark: string, what: string, label?: string) => {
      if (mark === '!') return label ?? `@${what.replace(/^subteam\^/, '')}`;
      return label ? (mark === '' ? label : `${mark}${label}`) : `${mark}${what}`;
    },
  );
  return unescaped(shown);
}

function textShown(value: unknown): string {
  if (!isRecord(value) || typeof value.text !== 'string') return '';
  return value.type === 'mrkdwn' ? mrkdwnShown(value.text) : value.text;
}

function listShown(value: unknown, show: (each: unknown) => string, glue: string): string {
  return Array.isArray(value) ? value.map(show).filter(Boolean).join(glue) : '';
}

function cellShown(cell: unknown): string {
  return isRecord(cell) && cell.type === 'raw_text' ? String(cell.text) : richTextShown(cell);
}

function blockShown(block: Json): string {
  switch (block.type) {
    case 'section':
      return [textShown(block.text), listShown(block.fields, textShown, '\n')].filter(Boolean).join('\n');
    case 'header':
      return textShown(block.text);
    case 'context':
      return listShown(block.elements, textShown, ' ');
    case 'markdown':
      return String(block.text);
    case 'rich_text':
      return richTextShown(block);
    case 'table':
      return listShown(block.rows, (row) => listShown(row, cellShown, ' | '), '\n');
    case 'image':
      return String(block.alt_text ?? '');
    default:
      return '';
  }
}

/** Returns what a reader sees of a message: its blocks, otherwise its text. Buttons aren't part of it. */
export function visibleText(message: Pick<ChatMessage, 'blocks' | 'text'>): string {
  const shown = message.blocks.map(blockShown).filter(Boolean).join('\n');
  // Without a block that contains text, the text is shown above the buttons.
  return shown === '' ? mrkdwnShown(message.text) : shown;
}

function elementsOf(block: Json): unknown[] {
  if (block.type === 'actions' && Array.isArray(block.elements)) return block.elements;
  return block.accessory === undefined ? [] : [block.accessory];
}

/** Returns buttons with the ID of their block. */
export function buttonsOf(blocks: Json[]): (ShownButton & { blockId: string })[] {
  return blocks.flatMap((block) =>
    elementsOf(block).flatMap((element) => {
      if (!isRecord(element) || element.type !== 'button') return [];
      const { value, url } = element;
      return {
        blockId: String(block.block_id),
        label: textShown(element.text),
        actionId: String(element.action_id ?? ''),
        ...(typeof value === 'string' && { value }),
        ...(typeof url === 'string' && { url }),
      };
    }),
  );
}

const MENTION = /<(?:@([UW]\w+)|!subteam\^(\w+)|!(channel|here|everyone|group))(?:\|[^<>]*)?>/g;
const NAMES = /(?:^|[^\w&])@(channel|here|everyone)\b/g;

function richMentions(value: unknown, found: string[]): void {
  if (Array.isArray(value)) for (const each of value) richMentions(each, found);
  else if (isRecord(value)) {
    if (value.type === 'user') found.push(String(value.user_id));
    else if (value.type === 'usergroup') found.push(String(value.usergroup_id));
    else if (value.type === 'broadcast') found.push(String(value.range));
    richMentions(value.elements, found);
    richMentions(value.rows, found);
  }
}

/** Returns every text in which the platform looks for mentions; plain_text isn't one of them. */
function livelyTexts(block: Json): string[] {
  const lively = (value: unknown): string[] =>
    isRecord(value) && value.type === 'mrkdwn' && typeof value.text === 'string' ? [value.text] : [];
  if (block.type === 'markdown') return [String(block.text)];
  const each = [block.text, ...(Array.isArray(block.fields) ? block.fields : [])];
  return [...each, ...(block.type === 'context' && Array.isArray(block.elements) ? block.elements : [])].flatMap(
    lively,
  );
}

/**
 * Returns whom a message notifies: by control sequences in its text and in every mrkdwn and markdown block (even in a
 * code span), by mentions in rich text, and by a plain `@channel` if names are to be linked.
 */
export function pingsOf(stored: Pick<Stored, 'text' | 'blocks' | 'channel' | 'ts'>, linkNames: boolean): Ping[] {
  const found: string[] = [];
  for (const text of [stored.text, ...stored.blocks.flatMap(livelyTexts)]) {
    for (const [, user, group, range] of text.matchAll(MENTION)) found.push(user ?? group ?? range ?? '');
    if (linkNames) for (const [, range = ''] of text.matchAll(NAMES)) found.push(range);
  }
  richMentions(stored.blocks, found);
  return [...new Set(found)].map((who) => ({ channel: stored.channel, ts: stored.ts, who }));
}
