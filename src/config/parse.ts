/**
 * YAML (and JSON, which is YAML) from a file into plain data, bounded (promise 59). What comes out is a tree of objects, arrays,
 * strings, numbers, booleans and null; whole numbers too large to be exact are strings, so that ids keep every digit.
 */
import { open } from 'node:fs/promises';
import { ConfigError, type ConfigProblem } from '../errors.ts';
import { decodedText } from '../lib/text.ts';
import { messagesIn, type Said, say } from '../messages/messages.ts';
import { mistakesIn } from './yaml-mistakes.ts';

/** Bytes. A real file has a few thousand. */
const MAX_BYTES = 256 * 1024;
const MAX_ALIASES = 50;
/** Lines, keys, items and quotes together. The library takes up to 40 µs for each of them, however short they are, and for some mistakes far more. */
const MAX_MARKS = 8_000;
const MARK = /[\n,[\]{}"'*&!]|[-?:](?=\s)/g;
const MAX_DEPTH = 20;

export type Data = null | boolean | number | string | Data[] | { [key: string]: Data };

/** The text of a file, at most 256 KB. Throws ConfigError when it is larger, and Node's own errors. */
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
      throw new ConfigError([{ path: '', message: `${file}: larger than ${MAX_BYTES / 1024} KB` }]);
    }
    return decodedText(buffer.subarray(0, length));
  } finally {
    await handle.close();
  }
}

/**
 * The data of a YAML text whose top is a mapping; `{}` when it holds only comments. Throws ConfigError, one problem for
 * each syntax error or repeated key, with its line; never with the line's content, which may be a secret.
 */
export async function parseYaml(text: string, file: string): Promise<{ [key: string]: Data }> {
  return (await parseYamlLines(text, file)).data;
}

export interface ParsedYaml {
  data: { [key: string]: Data };
  /** The line of a path's key, or of the nearest section above it that is there; the first line is 1. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** As `parseYaml`, for those who name the line of what is wrong. */
export async function parseYamlLines(text: string, file: string): Promise<ParsedYaml> {
  const fail = (line: number, message: string) => ({ path: '', message: `${file} line ${line}: ${message}` });
  if (text.trim() === '') {
    throw new ConfigError([problemAt(file, 1, say('yaml.empty'))]);
  }
  if (countOf(text, MARK) > MAX_MARKS)
    throw new ConfigError([
      fail(1, `more than ${MAX_MARKS.toLocaleString('en')} lines, keys, items and quotes together`),
    ]);
  if (/\d{4000}/.test(text)) throw new ConfigError([fail(1, 'a number of more than 4,000 digits')]);
  const { parseDocument, LineCounter, visit, isCollection, isMap, isNode, isScalar } = await import('yaml');
  const lines = new LineCounter();
  // The library looks for repeated keys in quadratic time (30,000 keys take 18 s): it is done below instead.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    intAsBigInt: true,
  });
  const problems: ConfigProblem[] = [];
  for (const [line, what] of mistakesIn(text, document.errors, (at) => lines.linePos(at).line))
    problems.push(problemAt(file, line, what));
  const lineAt = ({ range }: { range?: readonly number[] | null }) => lines.linePos(range?.[0] ?? 0).line;
  const stopDeep = (ancestors: readonly unknown[]) => {
    if (ancestors.length <= 2 * MAX_DEPTH + 2) return undefined;
    problems.push(fail(1, `nested deeper than ${MAX_DEPTH} levels`));
    return visit.BREAK;
  };
  visit(document, {
    Seq: (_key, _list, ancestors) => stopDeep(ancestors),
    Map(_key, map, ancestors) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) {
          // The library makes a text of it, in a time that doubles with each level (400 bytes take 8 s).
          if (isNode(key) && problems.length < 10) problems.push(fail(lineAt(key), 'expected a text as key'));
          continue;
        }
        if (seen.has(key.value) && problems.length < 10) {
          problems.push(fail(lineAt(key), `the key "${String(key.value)}" appears twice`));
        }
        seen.add(key.value);
      }
      return stopDeep(ancestors);
    },
  });
  if (problems.length > 0) throw new ConfigError(problems);
  const data = plain(
    toJs(() => document.toJS({ maxAliasCount: MAX_ALIASES }), fail),
    fail,
    0,
  );
  if (data !== null && (typeof data !== 'object' || Array.isArray(data))) {
    throw new ConfigError([problemAt(file, 1, say('yaml.noKeys'))]);
  }
  return {
    data: data ?? {},
    lineOf(path) {
      let node: unknown = document.contents;
      let line = 1;
      for (const step of path) {
        const pair = isMap(node)
          ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
          : undefined;
        const item = isCollection(node) && !isMap(node) ? node.items[Number(step)] : pair?.value;
        const place = pair?.key ?? item;
        if (!isNode(place)) break;
        line = lineAt(place);
        node = item;
      }
      return line;
    },
  };
}

function countOf(text: string, mark: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(mark)) if (++count > MAX_MARKS) break;
  return count;
}

function problemAt(file: string, line: number, what: Said): ConfigProblem {
  const said = say('yaml.inLine', { file, line, what });
  return { path: '', message: messagesIn('en').said(said), said };
}

type Fail = (line: number, message: string) => { path: string; message: string };

function toJs(make: () => unknown, fail: Fail): unknown {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ConfigError([fail(1, 'too many aliases (*name)')], { cause: error });
  }
}

/** Copies; an alias inside its own anchor would go on for ever, hence the depth. */
function plain(value: unknown, fail: Fail, depth: number): Data {
  if (depth > MAX_DEPTH) throw new ConfigError([fail(1, `nested deeper than ${MAX_DEPTH} levels`)]);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map((item) => plain(item, fail, depth + 1));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, fail, depth + 1)]));
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
