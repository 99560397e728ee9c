/**
 * Rich messages: blocks, within the documented limits. The wording of the refusals
 * isn't documented, but their `RICH_MESSAGE_*` form is.
 */
import type { RichMessage } from '@grammyjs/types';
import { badRequest } from './errors.ts';

const LIMITS = { characters: 32_768, blocks: 500, depth: 16, columns: 20 };

export interface InputRich {
  markdown?: unknown;
  html?: unknown;
  blocks?: unknown;
  is_rtl?: boolean;
}

export interface ReadRich {
  message: RichMessage;
  /** The original content, as text. */
  source: string;
}

interface Size {
  characters: number;
  blocks: number;
  depth: number;
  columns: number;
}

/**
 * Counts the characters (code points) of all texts under `value`; any key except the structural ones may contain text.
 */
function measure(value: unknown, size: Size, depth: number): void {
  if (typeof value === 'string') {
    for (const _point of value) size.characters += 1;
  } else if (Array.isArray(value)) {
    for (const item of value) measure(item, size, depth);
  } else if (typeof value === 'object' && value !== null) measureObject(new Map(Object.entries(value)), size, depth);
}

function measureObject(fields: Map<string, unknown>, size: Size, depth: number): void {
  size.depth = Math.max(size.depth, depth);
  const items = fields.get('items');
  const cells = fields.get('cells');
  if (Array.isArray(items)) size.blocks += items.length;
  if (Array.isArray(cells)) {
    size.blocks += cells.length;
    for (const row of cells) size.columns = Math.max(size.columns, Array.isArray(row) ? row.length : 0);
  }
  for (const [name, value] of fields) {
    if (name === 'blocks' && Array.isArray(value)) size.blocks += value.length;
    const isText = ['text', 'blocks', 'items', 'cells', 'summary', 'caption', 'credit', 'expression'].includes(name);
    if (isText) measure(value, size, depth + 1);
  }
}

function checkLimits(blocks: unknown[]): void {
  const size: Size = { characters: 0, blocks: blocks.length, depth: 0, columns: 0 };
  measure(blocks, size, 1);
  if (size.characters > LIMITS.characters) throw badRequest('RICH_MESSAGE_TOO_LONG');
  if (size.blocks > LIMITS.blocks) throw badRequest('RICH_MESSAGE_BLOCKS_TOO_MUCH');
  if (size.depth > LIMITS.depth) throw badRequest('RICH_MESSAGE_DEPTH_TOO_BIG');
  if (size.columns > LIMITS.columns) throw badRequest('RICH_MESSAGE_TABLE_COLUMNS_TOO_MUCH');
  if (size.characters === 0) throw badRequest('message text is empty');
}

/** Reads `rich_message`, given as blocks: Markdown and HTML are never sent. Throws ApiError 400. */
export function readRichMessage(input: unknown): ReadRich {
  if (typeof input !== 'object' || input === null) throw badRequest('rich_message must be an Object');
  const { markdown, html, blocks, is_rtl } = input as InputRich;
  if (markdown !== undefined || html !== undefined || blocks === undefined)
    throw badRequest('exactly one of the fields "html", "markdown" and "blocks" must be used');
  if (!Array.isArray(blocks)) throw badRequest("can't parse rich message");
  checkLimits(blocks);
  return { message: { blocks, ...(is_rtl && { is_rtl }) }, source: JSON.stringify(blocks) };
}
