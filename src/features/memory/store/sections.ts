/** Edits memory files, which consist of headings with bullets. Added text is converted to bullets first. */

import { breakOf, foldHeading, markdownLines, withoutEnd } from '../../../lib/markdown-lines.ts';
import { cutText, plainLine } from '../../../lib/text.ts';

/** Limits for any input. Lower ones apply to what people type. */
const MAX_BULLETS = 2_000;
const MAX_BULLET = 2_000;
const BULLET = /^(?:[-*+•]|\d{1,3}[.)])[ \t]+/;
/** Names of the prompt's blocks: a stored line must not open or close one. */
const BLOCK_TAG =
  /<(?=\s*(?:\/\s*)?(?:identity|soul|user|memory|agents|tools|skills|environment|agent|task|artifacts?|quoted|system|memory_suggestion|decision)\b)/gi;

/**
 * Returns the text as single-line bullets without marks: no headings, rules, fences, comments or invisible characters.
 * If the text has no marks, each line is a bullet; otherwise a line without a mark continues the previous one. At most
 * 2,000 bullets of 2,000 characters.
 */
export function toBullets(text: string): string[] {
  const lines = text
    .slice(0, 100_000)
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => line.trim());
  const isMarked = lines.some((line) => BULLET.test(line));
  const bullets: string[] = [];
  let goesOn = false;
  for (const line of lines) {
    const isRule = /^[-=*_#`~\s]*$/.test(line) || /^(```|~~~)/.test(line);
    const bare = isRule ? '' : cleanLine(line.replace(BULLET, ''));
    const isPlain = !BULLET.test(line) && !line.startsWith('#');
    const last = bullets.length - 1;
    if (bare !== '' && goesOn && isPlain) bullets[last] = `${bullets[last]} ${bare}`;
    else if (bare !== '') bullets.push(bare);
    goesOn = isMarked && bare !== '' && !line.startsWith('#');
  }
  return bullets.slice(0, MAX_BULLETS).map((bullet) => cutText(bullet, MAX_BULLET));
}

function cleanLine(line: string): string {
  return plainLine(line)
    .replace(/^#{1,6}\s+/, '')
    .replaceAll('<!--', '&lt;!--')
    .replace(BLOCK_TAG, '&lt;');
}

/** Returns a heading's text: one line, at most 60 characters, without marks. */
export function cleanSection(section: string): string {
  return cutText(withoutEnd(cleanLine(section.slice(0, 1000)).replace(/^[#\s"']+/, ''), '#: "\''), 60);
}

/**
 * Adds the bullets at the end of `## section` (any level from 2, ignoring case), which is appended if missing. Skips
 * bullets that are already there, so repeating this changes nothing. `date` is written before each bullet.
 */
export function addToSection(markdown: string, section: string, bullets: readonly string[], date?: string): string {
  const lines = newLines(markdown, section, bullets, date);
  return lines.length === 0 ? markdown : insertLines(markdown, section, lines);
}

export function newLines(markdown: string, section: string, bullets: readonly string[], date?: string): string[] {
  if (bullets.length === 0) return [];
  const { all = [] } = findSection(markdown, section) ?? {};
  const there = new Set(all);
  if (date !== undefined) for (const line of all) there.add(line.replace(/^- \d{4}-\d\d-\d\d: /, '- '));
  return [...new Set(bullets)]
    .filter((text) => !there.has(`- ${text}`))
    .map((text) => `- ${date !== undefined && !/^\d{4}-\d\d-\d\d/.test(text) ? `${date}: ` : ''}${text}`);
}

/** Inserts these lines unchanged at the end of the section; '' means above all headings. */
export function insertLines(markdown: string, section: string, lines: readonly string[]): string {
  const newline = breakOf(markdown);
  const added = lines.join('\n').replaceAll('\n', newline) + newline;
  const place = findSection(markdown, section);
  if (!place) return `${markdown.trimEnd()}${newline}${newline}## ${section}${newline}${added}`.trimStart();
  const after = markdown.slice(place.to);
  // Trailing empty lines are dropped; the last line with text keeps its line break.
  const head = markdown.slice(0, place.to);
  const end = head.indexOf('\n', head.trimEnd().length);
  const before = (end === -1 ? head : head.slice(0, end)).replace(/\r$/, '');
  return `${before}${before.trim() === '' ? '' : newline}${added}${after === '' ? '' : newline}${after}`;
}

interface Place {
  /** The end of its own lines: the next heading of any level. */
  to: number;
  /** The end of all its lines, including those under headings below it. */
  all: string[];
}

/** Finds the section with exactly this name at level 2, else the first with this name in any case. */
export function findSection(markdown: string, section: string): Place | undefined {
  const lines = markdownLines(markdown);
  const wanted = foldHeading(section);
  const exact = lines.findIndex(({ level, heading }) => level === 2 && heading === section);
  const similar = () =>
    lines.findIndex(({ level, heading }) => level > 1 && heading !== undefined && foldHeading(heading) === wanted);
  const at = section === '' || exact !== -1 ? exact : similar();
  if (at === -1 && section !== '') return undefined;
  const body = lines.slice(at + 1);
  const level = Math.max(2, lines[at]?.level ?? 0);
  const next = body.find(({ heading }) => heading !== undefined);
  const end = body.findIndex((line) => line.heading !== undefined && line.level <= level);
  const own = body.slice(0, end === -1 ? body.length : end).filter(({ isHidden }) => !isHidden);
  return { to: next?.from ?? markdown.length, all: own.map(({ text }) => text.trimEnd()) };
}
