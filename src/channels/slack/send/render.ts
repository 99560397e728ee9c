/** Renders Markdown as Slack's forms of it, in which a model's text can't mention anybody. */
import { pack } from '../../markdown/pack.ts';
import { parseDocument } from '../../markdown/parse.ts';
import { type Piece, type PieceOptions, type Table, toPieces } from '../../markdown/pieces.ts';
import { plainInline } from '../../markdown/rich.ts';
import { mrkdwn } from './mrkdwn.ts';
import { block } from './mrkdwn-block.ts';

/** One message: its text in three forms with the same content. Lengths are in UTF-16 units. */
export interface SlackPart {
  /** Standard Markdown for a `markdown` block, at most 11,900. */
  markdown: string;
  /**
   * For `text`, which notifications and old clients show: mrkdwn of at most 3,900, cut with … since blocks hold
   * everything.
   */
  mrkdwn: string;
  /**
   * Pieces of mrkdwn for `section` blocks where a `markdown` block can't be used: at most 45, of at most 3,000 each.
   */
  sections: string[];
}

const LIMITS = { markdown: 11_900, text: 3900, section: 3000, sections: 45 };
// https://docs.slack.dev/reference/block-kit/blocks/table-block; `characters` counts all tables of a message.
const TABLE = { rows: 100, columns: 20, characters: 9000, row: 1000 };
const OPTIONS: PieceOptions = { maxUrl: 1000, maxRows: TABLE.rows, isTable };

/**
 * Returns parts in order; none is blank, and a text with nothing to show gives none. Pure: the same source always gives
 * the same parts. https://docs.slack.dev/reference/block-kit/blocks/markdown-block
 */
export async function renderSlack(markdown: string): Promise<SlackPart[]> {
  const { rich, blocks } = await parseDocument(markdown);
  const content = blocks.length > 0 ? blocks : [{ type: 'paragraph' as const, inline: rich }];
  return packParts(toPieces(content, OPTIONS), LIMITS.markdown);
}

/** Returns one line of mrkdwn for a status message or a label: shown literally, cut to `limit` UTF-16 units. */
export function plainLine(text: string, limit = LIMITS.section): string {
  const inline = plainInline(
    text
      .toWellFormed()
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  );
  const [first] = pack(toPieces([{ type: 'paragraph', inline }], OPTIONS), mrkdwn, limit);
  return first?.text ?? '';
}

/** Packs pieces into parts; a part with too much for one of its forms is split into smaller ones. */
function packParts(pieces: Piece[], limit: number): SlackPart[] {
  return pack(pieces, block, limit).flatMap((part) => {
    const sections = pack(part.pieces, mrkdwn, LIMITS.section).map(({ text }) => text);
    const cells = part.pieces.reduce((sum, { content }) => sum + charactersOf(content), 0);
    if (sections.length > LIMITS.sections || cells > TABLE.characters) return packParts(part.pieces, limit / 2);
    return [{ markdown: part.text, mrkdwn: fallbackText(part.pieces, sections), sections }];
  });
}

function fallbackText(pieces: Piece[], sections: string[]): string {
  const whole = sections.join('\n\n');
  if (whole.length <= LIMITS.text) return whole;
  const [first] = pack(pieces, mrkdwn, LIMITS.text - 2);
  return `${first?.text ?? sections[0] ?? ''}\n…`;
}

function charactersOf(content: Piece['content']): number {
  if (content.type !== 'table') return 0;
  return content.rows.flat().reduce((sum, cell) => sum + Math.max(1, cell.text.length), 0);
}

/** Returns false for a table that Slack would refuse, or with a row too long to read; it becomes a list. */
function isTable({ rows }: Table, isTop: boolean): boolean {
  return (
    isTop &&
    rows.every((row) => {
      const links = row.flatMap((cell) => cell.spans).map((span) => (span.kind === 'link' ? span.url.length : 0));
      const characters = [...row.map((cell) => cell.text.length), ...links].reduce((sum, length) => sum + length, 0);
      return row.length <= TABLE.columns && characters <= TABLE.row;
    })
  );
}
