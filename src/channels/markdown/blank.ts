/** Tells whether a Markdown text shows anything once rendered; a text that shows nothing isn't an answer. */
import { parseDocument } from './parse.ts';

/**
 * Matches a line that begins with a letter or a digit, which is always visible. Hangul fillers count as letters, so
 * they are excluded.
 */
const PLAINLY_SEEN = /^(?![\u115f\u1160\u3164\uffa0])[\p{L}\p{N}]/mu;

/**
 * Blanks, controls, default-ignorable characters (zero-width and bidi characters, fillers, tags, variation selectors,
 * soft hyphens), the empty Braille pattern, and combining marks without a base.
 */
const UNSEEN = /[\s\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800\ufffc]+/gu;

/**
 * Lines of markup around nothing, without their blanks: empty emphasis, rules, links without text and URL, comments
 * written as references. The parser shows them literally rather than showing nothing.
 */
const EMPTY_LINE = /^(?:[*_~-]{3,}|(?:!?\[\]\((?:<>)?\))+|\[[^\]]*\]:(?:#|<#?>).*)$/;
const EMPTY_FENCE = /^\s*(`{3,}|~{3,})[^\n`]*\n\s*\1\s*$/;

export async function isBlank(markdown: string): Promise<boolean> {
  if (PLAINLY_SEEN.test(markdown)) return false;
  const source = withoutComments(markdown).replaceAll('\0', '').replace(ENTITY, decodeEntity);
  if (EMPTY_FENCE.test(source)) return true;
  const lines = source.split('\n').map((line) => line.replace(UNSEEN, ''));
  const written = lines.filter((line) => line !== '');
  const isEmpty = (line: string) => EMPTY_LINE.test(line) || (line === '>' && written.length > 1);
  if (written.every(isEmpty)) return true;
  const { rich } = await parseDocument(source);
  return rich.text.replace(UNSEEN, '') === '';
}

/** Named entities of invisible characters, and every numeric entity. */
const ENTITY =
  /&(?:(?:nbsp|NonBreakingSpace|[a-z]{1,4}sp|shy|zwn?j|[lr]rm|ZeroWidthSpace|NoBreak|Tab|NewLine|(?:Thin|Hair|VeryThin|MediumSpace|Invisible|ApplyFunction)\w{0,8})|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g;

function decodeEntity(_entity: string, decimal?: string, hex?: string): string {
  const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : 0x20;
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Removes HTML comments. The renderer shows HTML literally, but nobody means a comment to be seen. */
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
