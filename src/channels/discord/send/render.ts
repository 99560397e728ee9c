/** Markdown to Discord's own: texts that the platform takes, in which nothing of a model's words can mention anybody. */
import { pack } from '../../markdown/pack.ts';
import { parseDocument } from '../../markdown/parse.ts';
import { type PieceOptions, toPieces } from '../../markdown/pieces.ts';
import { plainInline } from '../../markdown/rich.ts';
import { discord, isNarrow } from './text.ts';

const LIMIT = 2000;
const OPTIONS: PieceOptions = { maxUrl: 700, isTable: isNarrow };

/**
 * Texts of 1 to 2000 UTF-16 units, in order; none is blank, and nothing to show gives none. Pure: the same source always
 * gives the same texts. To be sent with embeds suppressed, because what stands as plain text can still hold a URL.
 * https://discord.com/developers/docs/reference#message-formatting
 */
export async function renderDiscord(markdown: string): Promise<string[]> {
  const { rich, blocks } = await parseDocument(markdown);
  const content = blocks.length > 0 ? blocks : [{ type: 'paragraph' as const, inline: rich }];
  return pack(toPieces(content, OPTIONS), discord, LIMIT).map(({ text }) => text);
}

/** One line for a status message or a label: shown as it is written, cut to `limit` UTF-16 units. Blank text gives ''. */
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
