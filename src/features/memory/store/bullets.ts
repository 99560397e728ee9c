/** Finds the bullets of a memory file by words or number, removes them, and puts them back in place. Pure. */
import { hashText } from '../../../lib/files.ts';
import { breakOf, foldHeading, markdownLines } from '../../../lib/markdown-lines.ts';

export interface Bullet {
  /** Position among the file's bullets, from 1. */
  number: number;
  /** The heading above it; '' for none. */
  section: string;
  /** Its original lines: the bullet and everything indented under it. */
  lines: string;
  /** The text of its first line. */
  text: string;
  /** The line before it, used to find its place again. */
  after: string;
  /** A hash: the same section and lines give the same ID. */
  id: string;
  /** Start and end in UTF-16 units, including line breaks. */
  from: number;
  to: number;
}

/** Returns its text, and that of everything indented under it, which belongs to it. */
export const wholeOf = ({ text, lines }: Bullet): string => [text, ...lines.trimEnd().split('\n').slice(1)].join('\n');

const BULLET = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/;

/** Returns every bullet at the left margin, in order. Skips fenced code and comments. */
export function bulletsOf(markdown: string): Bullet[] {
  const bullets: Bullet[] = [];
  let section = '';
  let after = '';
  for (const { text: line, from, to, heading, isHidden } of markdownLines(markdown)) {
    const last = bullets.at(-1);
    const text = isHidden || heading !== undefined ? '' : (BULLET.exec(line)?.[1]?.trim() ?? '');
    if (heading !== undefined) section = heading;
    else if (!isHidden && last?.to === from && /^[ \t]+\S/.test(line)) {
      last.lines += `\n${line}`;
      last.to = to;
    } else if (text !== '')
      bullets.push({ number: bullets.length + 1, section, lines: line, text, id: '', from, to, after });
    after = line;
  }
  for (const bullet of bullets) bullet.id = hashText(`${bullet.section}\n${bullet.lines}`).slice(0, 12);
  return bullets;
}

/** Returns the bullets that contain every word. Ignores case and how accents are encoded. */
export function matching(bullets: readonly Bullet[], words: string): Bullet[] {
  const wanted = [...new Set(foldHeading(words).split(/\s+/).filter(Boolean))];
  return bullets.filter(({ lines }) => {
    const text = foldHeading(lines);
    return wanted.every((word) => text.includes(word));
  });
}

export const withoutBullet = (markdown: string, { from, to }: Bullet): string =>
  markdown.slice(0, from) + markdown.slice(to);

/**
 * Inserts the lines after the line `after` in the same section. Returns undefined if that line is gone: then add them
 * to the section.
 */
export function putBack(markdown: string, lines: string, section: string, after: string): string | undefined {
  let here = '';
  const newline = breakOf(markdown);
  for (const { text, to, heading } of markdownLines(markdown)) {
    here = heading ?? here;
    if (text !== after || here !== section) continue;
    const head = markdown.slice(0, to);
    return `${head}${head.endsWith('\n') ? '' : newline}${lines.replaceAll('\n', newline)}${newline}${markdown.slice(to)}`;
  }
  return undefined;
}
