/** Renders Markdown as Discord's own: texts within its limits, in which a model's text can't mention anybody. */
import { pack } from '../../markdown/pack.ts';
import { parseDocument } from '../../markdown/parse.ts';
import { type PieceOptions, toPieces } from '../../markdown/pieces.ts';
import { plainInline } from '../../markdown/rich.ts';
import { discord, isNarrow } from './text.ts';

const LIMIT = 2000;
const OPTIONS: PieceOptions = { maxUrl: 700, isTable: isNarrow };

/**
 * Returns texts of 1 to 2000 UTF-16 units, in order; none is blank, and a text with nothing to show gives none. Pure:
 * the same source always gives the same texts. Send them with embeds suppressed, because plain text can still hold a
 * URL. https://discord.com/developers/docs/reference#message-formatting
 */
export async function renderDiscord(markdown: string): Promise<string[]> {
  const { rich, blocks } = await parseDocument(markdown);
  const content = blocks.length > 0 ? blocks : [{ type: 'paragraph' as const, inline: rich }];
  return pack(toPieces(content, OPTIONS), discord, LIMIT).map(({ text }) => text);
}

/**
 * Returns one line for a status message or a label: shown literally, cut to `limit` UTF-16 units. Blank text gives ''.
 */
export function plainLine(text: string, limit = LIMIT): string {
  const inline = plainInline(
    text
      .toWellFormed()
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  );
  const [first] = pack(toPieces([{ type: 'paragraph', inline }], OPTIONS), discord, limit);
  return first?.text ?? '';
}
