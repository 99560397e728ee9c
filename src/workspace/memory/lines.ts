/** A memory file line by line: which lines are headings, and which stand in code or comments and say nothing. Pure. */

export interface Line {
  /** Without its line break. */
  text: string;
  /** Where it begins and ends, in UTF-16 units; its line break included. */
  from: number;
  to: number;
  /** The words of a heading; undefined for any other line. */
  heading: string | undefined;
  /** 1 to 6, of a heading. */
  level: number;
  /** It stands in a fence or a comment, or is a mark of one. */
  isHidden: boolean;
}

const HEADING = /^\uFEFF?(#{1,6})[ \t]+(.*)$/;

/** What opens and is never closed is text like any other. */
export function linesOf(markdown: string): Line[] {
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

/** For comparing: some systems write an accent as a character of its own. */
export const fold = (text: string): string => text.normalize('NFC').toLowerCase();

/** The text without any of these characters at its end. In one go: a regular expression takes the square of a long run's length. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The line break that the file is written with. */
export const breakOf = (markdown: string): string => (markdown.includes('\r\n') ? '\r\n' : '\n');
