/**
 * Matches .gitignore patterns as git's wildmatch does. Backtracking is limited to one star, in names and in paths, so
 * the number of steps is at most the pattern's length times the path's. A limit on steps is needed anyway, because a
 * project's own patterns may be written to take forever.
 */
import { UserError } from '../../errors.ts';

/** A character, `?`, `*`, or a bracket expression. */
type Token = number | typeof ANY | typeof STAR | CharacterClass;

interface CharacterClass {
  isNegated: boolean;
  /** Ranges, each a first and a last character. */
  ranges: number[];
}

/** A plain name, a pattern for one name, or `**` for any number of names. */
type Segment = string | Token[] | typeof GLOBSTAR;

export interface Pattern {
  segments: readonly Segment[];
  isNegated: boolean;
  isForFolders: boolean;
  /** A pattern without a slash is matched against the last name of a path. */
  isAnchored: boolean;
}

/** The steps that matching may still take. One match normally takes less than a millisecond. */
export interface Steps {
  left: number;
}

const ANY = Symbol('?');
const STAR = Symbol('*');
const GLOBSTAR = Symbol('**');
/** About ten milliseconds' worth. */
const MAX_STEPS = 2_000_000;
/** Nobody writes a longer pattern by hand. */
const MAX_PATTERN = 4_096;

export const newSteps = (): Steps => ({ left: MAX_STEPS });

/** Returns undefined for a line that never matches, such as a comment. */
export function parsePattern(line: string): Pattern | undefined {
  const text = withoutTrailingSpaces(line);
  if (text === '' || text.startsWith('#') || text.length > MAX_PATTERN) return undefined;
  const isNegated = text.startsWith('!');
  const positive = isNegated ? text.slice(1) : text;
  const isForFolders = positive.endsWith('/');
  const body = isForFolders ? positive.slice(0, -1) : positive;
  const segments = body === '' ? undefined : segmentsIn(body.replace(/^\//, ''));
  return segments && { segments, isNegated, isForFolders, isAnchored: body.includes('/') };
}

/** Removes trailing spaces, unless a backslash escapes them. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes++;
  return line.slice(0, end < line.length && backslashes % 2 === 1 ? end + 1 : end);
}

function segmentsIn(body: string): Segment[] | undefined {
  const segments: Segment[] = [];
  let tokens: Token[] = [];
  const end = () => {
    segments.push(segmentOf(tokens));
    tokens = [];
  };
  for (let at = 0; at < body.length; at++) {
    const character = body[at];
    if (character === '/') end();
    else if (character === '*') tokens.push(STAR);
    else if (character === '?') tokens.push(ANY);
    else if (character === '[') {
      const bracket = bracketAt(body, at);
      if (!bracket) return undefined;
      tokens.push(bracket.token);
      at = bracket.end;
    } else {
      if (character === '\\') at++;
      // The backslash is the last character.
      if (at === body.length) return undefined;
      if (body[at] === '/') end();
      else tokens.push(body.charCodeAt(at));
    }
  }
  end();
  return segments;
}

function segmentOf(tokens: readonly Token[]): Segment {
  if (tokens.length > 1 && tokens.every((one) => one === STAR)) return GLOBSTAR;
  const isPlain = (one: Token): one is number => typeof one === 'number';
  if (tokens.every(isPlain)) return String.fromCharCode(...tokens);
  return tokens.filter((one, at) => one !== STAR || tokens[at - 1] !== STAR);
}

/** Parses the bracket expression at this position; undefined if it isn't closed. */
function bracketAt(body: string, start: number): { token: CharacterClass; end: number } | undefined {
  let at = start + 1;
  const isNegated = body[at] === '!' || body[at] === '^';
  if (isNegated) at++;
  const ranges: number[] = [];
  let before: number | undefined;
  for (let isFirst = true; isFirst || body[at] !== ']'; isFirst = false) {
    if (at >= body.length) return undefined;
    const [, name] = /^\[:([a-z]*):\]/.exec(body.slice(at, at + 12)) ?? [];
    if (name !== undefined) {
      const known = CLASSES[name];
      if (!known) return undefined;
      ranges.push(...known);
      at += name.length + 4;
      before = undefined;
      continue;
    }
    const isRange = body[at] === '-' && before !== undefined && body[at + 1] !== ']' && at + 1 < body.length;
    if (isRange) at++;
    if (body[at] === '\\') at++;
    if (at >= body.length) return undefined;
    const code = body.charCodeAt(at++);
    ranges.push(isRange && before !== undefined ? before : code, code);
    before = isRange ? undefined : code;
  }
  return { token: { isNegated, ranges }, end: at };
}

const span = (text: string): number[] => [...text].map((one) => one.charCodeAt(0));

const CLASSES: Readonly<Record<string, number[]>> = {
  alnum: span('09AZaz'),
  alpha: span('AZaz'),
  blank: span('  \t\t'),
  cntrl: span('\x00\x1f\x7f\x7f'),
  digit: span('09'),
  graph: span('!~'),
  lower: span('az'),
  print: span(' ~'),
  punct: span('!/:@[`{~'),
  space: span('  \t\n\r\r'),
  upper: span('AZ'),
  xdigit: span('09AFaf'),
};

/**
 * Returns whether a path matches.
 * @param names of the path relative to the patterns' folder, at least one
 * @throws UserError if matching takes too long
 */
export function matchesPattern(pattern: Pattern, names: readonly string[], isFolder: boolean, steps: Steps): boolean {
  if (pattern.isForFolders && !isFolder) return false;
  if (pattern.isAnchored) return matchesPath(pattern.segments, names, steps);
  const [segment] = pattern.segments;
  return segment === GLOBSTAR || (segment !== undefined && matchesName(segment, names.at(-1) ?? '', steps));
}

/** After a later `**`, an earlier one needn't be tried again, as with stars in a name. */
function matchesPath(segments: readonly Segment[], names: readonly string[], steps: Steps): boolean {
  let [at, name] = [0, 0];
  let again: { at: number; name: number } | undefined;
  for (;;) {
    const segment = segments[at];
    if (segment === undefined && name === names.length) return true;
    if (segment === GLOBSTAR) {
      // At the end of a pattern, `**` stands for at least one name.
      if (at === segments.length - 1) return name < names.length;
      again = { at: ++at, name };
      continue;
    }
    const given = names[name];
    if (segment !== undefined && given !== undefined && matchesName(segment, given, steps)) {
      at++;
      name++;
      continue;
    }
    if (!again || again.name >= names.length) return false;
    again.name++;
    ({ at, name } = again);
  }
}

function matchesName(segment: Exclude<Segment, typeof GLOBSTAR>, name: string, steps: Steps): boolean {
  spend(steps, 1);
  if (typeof segment === 'string') return segment === name;
  let [at, character] = [0, 0];
  let again: { at: number; character: number } | undefined;
  while (character < name.length || at < segment.length) {
    spend(steps, 1);
    const token = segment[at];
    if (token === STAR) {
      if (at === segment.length - 1) return true;
      again = { at: ++at, character };
    } else if (token !== undefined && character < name.length && fitsToken(token, name.charCodeAt(character), steps)) {
      at++;
      character++;
    } else {
      if (!again || again.character >= name.length) return false;
      again.character++;
      ({ at, character } = again);
    }
  }
  return true;
}

function fitsToken(token: Exclude<Token, typeof STAR>, code: number, steps: Steps): boolean {
  if (token === ANY) return true;
  if (typeof token === 'number') return token === code;
  spend(steps, token.ranges.length);
  for (let at = 0; at < token.ranges.length; at += 2)
    if (code >= (token.ranges[at] ?? 0) && code <= (token.ranges[at + 1] ?? 0)) return !token.isNegated;
  return token.isNegated;
}

function spend(steps: Steps, count: number): void {
  steps.left -= count;
  if (steps.left < 0) throw new UserError('The .gitignore of this project, or the glob, takes too long to match.');
}
