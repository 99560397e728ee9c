/** Markdown to Slack's forms of it, in which nothing of a model's words can mention anybody. */
import { pack } from '../../markdown/pack.ts';
import { parseDocument } from '../../markdown/parse.ts';
import { type Piece, type PieceOptions, type Table, toPieces } from '../../markdown/pieces.ts';
import { plainInline } from '../../markdown/rich.ts';
import { mrkdwn } from './mrkdwn.ts';
import { block } from './mrkdwn-block.ts';

/** One message: its text in three forms that all say the same. Lengths are in UTF-16 units. */
export interface SlackPart {
  /** For a `markdown` block: standard Markdown of at most 11,900. */
  markdown: string;
  /** For `text`, what notifications and old clients show: mrkdwn of at most 3,900, cut with … since blocks hold the whole. */
  mrkdwn: string;
  /** For `section` blocks where a `markdown` block cannot be: mrkdwn, at most 3,000 each, at most 45. */
  sections: string[];
}

const LIMITS = { markdown: 11_900, text: 3900, section: 3000, sections: 45 };
// https://docs.slack.dev/reference/block-kit/blocks/table-block; the characters are those of all tables in a message.
const TABLE = { rows: 100, columns: 20, characters: 9000, row: 1000 };
const OPTIONS: PieceOptions = { maxUrl: 1000, maxRows: TABLE.rows, isTable };

/**
 * Parts in order; none is blank, and nothing to show gives none. Pure: the same source always gives the same parts.
 * https://docs.slack.dev/reference/block-kit/blocks/markdown-block
 */
export async function renderSlack(markdown: string): Promise<SlackPart[]> {
  const { rich, blocks } = await parseDocument(markdown);
  const content = blocks.length > 0 ? blocks : [{ type: 'paragraph' as const, inline: rich }];
  return partsOf(toPieces(content, OPTIONS), LIMITS.markdown);
}

/** One line of mrkdwn for a status message or a label: shown as it is written, cut to `limit` UTF-16 units. */
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

/** A part that has too much in it for one of its forms is cut in smaller ones. */
function partsOf(pieces: Piece[], limit: number): SlackPart[] {
  return pack(pieces, block, limit).flatMap((part) => {
    const sections = pack(part.pieces, mrkdwn, LIMITS.section).map(({ text }) => text);
    const cells = part.pieces.reduce((sum, { content }) => sum + charactersOf(content), 0);
    if (sections.length > LIMITS.sections || cells > TABLE.characters) return partsOf(part.pieces, limit / 2);
    return [{ markdown: part.text, mrkdwn: textOf(part.pieces, sections), sections }];
  });
}

function textOf(pieces: Piece[], sections: string[]): string {
  const whole = sections.join('\n\n');
  if (whole.length <= LIMITS.text) return whole;
  const [first] = pack(pieces, mrkdwn, LIMITS.text - 2);
  return `${first?.text ?? sections[0] ?? ''}\n…`;
}

function charactersOf(content: Piece['content']): number {
  if (content.type !== 'table') return 0;
  return content.rows.flat().reduce((sum, cell) => sum + Math.max(1, cell.text.length), 0);
}

/** False for a table that Slack would refuse, or of which a row is too long to be read: it becomes a list. */
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
