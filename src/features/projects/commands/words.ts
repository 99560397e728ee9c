/**
 * Reads the words of a bash text. Invariant: the `text` of a `plain` word is exactly what its program gets. If the
 * reader isn't certain about something, it throws `ParseRefusal`; it never guesses.
 */

/** Says why a text can't be judged. */
export class ParseRefusal extends Error {}

export interface Word {
  /** What its program gets; for a word that isn't plain, its source. */
  text: string;
  /**
   * `pattern`: expands to names of files, none of which begins with a dash. `unknown`: contains an expansion, a
   * substitution, braces, a home, or a pattern that may match an option.
   */
  is: 'plain' | 'pattern' | 'unknown';
}

/** The text being read, and the current position. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Reads the commands of a substitution that begins here, up to its closing parenthesis. */
  nested(): void;
  /** Reads the commands of a separate text. */
  inner(text: string): void;
}

const ENDS_WORD = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')']);
/** Matches `${NAME}`, its length, and a plain default. */
const BRACED = /^\$\{(?:#?[A-Za-z_]\w*|[0-9@*#?]|[A-Za-z_]\w*:?[-=?+][\w ./:,@%+=-]*)\}/;
const NAMED = /^\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])/;
const ARITHMETIC = /^\$\(\(([\w\s+*/%<>=!&|^~?:,$()-]*)\)\)/;

export const isAt = ({ text, at }: Cursor, piece: string): boolean => text.startsWith(piece, at);

/** A word that is being read. */
interface Draft {
  text: string;
  isUnknown: boolean;
  /** The position of the first unquoted pattern character in `text`, or -1. */
  firstPattern: number;
  hasBrace: boolean;
  hasSequence: boolean;
}

/** Reads one word, beginning at the cursor. */
export function nextWord(cursor: Cursor): Word {
  const from = cursor.at;
  const draft: Draft = {
    text: '',
    isUnknown: false,
    firstPattern: -1,
    hasBrace: false,
    hasSequence: false,
  };
  while (cursor.at < cursor.text.length) {
    const char = cursor.text.charAt(cursor.at);
    if ((char === '<' || char === '>') && cursor.text[cursor.at + 1] === '(') {
      cursor.at += 2;
      cursor.nested();
      draft.isUnknown = true;
      continue;
    }
    if (ENDS_WORD.has(char)) break;
    readPiece(cursor, char, draft);
  }
  if (cursor.text[cursor.at] === '(') throw new ParseRefusal('a function or an extended pattern');
  if (cursor.at === from) throw new ParseRefusal('a word is missing');
  const source = cursor.text.slice(from, cursor.at);
  return finishWord(draft, source);
}

function readPiece(cursor: Cursor, char: string, draft: Draft): void {
  switch (char) {
    case "'":
      draft.text += readSingle(cursor);
      return;
    case '"':
      readDouble(cursor, draft);
      return;
    case '\\': {
      const next = cursor.text[cursor.at + 1];
      if (next === undefined || next === '\n') throw new ParseRefusal('a line that ends within a word');
      draft.text += next;
      cursor.at += 2;
      return;
    }
    case '`':
      readBackticks(cursor);
      draft.isUnknown = true;
      return;
    case '$':
      readDollar(cursor, draft, false);
      return;
  }
  const length = draft.text.length;
  if ((char === '*' || char === '?' || char === '[') && draft.firstPattern < 0) draft.firstPattern = length;
  if (char === '~' && (length === 0 || /[=:]$/.test(draft.text))) draft.isUnknown = true;
  if (char === '{') draft.hasBrace = true;
  if (char === ',' || (char === '.' && draft.text.endsWith('.'))) draft.hasSequence = true;
  draft.text += char;
  cursor.at += 1;
}

function finishWord(draft: Draft, source: string): Word {
  const { text, firstPattern } = draft;
  if (draft.isUnknown || (draft.hasBrace && draft.hasSequence)) return { text: source, is: 'unknown' };
  // A lone opening bracket is the name of a program.
  if (firstPattern < 0 || text === '[') return { text, is: 'plain' };
  // A match could be an option, or `..`.
  const isSafe = firstPattern > 0 && !text.startsWith('-') && !/(?:^|\/)\.[^/]*[*?[]/.test(text);
  return { text: source, is: isSafe ? 'pattern' : 'unknown' };
}

function readSingle(cursor: Cursor): string {
  const end = cursor.text.indexOf("'", cursor.at + 1);
  if (end < 0) throw new ParseRefusal("a quotation mark that isn't closed");
  const text = cursor.text.slice(cursor.at + 1, end);
  cursor.at = end + 1;
  return text;
}

function readDouble(cursor: Cursor, draft: Draft): void {
  cursor.at += 1;
  for (;;) {
    const char = cursor.text[cursor.at];
    if (char === undefined) throw new ParseRefusal("a quotation mark that isn't closed");
    if (char === '"') {
      cursor.at += 1;
      return;
    }
    if (char === '\\') {
      const next = cursor.text[cursor.at + 1] ?? '';
      if (next === '') throw new ParseRefusal("a quotation mark that isn't closed");
      // Within double quotes, a backslash escapes only these.
      if (next !== '\n') draft.text += '$`"\\'.includes(next) ? next : `\\${next}`;
      cursor.at += 2;
    } else if (char === '`') {
      readBackticks(cursor);
      draft.isUnknown = true;
    } else if (char === '$') readDollar(cursor, draft, true);
    else {
      draft.text += char;
      cursor.at += 1;
    }
  }
}

/** Reads an expansion or a substitution. Before anything else, a dollar sign is an ordinary character. */
function readDollar(cursor: Cursor, draft: Draft, isQuoted: boolean): void {
  const rest = cursor.text.slice(cursor.at, cursor.at + 400);
  const next = rest[1] ?? '';
  if (!isQuoted && (next === "'" || next === '"')) {
    draft.isUnknown = true;
    cursor.at += 1;
    if (next === '"') readDouble(cursor, draft);
    else cursor.at = endOfEscaped(cursor);
    return;
  }
  if (rest.startsWith('$((')) {
    readArithmetic(cursor, rest, draft);
    return;
  }
  if (next === '(') {
    cursor.at += 2;
    cursor.nested();
    draft.isUnknown = true;
    return;
  }
  if (next === '[') throw new ParseRefusal('arithmetic in the old form');
  const found = next === '{' ? BRACED.exec(rest) : NAMED.exec(rest);
  if (next === '{' && !found) throw new ParseRefusal('an expansion that changes its value');
  if (found) draft.isUnknown = true;
  else draft.text += '$';
  cursor.at += found ? found[0].length : 1;
}

function readArithmetic(cursor: Cursor, rest: string, draft: Draft): void {
  const [all, inner = ''] = ARITHMETIC.exec(rest) ?? [];
  let depth = 0;
  for (const char of inner) {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (depth < 0) break;
  }
  if (all === undefined || depth !== 0 || inner.includes('$(')) throw new ParseRefusal('arithmetic');
  cursor.at += all.length;
  draft.isUnknown = true;
}

function endOfEscaped({ text, at }: Cursor): number {
  for (let index = at + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === "'") return index + 1;
  }
  throw new ParseRefusal("a quotation mark that isn't closed");
}

function readBackticks(cursor: Cursor): void {
  const end = cursor.text.indexOf('`', cursor.at + 1);
  const inner = cursor.text.slice(cursor.at + 1, end);
  if (end < 0 || inner.includes('\\')) throw new ParseRefusal('a substitution in backticks');
  cursor.at = end + 1;
  cursor.inner(inner);
}
