/**
 * Parses the YAML of a front matter into plain data, bounded before and after parsing (promise 56). Never executes
 * anything in it.
 */
import { isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { UserError } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { say } from '../messages/messages.ts';

/**
 * In characters. A real front matter has some hundreds; the parser takes about 0.1 s for this many in the worst case.
 */
export const MAX_FRONT = 16 * 1024;
const MAX_ALIASES = 20;
const MAX_DEPTH = 12;

export interface FrontMatter {
  keys: Map<string, unknown>;
  /** Keys left out because their value isn't valid YAML and they have no meaning here. */
  unread: readonly string[];
}

/**
 * Returns the keys of a front matter. Many published bundles break YAML, so a description with a colon, a star or a
 * quotation mark is read as text, and a key without meaning here is left out if it isn't valid YAML. A key that says
 * what a skill needs or who may call it is never left out.
 * @throws UserError with the line, counted in the file: the text begins where the fence above it ends
 */
export function readYaml(text: string): FrontMatter {
  if (text.length > MAX_FRONT) throw tooLongFront();
  const first = parseFrontMatterYaml(MARKED.test(text) ? quoteDescription(text) : text);
  const [error] = first.document.errors;
  if (!error) return { keys: readKeyLines(first), unread: [] };
  const quoted = parseFrontMatterYaml(quoteDescription(text));
  if (quoted.document.errors.length === 0) return { keys: readKeyLines(quoted), unread: [] };
  const { rest, unread } = tooDeep(first) ? { rest: text, unread: [] } : withoutUnread(text);
  for (const attempt of unread.length === 0 ? [] : [rest, quoteDescription(rest)]) {
    const read = parseFrontMatterYaml(attempt);
    if (read.document.errors.length === 0) return { keys: readKeyLines(read), unread };
  }
  const { line } = first.lines.linePos(error.pos[0]);
  throw new UserError(say('skillFiles.inLine', { line, what: error.message }));
}

export const tooLongFront = () => new UserError(say('skillFiles.longFront', { kb: MAX_FRONT / 1024 }));

/** Input that nobody wrote by hand is rejected as a whole. */
const tooDeep = ({ document }: ReturnType<typeof parseFrontMatterYaml>): boolean =>
  document.errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION');

function readKeyLines({ document, lines }: ReturnType<typeof parseFrontMatterYaml>): Map<string, unknown> {
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) {
          const line = isNode(key) ? lines.linePos(key.range?.[0] ?? 0).line : 1;
          // The library would stringify it, in time that doubles with each level.
          throw new UserError(say('skillFiles.inLine', { line, what: say('skillFiles.textKey') }));
        }
        if (seen.has(key.value)) {
          const { line } = lines.linePos(key.range?.[0] ?? 0);
          const what = say('skillFiles.twiceKey', { key: String(key.value) });
          throw new UserError(say('skillFiles.inLine', { line, what }));
        }
        seen.add(key.value);
      }
    },
  });
  const data = copyData(
    toJs(() => document.toJS({ maxAliasCount: MAX_ALIASES })),
    0,
  );
  if (!isRecord(data)) throw new UserError(say('skillFiles.noKeys'));
  return new Map(Object.entries(data));
}

function parseFrontMatterYaml(text: string) {
  const lines = new LineCounter();
  // Duplicate keys are checked above: the library takes quadratic time.
  return { lines, document: parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false }) };
}

/** Keys that are read here, in any spelling: a mistake in one of them keeps the bundle from loading. */
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

/** A key at the start of a line, with the lines up to the next one. */
const KEY = /^([A-Za-z_][\w-]*):(?=\s)[^\n]*(?:\n(?![A-Za-z_][\w-]*:\s)[^\n]*)*/gm;

/** Removes keys that have no meaning here and aren't valid YAML on their own, keeping the number of lines. */
function withoutUnread(text: string): { rest: string; unread: string[] } {
  const unread: string[] = [];
  const rest = text.replace(KEY, (lines, key: string) => {
    if (MEANT.has(spelt(key)) || parseFrontMatterYaml(`${lines}\n`).document.errors.length === 0) return lines;
    unread.push(key);
    return '\n'.repeat(lines.split('\n').length - 1);
  });
  return { rest, unread };
}

/**
 * Matches a description that begins with a YAML mark, most often a Markdown star, or contains one that would end it:
 * `#5` and `#general` are words, a `#` followed by a space begins a comment.
 */
const MARKED = /^description:[ \t]+(?:[*&!%@`]|[^\s"'|>[{#](?:.*\n(?=[ \t]))*.*[ \t]#[^\s#])/m;
const COMMENT = /(?<![ \t])[ \t]+#(?:[ \t!].*)?$/;

/** The lines of the description, up to the next key. */
const DESCRIPTION = /^description:([ \t][^\n]*(?:\n(?![A-Za-z_][\w-]*:|---)[^\n]*)*)/m;

/** Quotes the description as one string, whatever YAML marks it has; a block scalar stays as it is. */
function quoteDescription(text: string): string {
  return text.replace(DESCRIPTION, (lines, value: string) => {
    const isQuoted = /^\s*["']/.test(value);
    const said = value.split('\n').filter((line) => !line.startsWith('#'));
    const words = (isQuoted ? value : said.map((line) => line.replace(COMMENT, '')).join('\n'))
      .trim()
      .replace(/\s*\n\s*/g, ' ');
    if (words === '' || /^[|>][+-]?\d*(\s|$)/.test(value.trim())) return lines;
    const [, quoted] = /^"(.*)"$/s.exec(words) ?? /^'(.*)'$/s.exec(words) ?? [];
    // Keep the number of lines, since errors elsewhere name their line.
    return `description: ${JSON.stringify(quoted ?? words)}${'\n'.repeat(value.split('\n').length - 1)}`;
  });
}

function toJs(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    if (error instanceof ReferenceError) throw new UserError(say('skillFiles.aliases'), { cause: error });
    throw error;
  }
}

/** Copies JSON data. A repeated alias is copied each time; one inside its own anchor stops at the depth limit. */
function copyData(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new UserError(say('skillFiles.deepFront', { n: MAX_DEPTH }));
  if (Array.isArray(value)) return value.map((item) => copyData(item, depth + 1));
  if (isRecord(value)) {
    if (Object.hasOwn(value, '__proto__')) throw new UserError(say('skillFiles.protoKey'));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyData(item, depth + 1)]));
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
