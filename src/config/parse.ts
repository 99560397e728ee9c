/**
 * Parses YAML (and JSON, its subset) into plain data, within limits (promise 59). The result is a tree of objects,
 * arrays, strings, numbers, booleans and null; integers too large to be exact become strings, so that IDs keep every
 * digit.
 */
import { open } from 'node:fs/promises';
import type { Alias, Document } from 'yaml';
import { ConfigError, type ConfigProblem, problemWith } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { decodedText } from '../lib/text.ts';
import { say, type Wording } from '../messages/messages.ts';
import { keyMistake, mistakesIn, nonBreakingIn } from './yaml-mistakes.ts';

/** The limit of a file in bytes. A real one has a few thousand. */
const MAX_BYTES = 256 * 1024;
const MAX_ALIASES = 50;
/**
 * The limit of lines, keys, items and quotes in total. The library takes up to 40 µs for each, however short, and far
 * more for some errors.
 */
const MAX_MARKS = 8_000;
const MARK = /[\n,[\]{}"'*&!]|[-?:](?=\s)/g;
const MAX_DEPTH = 20;
const MAX_STRAYS = 10;

export type Data = null | boolean | number | string | Data[] | { [key: string]: Data };

/**
 * Reads a file of at most 256 KB.
 * @throws {ConfigError} if it is larger; other errors are Node's own
 */
export async function readBounded(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) break;
    }
    if (length > MAX_BYTES) {
      throw new ConfigError([problemWith('', say('config.tooLarge', { file, size: MAX_BYTES / 1024 }))]);
    }
    return decodedText(buffer.subarray(0, length));
  } finally {
    await handle.close();
  }
}

/**
 * Returns the data of a YAML text whose root is a mapping; `{}` if it has only comments.
 * @throws {ConfigError} with each syntax error or repeated key and its line, but never the line's content, which may be
 * a secret
 */
export async function parseYaml(text: string, file: string): Promise<{ [key: string]: Data }> {
  return (await parseYamlLines(text, file)).data;
}

/** Both count from 1. */
export interface Place {
  line: number;
  column: number;
}

export interface ParsedYaml {
  data: { [key: string]: Data };
  /** Returns the line of the key at a path, or of its nearest existing section, from 1. */
  lineOf(path: readonly PropertyKey[]): number;
  /** Returns where the setting with this dotted path is, or its nearest existing section; undefined for the root. */
  placeOf(path: string): Place | undefined;
}

/** Like `parseYaml`, with line numbers for error messages. */
export async function parseYamlLines(text: string, file: string): Promise<ParsedYaml> {
  const fail = (line: number, what: Wording) => problemWith('', say('config.inLine', { file, line, what }));
  if (text.trim() === '') {
    throw new ConfigError([problemAt(file, 1, say('yaml.empty'))]);
  }
  if (countOf(text, MARK) > MAX_MARKS)
    throw new ConfigError([fail(1, say('config.tooMany', { n: MAX_MARKS.toLocaleString('en') }))]);
  if (/\d{4000}/.test(text)) throw new ConfigError([fail(1, say('config.longNumber'))]);
  const { parseDocument, LineCounter, visit, isCollection, isMap, isNode, isScalar } = await import('yaml');
  const lines = new LineCounter();
  // The library's own check for repeated keys is quadratic (18 s for 30,000 keys), so it is done below.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    intAsBigInt: true,
  });
  const problems: ConfigProblem[] = [];
  const columnIn = (line: number) =>
    firstColumn(
      document.errors.map(({ pos }) => lines.linePos(pos[0])),
      line,
    );
  const mistakes = mistakesIn(text, document.errors, (at) => lines.linePos(at).line);
  for (const [line, what] of mistakes)
    problems.push({ ...problemAt(file, line, what), at: { line, column: columnIn(line) } });
  const placeAt = ({ range }: { range?: readonly number[] | null }): Place => {
    const { line, col: column } = lines.linePos(range?.[0] ?? 0);
    return { line, column };
  };
  const lineAt = (node: { range?: readonly number[] | null }) => placeAt(node).line;
  const stopDeep = (ancestors: readonly unknown[]) => {
    if (ancestors.length <= 2 * MAX_DEPTH + 2) return undefined;
    problems.push(fail(1, say('config.tooDeep', { n: MAX_DEPTH })));
    return visit.BREAK;
  };
  for (const alias of strayAliases(document, visit).slice(0, MAX_STRAYS))
    problems.push({ ...problemAt(file, lineAt(alias), say('yaml.reserved', { character: '*' })), at: placeAt(alias) });
  visit(document, {
    Seq: (_key, _list, ancestors) => stopDeep(ancestors),
    Map(_key, map, ancestors) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) {
          // The library converts such a key to text, in a time that doubles with each level (8 s for 400 bytes).
          if (isNode(key) && problems.length < 10)
            problems.push({ ...fail(lineAt(key), say('config.textKey')), at: placeAt(key) });
          continue;
        }
        const what = keyMistake(key, seen);
        const isKnown = what?.key === mistakes.get(lineAt(key))?.key;
        if (what && !isKnown && problems.length < 10) problems.push({ ...fail(lineAt(key), what), at: placeAt(key) });
      }
      return stopDeep(ancestors);
    },
  });
  if (problems.length > 0) throw new ConfigError(problems);
  const data = copyYaml(
    toJs(() => document.toJS({ maxAliasCount: MAX_ALIASES }), fail),
    fail,
    0,
  );
  if (data !== null && (typeof data !== 'object' || Array.isArray(data))) {
    throw new ConfigError([problemWithoutKeys(text, file)]);
  }
  return {
    data: data ?? {},
    lineOf(path) {
      const key = deepestKey(document.contents, path, { isMap, isCollection, isNode });
      return key ? lineAt(key) : 1;
    },
    placeOf(dotted) {
      const offset = offsetOf(document.contents, dotted, { isMap, isCollection, isNode });
      if (offset === undefined) return undefined;
      const { line, col: column } = lines.linePos(offset);
      return { line, column };
    },
  };
}

/** Returns the column of the first mistake on a line. */
const firstColumn = (places: readonly { line: number; col: number }[], line: number): number =>
  places.find((place) => place.line === line)?.col ?? 1;

interface NodeTests {
  isMap: typeof import('yaml').isMap;
  isCollection: typeof import('yaml').isCollection;
  isNode: typeof import('yaml').isNode;
}

/** Returns the key or item at a path, or the last one on the way to it that exists. */
function deepestKey(root: unknown, path: readonly PropertyKey[], { isMap, isCollection, isNode }: NodeTests) {
  let node = root;
  let deepest: { range?: readonly number[] | null } | undefined;
  for (const step of path) {
    const items = isMap(node) || isCollection(node) ? node.items : [];
    const pair = isMap(node) ? keyFirst(items, String(step)) : itemFirst(items, String(step));
    if (!pair || pair.name !== String(step) || !isNode(pair.key)) break;
    deepest = pair.key;
    node = pair.value;
  }
  return deepest;
}

/** Returns where the setting at a dotted path begins, or its nearest existing section. */
function offsetOf(root: unknown, dotted: string, { isMap, isCollection, isNode }: NodeTests): number | undefined {
  let node = root;
  let offset: number | undefined;
  for (let rest = dotted; rest !== ''; ) {
    const items = isMap(node) || isCollection(node) ? node.items : [];
    const step = isMap(node) ? keyFirst(items, rest) : itemFirst(items, rest);
    if (!step || !isNode(step.key)) break;
    offset = step.key.range?.[0];
    node = step.value;
    rest = rest.slice(step.name.length + 1);
  }
  return offset;
}

interface PathStep {
  key: unknown;
  value: unknown;
  name: string;
}

/** Finds the key that a dotted path begins with; the longest one, since a key may contain dots. */
function keyFirst(items: readonly unknown[], path: string): PathStep | undefined {
  const found = items
    .filter((item): item is { key: { value: unknown }; value: unknown } => isRecord(item) && isRecord(item.key))
    .map(({ key, value }) => ({ key, value, name: String(key.value) }))
    .filter(({ name }) => path === name || path.startsWith(`${name}.`));
  return found.sort((a, b) => b.name.length - a.name.length)[0];
}

function itemFirst(items: readonly unknown[], path: string): PathStep | undefined {
  const name = /^\d+(?=\.|$)/.exec(path)?.[0];
  const item = name === undefined ? undefined : items[Number(name)];
  return name === undefined || item === undefined ? undefined : { key: item, value: item, name };
}

/** Returns the aliases without an anchor before them: values that should have been in quotes. */
function strayAliases(document: Document, visit: typeof import('yaml').visit): Alias[] {
  const anchors = new Set<unknown>();
  const found: Alias[] = [];
  visit(document, {
    Value: (_key, { anchor }) => void anchors.add(anchor),
    Alias: (_key, alias) => void (anchors.has(alias.source) || found.push(alias)),
  });
  return found;
}

function countOf(text: string, mark: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(mark)) if (++count > MAX_MARKS) break;
  return count;
}

const problemAt = (file: string, line: number, what: Wording): ConfigProblem =>
  problemWith('', say('yaml.inLine', { file, line, what }));

/** Returns why a text has no keys. */
function problemWithoutKeys(text: string, file: string): ConfigProblem {
  const found = text.split('\n').map(nonBreakingIn);
  const line = found.findIndex((space) => space !== undefined);
  return problemAt(file, Math.max(line, 0) + 1, found[line] ?? say('yaml.noKeys'));
}

type Fail = (line: number, what: Wording) => ConfigProblem;

function toJs(make: () => unknown, fail: Fail): unknown {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ConfigError([fail(1, say('config.aliases'))], { cause: error });
  }
}

/** Copies a value. Limits the depth, because an alias inside its own anchor would never end. */
function copyYaml(value: unknown, fail: Fail, depth: number): Data {
  if (depth > MAX_DEPTH) throw new ConfigError([fail(1, say('config.tooDeep', { n: MAX_DEPTH }))]);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map((item) => copyYaml(item, fail, depth + 1));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyYaml(item, fail, depth + 1)]));
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
