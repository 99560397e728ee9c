/** Splits a memory file into lines: marks headings, and lines hidden in code or comments. Pure. */

export interface Line {
  /** Without its line break. */
  text: string;
  /** Start and end in UTF-16 units, including the line break. */
  from: number;
  to: number;
  /** The text of a heading; undefined for any other line. */
  heading: string | undefined;
  /** The heading's level, 1 to 6. */
  level: number;
  /** Whether it is in a fence or comment, or delimits one. */
  isHidden: boolean;
}

const HEADING = /^\uFEFF?(#{1,6})[ \t]+(.*)$/;

/** Fences and comments that are never closed count as text. */
export function markdownLines(markdown: string): Line[] {
  const lastClose = markdown.lastIndexOf('-->');
  const lastMark = { '```': markdown.lastIndexOf('\n```'), '~~~': markdown.lastIndexOf('\n~~~') };
  const lines: Line[] = [];
  let fence = '';
  let isComment = false;
  let from = 0;
  for (const raw of markdown.split(/(?<=\n)/)) {
    const to = from + raw.length;
    const text = raw.replace(/\r?\n$/, '');
    const mark = text.startsWith('```') ? '```' : text.startsWith('~~~') ? '~~~' : undefined;
    let isHidden = true;
    if (fence !== '') fence = mark === fence ? '' : fence;
    else if (isComment) isComment = !text.includes('-->');
    else if (mark !== undefined && lastMark[mark] >= from) fence = mark;
    else if (text.trimStart().startsWith('<!--') && lastClose > from) isComment = !text.includes('-->');
    else isHidden = false;
    const [, marks = '', words] = isHidden ? [] : (HEADING.exec(text) ?? []);
    const heading = words === undefined ? undefined : withoutEnd(words, ' \t#:');
    lines.push({ text, from, to, heading, level: marks.length, isHidden });
    from = to;
  }
  return lines;
}

/** Normalises for comparison: some systems write an accent as a separate character. */
export const foldHeading = (text: string): string => text.normalize('NFC').toLowerCase();

/** Removes these characters from the end. A loop, since a regular expression takes quadratic time on long runs. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Returns the line break that the file uses. */
export const breakOf = (markdown: string): string => (markdown.includes('\r\n') ? '\r\n' : '\n');
