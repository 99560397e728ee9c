/**
 * Finds the parts of an answer's lines that are shown rather than meant: quotations, code, comments and text in
 * quotation marks. A tag in such a part is text for the person and never a tag of the model. Fences aren't handled
 * here. Linear in the length of the text.
 */

const CODE_SPAN = /``[^\n]+?``|`[^`\n]+`/g;
const QUOTE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*>/;
const INDENTED = /^(?: {4}| {0,3}\t)/;
const LIST_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/;
const ELEMENT = /<!--|<(pre|code|samp|blockquote|quoted|q)(?:\s[^<>\n]{0,200})?>/gi;
const MARKS = /["'“”„«»‘’‚\\]/;

export interface Asides {
  /**
   * Returns the line with asides replaced by blanks, so that its length stays the same. `isOpen`: a tag of the model is
   * still open in this line.
   */
  without(line: string, start: number, isOpen: boolean): string;
}

export function asidesOf(text: string): Asides {
  /** Closing tags that don't occur any more, so that each is searched for only once. */
  const missing = new Set<string>();
  /** The position up to which an element extends. */
  let until = 0;
  let isCode = false;
  let isAfterBlank = true;
  let isInList = false;

  function isIndentedCode(line: string): boolean {
    const isBlank = line.trim() === '';
    const isIndented = INDENTED.test(line);
    if (!isBlank) {
      if (!isIndented) isInList = LIST_ITEM.test(line) || (isInList && /^\s/.test(line));
      isCode = isIndented && !isInList && (isAfterBlank || isCode);
    }
    isAfterBlank = isBlank;
    return isCode;
  }

  function endOf(name: string | undefined, from: number): number | undefined {
    const closing = name === undefined ? '-->' : `</${name.toLowerCase()}>`;
    if (missing.has(closing)) return undefined;
    const sought = new RegExp(closing, 'gi');
    sought.lastIndex = from;
    if (sought.test(text)) return sought.lastIndex;
    missing.add(closing);
    return undefined;
  }

  return {
    without(line, start, isOpen) {
      const isIndented = isIndentedCode(line);
      const shown = line.replace(CODE_SPAN, blank);
      if (isOpen || !shown.includes('<')) return shown;
      if (isIndented || QUOTE.test(line)) return blank(line);
      const hidden = start < until ? [{ from: 0, to: until - start }] : [];
      for (const { 1: name, index } of shown.matchAll(ELEMENT)) {
        const end = start + index < until ? undefined : endOf(name, start + index);
        if (end === undefined) continue;
        hidden.push({ from: index, to: end - start });
        until = end;
      }
      let at = 0;
      const pieces = hidden.flatMap(({ from, to }) => {
        const both = [shown.slice(at, from), blank(shown.slice(from, to))];
        at = to;
        return both;
      });
      return [...pieces, shown.slice(at)].join('');
    },
  };
}

/** Whether a text's element is in quotation marks, or after a backslash. */
export function isBetweenMarks(text: string, from: number, to: number): boolean {
  const before = text.charAt(from - 1);
  return before === '\\' || (MARKS.test(before) && MARKS.test(text.charAt(to)));
}

const blank = (text: string): string => ' '.repeat(text.length);
