/** Memory files are headings with bullets under them. Text that goes in becomes bullets, and nothing else, first. */
import { cutText, plainLine } from '../text.ts';

const MAX_BULLETS = 50;
const MAX_BULLET = 1000;
const BULLET = /^(?:[-*+•]|\d{1,3}[.)])[ \t]+/;
/** Names of the prompt's blocks: a stored line must not open or close one. */
const BLOCK_TAG =
  /<(?=\/?(?:identity|soul|user|memory|agents|tools|environment|agent|task|artifacts?|system|memory_suggestion)\b)/gi;

/**
 * The text as single-line bullets without their marks: no headings, rules, fences, comments or invisible characters. Without
 * any marks each line is a bullet; with marks a line without one continues the line above. At most 50 of 1,000 characters.
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

/** A heading's text: one line, at most 60 characters, without marks. */
export function cleanSection(section: string): string {
  return cutText(cleanLine(section).replace(/^[#\s"']+|[#:\s"']+$/g, ''), 60);
}

/**
 * The Markdown with the bullets at the end of `## section` (any level from 2, case ignored), which is added at the end when it
 * is missing. Bullets that stand there already are left out, so that doing it twice changes nothing. `date` is written before
 * each bullet.
 */
export function addToSection(markdown: string, section: string, bullets: readonly string[], date?: string): string {
  const place = findSection(markdown, section);
  const body = `\n${markdown.slice(place.from, place.to)}\n`;
  const isThere = (text: string) => body.includes(`\n- ${text}\n`) || (date !== undefined && hasDated(body, text));
  const fresh = bullets.filter((text) => !isThere(text));
  if (fresh.length === 0) return markdown;
  const lines = fresh.map(
    (text) => `- ${date !== undefined && !/^\d{4}-\d\d-\d\d/.test(text) ? `${date}: ` : ''}${text}`,
  );
  if (!place.isThere) return `${markdown.trimEnd()}\n\n## ${section}\n${lines.join('\n')}\n`.trimStart();
  const before = markdown.slice(0, place.to).trimEnd();
  const after = markdown.slice(place.to);
  return `${before}\n${lines.join('\n')}\n${after === '' ? '' : `\n${after}`}`;
}

function hasDated(body: string, text: string): boolean {
  const at = body.indexOf(`: ${text}\n`);
  return at !== -1 && /\n- \d{4}-\d\d-\d\d$/.test(body.slice(Math.max(0, at - 13), at));
}

/** Where a section's body begins and ends (the next heading of level 1 or 2, or the end). */
function findSection(markdown: string, section: string): { isThere: boolean; from: number; to: number } {
  const heading = findHeading(markdown, section);
  if (heading === undefined) return { isThere: false, from: markdown.length, to: markdown.length };
  const from = heading.at + heading.length;
  let to = markdown.indexOf('\n#', from);
  while (to !== -1 && !/^\n##?[ \t]/.test(markdown.slice(to, to + 4))) to = markdown.indexOf('\n#', to + 2);
  return { isThere: true, from, to: to === -1 ? markdown.length : to + 1 };
}

function findHeading(markdown: string, section: string): { at: number; length: number } | undefined {
  const usual = `## ${section}`;
  const at = markdown.indexOf(`\n${usual}\n`);
  if (at !== -1) return { at: at + 1, length: usual.length };
  const name = section.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const match = new RegExp(`^#{2,6}[ \\t]+${name}[ \\t:#]*$`, 'im').exec(markdown);
  return match ? { at: match.index, length: match[0].length } : undefined;
}
