/** The bullets that stand in a memory file: found by words or number, taken out, put back where they were. Pure. */
import { hashText } from '../files.ts';

export interface Bullet {
  /** Position among the file's bullets, from 1. */
  number: number;
  /** The heading above it, '' for none. */
  section: string;
  /** Its lines as they stand: the bullet, and what is indented under it. */
  lines: string;
  /** The words of its first line. */
  text: string;
  /** The line before it; it tells where to put it back. */
  after: string;
  /** Same section and same lines give the same id. */
  id: string;
  /** Where it begins and ends, in UTF-16 units; line breaks included. */
  from: number;
  to: number;
}

const BULLET = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/;

/** Every bullet at the margin, in order. Code in fences and comments hold none. */
export function bulletsOf(markdown: string): Bullet[] {
  const bullets: Bullet[] = [];
  let section = '';
  let fence = '';
  let isComment = false;
  let before = '';
  let at = 0;
  for (const raw of markdown.split(/(?<=\n)/)) {
    const line = raw.replace(/\r?\n$/, '');
    const mark = /^(?:```|~~~)/.exec(line)?.[0] ?? '';
    const last = bullets.at(-1);
    if (fence !== '') fence = mark === fence ? '' : fence;
    else if (isComment) isComment = !line.includes('-->');
    else if (mark !== '') fence = mark;
    else if (line.trimStart().startsWith('<!--')) isComment = !line.includes('-->');
    else if (/^#{1,6}[ \t]/.test(line)) section = line.replace(/^#+[ \t]+|[ \t#:]+$/g, '');
    else if (last?.to === at && /^[ \t]+\S/.test(line)) {
      last.lines += `\n${line}`;
      last.to = at + raw.length;
    } else {
      const text = BULLET.exec(line)?.[1]?.trim();
      if (text !== undefined && text !== '') {
        const place = { from: at, to: at + raw.length, after: before };
        bullets.push({ number: bullets.length + 1, section, lines: line, text, id: '', ...place });
      }
    }
    before = line;
    at += raw.length;
  }
  for (const bullet of bullets) bullet.id = hashText(`${bullet.section}\n${bullet.lines}`).slice(0, 12);
  return bullets;
}

/** Those that hold every word, whatever its case. */
export function matching(bullets: readonly Bullet[], words: string): Bullet[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return bullets.filter(({ lines }) => wanted.every((word) => lines.toLowerCase().includes(word)));
}

export const without = (markdown: string, { from, to }: Bullet): string => markdown.slice(0, from) + markdown.slice(to);

/**
 * The lines after the line `after` of the same section, or undefined when that line is not there (any more): add them to the
 * section then.
 */
export function putBack(markdown: string, lines: string, section: string, after: string): string | undefined {
  let here = '';
  let at = 0;
  for (const raw of markdown.split(/(?<=\n)/)) {
    const line = raw.replace(/\r?\n$/, '');
    if (/^#{1,6}[ \t]/.test(line)) here = line.replace(/^#+[ \t]+|[ \t#:]+$/g, '');
    at += raw.length;
    if (line !== after || here !== section) continue;
    const head = markdown.slice(0, at);
    return `${head}${head.endsWith('\n') ? '' : '\n'}${lines}\n${markdown.slice(at)}`;
  }
  return undefined;
}
