/** The YAML of a front matter as plain data, bounded before and after it is parsed (promise 56). Nothing in it is ever executed. */
import { isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { UserError } from '../errors.ts';
import { isRecord } from '../lib/json.ts';

/** Characters. A real front matter has some hundreds; the parser takes about 0.1 s for this many in their worst shape. */
export const MAX_FRONT = 16 * 1024;
const MAX_ALIASES = 20;
const MAX_DEPTH = 12;

export interface FrontMatter {
  keys: Map<string, unknown>;
  /** Keys that were left out: what stands below them is no YAML, and they mean nothing here. */
  unread: readonly string[];
}

/**
 * The keys of a front matter. A description with a colon, a star or a quotation mark in it is read as text although YAML would not have
 * it, and a key that means nothing here is left out where it is no YAML: many published bundles are written like that. One that says what
 * a skill needs or who may call it is never left out.
 * @throws UserError with the line, counted in the file: the text begins where the fence above it ends
 */
export function readYaml(text: string): FrontMatter {
  if (text.length > MAX_FRONT) throw tooLongFront();
  const first = parse(MARKED.test(text) ? quoteDescription(text) : text);
  const [error] = first.document.errors;
  if (!error) return { keys: keysOf(first), unread: [] };
  const quoted = parse(quoteDescription(text));
  if (quoted.document.errors.length === 0) return { keys: keysOf(quoted), unread: [] };
  const { rest, unread } = tooDeep(first) ? { rest: text, unread: [] } : withoutUnread(text);
  for (const attempt of unread.length === 0 ? [] : [rest, quoteDescription(rest)]) {
    const read = parse(attempt);
    if (read.document.errors.length === 0) return { keys: keysOf(read), unread };
  }
  throw new UserError(`line ${first.lines.linePos(error.pos[0]).line}: ${error.message}`);
}

export const tooLongFront = () => new UserError(`the front matter is longer than ${MAX_FRONT / 1024} KB`);

/** What nobody has written by hand is refused whole. */
const tooDeep = ({ document }: ReturnType<typeof parse>): boolean =>
  document.errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION');

function keysOf({ document, lines }: ReturnType<typeof parse>): Map<string, unknown> {
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) {
          const line = isNode(key) ? lines.linePos(key.range?.[0] ?? 0).line : 1;
          // The library makes a text of it, in a time that doubles with each level.
          throw new UserError(`line ${line}: expected a text as key`);
        }
        if (seen.has(key.value)) {
          const { line } = lines.linePos(key.range?.[0] ?? 0);
          throw new UserError(`line ${line}: the key "${String(key.value)}" appears twice`);
        }
        seen.add(key.value);
      }
    },
  });
  const data = plain(
    toJs(() => document.toJS({ maxAliasCount: MAX_ALIASES })),
    0,
  );
  if (!isRecord(data)) throw new UserError('the front matter has no keys ("name: ...")');
  return new Map(Object.entries(data));
}

function parse(text: string) {
  const lines = new LineCounter();
  // Repeated keys are looked for above: the library does it in quadratic time.
  return { lines, document: parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false }) };
}

/** What is read of a front matter, in any spelling: with a mistake in one of these the bundle does not load. */
const MEANT = new Set(
  [
    ...['name', 'description', 'parameters', 'metadata', 'platforms', 'install', 'requires', 'prerequisites', 'os'],
    ...['bins', 'commands', 'anyBins', 'env', 'env_vars', 'envVars', 'required_environment_variables'],
    ...['allowed-tools', 'disable-model-invocation', 'user-invocable'],
  ].map(spelt),
);

function spelt(key: string): string {
  return key.toLowerCase().replace(/[^a-z]/g, '');
}

/** A key at the beginning of a line, with the lines up to the next one. */
const KEY = /^([A-Za-z_][\w-]*):(?=\s)[^\n]*(?:\n(?![A-Za-z_][\w-]*:\s)[^\n]*)*/gm;

/** The text without the keys that mean nothing here and are no YAML by themselves; as many lines as it had. */
function withoutUnread(text: string): { rest: string; unread: string[] } {
  const unread: string[] = [];
  const rest = text.replace(KEY, (lines, key: string) => {
    if (MEANT.has(spelt(key)) || parse(`${lines}\n`).document.errors.length === 0) return lines;
    unread.push(key);
    return '\n'.repeat(lines.split('\n').length - 1);
  });
  return { rest, unread };
}

/**
 * Its words begin with a mark of YAML, most often the stars of Markdown, or they hold one that would end them: `#5` and `#general` are
 * words, a `#` with a space behind it begins a comment.
 */
const MARKED = /^description:[ \t]+(?:[*&!%@`]|[^\s"'|>[{#](?:.*\n(?=[ \t]))*.*[ \t]#[^\s#])/m;
const COMMENT = /(?<![ \t])[ \t]+#(?:[ \t!].*)?$/;

/** The lines of the description, up to the next key. */
const DESCRIPTION = /^description:([ \t][^\n]*(?:\n(?![A-Za-z_][\w-]*:|---)[^\n]*)*)/m;

/** The description as one text, whatever marks of YAML it holds; a block of lines is one already. */
function quoteDescription(text: string): string {
  return text.replace(DESCRIPTION, (lines, value: string) => {
    const isQuoted = /^\s*["']/.test(value);
    const said = value.split('\n').filter((line) => !line.startsWith('#'));
    const words = (isQuoted ? value : said.map((line) => line.replace(COMMENT, '')).join('\n'))
      .trim()
      .replace(/\s*\n\s*/g, ' ');
    if (words === '' || /^[|>][+-]?\d*(\s|$)/.test(value.trim())) return lines;
    const [, quoted] = /^"(.*)"$/s.exec(words) ?? /^'(.*)'$/s.exec(words) ?? [];
    // As many lines as it had: a line is named in what is told of the others.
    return `description: ${JSON.stringify(quoted ?? words)}${'\n'.repeat(value.split('\n').length - 1)}`;
  });
}

function toJs(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    if (error instanceof ReferenceError)
      throw new UserError('too many aliases (*name) in the front matter', { cause: error });
    throw error;
  }
}

/** Copies what JSON has; a repeated alias is a copy each time, one inside its own anchor ends at the depth. */
function plain(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new UserError(`the front matter is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  if (isRecord(value)) {
    if (Object.hasOwn(value, '__proto__')) throw new UserError('the key "__proto__" is reserved');
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, depth + 1)]));
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
