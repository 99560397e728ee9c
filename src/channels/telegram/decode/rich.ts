/**
 * Converts the blocks of a rich message to Markdown, and finds those with a file. People send and forward rich
 * messages, and replies to our own tables quote them. https://core.telegram.org/bots/api#richmessage
 */
import { type Fields, fields, fieldsList, isFields, string } from '../../shared/read.ts';

/** Above the platform's own limits: at most 16 levels of nesting, 500 blocks, 32,768 characters and 50 files. */
const MAX_DEPTH = 20;
const MAX_BLOCKS = 1000;
const MAX_MEDIA = 50;
const MAX_LENGTH = 40_000;

const MEDIA = new Set(['animation', 'audio', 'document', 'photo', 'video', 'voice_note']);

/** Returns the text of `message.rich_message`; '' if there is none. */
export function readRich(message: Fields): string {
  const rich = fields(message, 'rich_message');
  return rich ? blocks(fieldsList(rich, 'blocks'), 0).slice(0, MAX_LENGTH).replaceAll('\0', '') : '';
}

/** Returns the blocks of `message.rich_message` that hold a file, in reading order. */
export function readRichMedia(message: Fields): Fields[] {
  const media: Fields[] = [];
  collect(fieldsList(fields(message, 'rich_message') ?? {}, 'blocks'), 0, media);
  return media;
}

function collect(items: Fields[], depth: number, media: Fields[]): void {
  if (depth > MAX_DEPTH) return;
  for (const block of items.slice(0, MAX_BLOCKS)) {
    if (media.length >= MAX_MEDIA) return;
    if (MEDIA.has(string(block, 'type') ?? '')) media.push(block);
    collect(fieldsList(block, 'blocks'), depth + 1, media);
    for (const item of fieldsList(block, 'items').slice(0, MAX_BLOCKS))
      collect(fieldsList(item, 'blocks'), depth + 1, media);
  }
}

function blocks(items: Fields[], depth: number): string {
  if (depth > MAX_DEPTH) return '';
  return items
    .slice(0, MAX_BLOCKS)
    .map((block) => blockText(block, depth))
    .filter((text) => text !== '')
    .join('\n\n');
}

function blockText(block: Fields, depth: number): string {
  const type = string(block, 'type');
  if (type === 'heading') return `## ${inline(block.text, depth)}`;
  if (type === 'pre') return `\`\`\`${string(block, 'language') ?? ''}\n${inline(block.text, depth)}\n\`\`\``;
  if (type === 'divider') return '---';
  if (type === 'mathematical_expression') return string(block, 'expression') ?? '';
  if (type === 'list')
    return fieldsList(block, 'items')
      .map((item) => listItem(item, depth))
      .join('\n');
  if (type === 'table') return table(block, depth);
  const own = [inline(block.summary, depth), inline(block.text, depth), blocks(fieldsList(block, 'blocks'), depth + 1)];
  const text = [...own, ...caption(block, depth)].filter((part) => part !== '').join('\n');
  return type?.endsWith('quote') && text !== '' ? text.replace(/^/gm, '> ') : text;
}

/**
 * Returns a block's caption and credit. A quotation has a credit of its own, other blocks have it in their caption; a
 * table's caption is RichText.
 */
function caption(block: Fields, depth: number): string[] {
  const credit = inline(block.credit ?? fields(block, 'caption')?.credit, depth);
  return [inline(block.caption, depth), credit === '' ? '' : `— ${credit}`];
}

function listItem(item: Fields, depth: number): string {
  const box = item.has_checkbox === true ? (item.is_checked === true ? '[x] ' : '[ ] ') : '';
  const label = typeof item.value === 'number' ? `${item.value}.` : '-';
  return `${label} ${box}${blocks(fieldsList(item, 'blocks'), depth + 1).replaceAll('\n', '\n  ')}`;
}

function table(block: Fields, depth: number): string {
  const rows = Array.isArray(block.cells) ? block.cells.filter(Array.isArray) : [];
  const lines = rows.map(
    (row) =>
      `| ${row
        .filter(isFields)
        .map((cell) => inline(cell.text, depth))
        .join(' | ')} |`,
  );
  const columns = rows[0]?.length ?? 0;
  if (columns > 0 && columns <= 100) lines.splice(1, 0, `|${' --- |'.repeat(columns)}`);
  return [lines.join('\n'), ...caption(block, depth)].filter((part) => part !== '').join('\n\n');
}

/** Converts RichText: a string, a list of RichText, or an object around one. */
function inline(text: unknown, depth: number): string {
  if (typeof text === 'string') return text;
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(text))
    return text
      .slice(0, 1000)
      .map((part) => inline(part, depth + 1))
      .join('');
  if (!isFields(text)) return '';
  const inner = inline(text.text, depth + 1) || (string(text, 'expression') ?? string(text, 'alternative_text') ?? '');
  if (text.type === 'code') return `\`${inner}\``;
  const url = text.type === 'url' ? string(text, 'url') : undefined;
  return url !== undefined && url !== inner ? `[${inner}](${url})` : inner;
}
