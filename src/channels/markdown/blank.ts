/** Whether anything of a Markdown text can be seen once it is rendered: what shows nothing is no answer. */
import { parseDocument } from './parse.ts';

/** A line that begins with a letter or a digit is seen, whatever else there is. The fillers of Hangul count as letters. */
const PLAINLY_SEEN = /^(?![\u115f\u1160\u3164\uffa0])[\p{L}\p{N}]/mu;

/**
 * Blanks, controls, what is to be ignored where it is not supported (zero-width and bidi characters, fillers, tags, variation
 * selectors, soft hyphens), the empty Braille pattern, and marks that have nothing to stand on.
 */
const UNSEEN = /[\s\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800\ufffc]+/gu;

/**
 * Lines of markup around nothing, without their blanks: empty emphasis, rules, links without words and address, comments in the
 * form of a reference. Rather than show nothing the parser shows them as they are written.
 */
const EMPTY_LINE = /^(?:[*_~-]{3,}|(?:!?\[\]\((?:<>)?\))+|\[[^\]]*\]:(?:#|<#?>).*)$/;
const EMPTY_FENCE = /^\s*(`{3,}|~{3,})[^\n`]*\n\s*\1\s*$/;

export async function isBlank(markdown: string): Promise<boolean> {
  if (PLAINLY_SEEN.test(markdown)) return false;
  const source = withoutComments(markdown).replaceAll('\0', '').replace(ENTITY, decoded);
  if (EMPTY_FENCE.test(source)) return true;
  const lines = source.split('\n').map((line) => line.replace(UNSEEN, ''));
  const written = lines.filter((line) => line !== '');
  const isEmpty = (line: string) => EMPTY_LINE.test(line) || (line === '>' && written.length > 1);
  if (written.every(isEmpty)) return true;
  const { rich } = await parseDocument(source);
  return rich.text.replace(UNSEEN, '') === '';
}

/** The names of characters that cannot be seen, and every number. */
const ENTITY =
  /&(?:(?:nbsp|NonBreakingSpace|[a-z]{1,4}sp|shy|zwn?j|[lr]rm|ZeroWidthSpace|NoBreak|Tab|NewLine|(?:Thin|Hair|VeryThin|MediumSpace|Invisible|ApplyFunction)\w{0,8})|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g;

function decoded(_entity: string, decimal?: string, hex?: string): string {
  const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : 0x20;
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** HTML is shown as it is written; of a comment nobody meant that. */
function withoutComments(markdown: string): string {
  let kept = '';
  let from = 0;
  for (let open = markdown.indexOf('<!--'); open >= 0; open = markdown.indexOf('<!--', from)) {
    const close = markdown.indexOf('-->', open + 4);
    if (close < 0) break;
    kept += markdown.slice(from, open);
    from = close + 3;
  }
  return kept + markdown.slice(from);
}
