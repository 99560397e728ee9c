/**
 * Converts blocks to a rich message (Bot API 10.2 and newer), for what plain messages can only imitate: tables and task
 * lists. It sends blocks instead of Markdown, so that nothing in a model's text can become a button, a mention or a
 * picture that Telegram fetches. https://core.telegram.org/bots/api#inputrichmessage
 */
import type {
  InputRichBlock,
  InputRichBlockListItem,
  InputRichMessage,
  RichBlockTableCell,
  RichText,
} from 'grammy/types';
import type { Block, ListItem } from '../../markdown/block.ts';
import type { Inline, Span } from '../../markdown/rich.ts';
import { forTelegram } from './entities.ts';

// https://core.telegram.org/bots/api#rich-message-limits
const LIMITS = { characters: 32_768, blocks: 500, depth: 16, columns: 20 };

/** Returns undefined if the document exceeds a limit of rich messages, or has a list item without content. */
export function toRichMessage(blocks: readonly Block[]): InputRichMessage | undefined {
  const used = { characters: 0, blocks: 0, depth: 0, columns: 0 };
  let empty = blocks.length === 0;

  const textOf = (source: Inline, depth: number): RichText => {
    const inline = forTelegram(source);
    used.characters += inline.text.length;
    return nested(inline, depth, (reached) => {
      used.depth = Math.max(used.depth, reached);
    });
  };

  const itemOf = (
    { checked, blocks }: ListItem,
    ordered: number | undefined,
    depth: number,
  ): InputRichBlockListItem => {
    used.blocks += 1;
    if (blocks.length === 0) empty = true;
    return {
      blocks: blocksOf(blocks, depth + 1),
      ...(checked === undefined ? {} : { has_checkbox: true }),
      ...(checked === true ? { is_checked: true } : {}),
      ...(ordered === undefined ? {} : { value: ordered }),
    };
  };

  const blockOf = (block: Block, depth: number): InputRichBlock => {
    used.blocks += 1;
    used.depth = Math.max(used.depth, depth);
    switch (block.type) {
      case 'paragraph':
        return { type: 'paragraph', text: textOf(block.inline, depth) };
      case 'heading':
        return { type: 'heading', text: textOf(block.inline, depth), size: headingSize(block.level) };
      case 'code':
        used.characters += block.text.length;
        return { type: 'pre', text: block.text, ...(block.language === undefined ? {} : { language: block.language }) };
      case 'rule':
        return { type: 'divider' };
      case 'quote':
        return { type: 'blockquote', blocks: blocksOf(block.blocks, depth + 1) };
      case 'list':
        return {
          type: 'list',
          items: block.items.map((item, index) =>
            itemOf(item, block.ordered ? block.start + index : undefined, depth + 1),
          ),
        };
      case 'table': {
        used.blocks += block.rows.length;
        const cells = block.rows.map((row, index) => {
          used.columns = Math.max(used.columns, row.length);
          return row.map((cell, column) =>
            richCell(textOf(cell, depth + 1), index === 0, block.align[column] ?? 'left'),
          );
        });
        return { type: 'table', cells, is_bordered: true };
      }
    }
  };

  const blocksOf = (list: readonly Block[], depth: number): InputRichBlock[] =>
    list.map((block) => blockOf(block, depth));

  const message = { blocks: blocksOf(blocks, 1), skip_entity_detection: true };
  const fits =
    used.characters <= LIMITS.characters &&
    used.blocks <= LIMITS.blocks &&
    used.depth <= LIMITS.depth &&
    used.columns <= LIMITS.columns;
  return fits && !empty ? message : undefined;
}

function richCell(text: RichText, isHeader: boolean, align: RichBlockTableCell['align']): RichBlockTableCell {
  return { text, align, valign: 'middle', ...(isHeader ? { is_header: true } : {}) };
}

function headingSize(level: number): 1 | 2 | 3 | 4 | 5 | 6 {
  return level === 1 || level === 2 || level === 3 || level === 4 || level === 5 ? level : 6;
}

/** Converts spans over a text to nested texts; calls `reach` with each depth. */
function nested({ text, spans }: Inline, depth: number, reach: (depth: number) => void): RichText {
  let next = 0;
  const build = (from: number, to: number, level: number): RichText => {
    reach(level);
    const parts: RichText[] = [];
    let at = from;
    for (let span = spans[next]; span !== undefined && span.start < to; span = spans[next]) {
      next++;
      if (span.start > at) parts.push(text.slice(at, span.start));
      parts.push(formatted(span, build(span.start, span.end, level + 1)));
      at = span.end;
    }
    if (at < to) parts.push(text.slice(at, to));
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : parts;
  };
  return text === '' ? '' : build(0, text.length, depth);
}

function formatted(span: Span, text: RichText): RichText {
  switch (span.kind) {
    case 'bold':
    case 'italic':
    case 'code':
      return { type: span.kind, text };
    case 'strike':
      return { type: 'strikethrough', text };
    case 'link':
      return { type: 'url', text, url: span.url };
    default:
      return text;
  }
}
