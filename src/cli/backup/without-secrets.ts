/** Replaces each secret in a configuration's text with `${NAME}`; everything else stays as its owner wrote it. */
import type { Document, Node } from 'yaml';
import { variableOf } from '../../config/channel-variables.ts';
import { parseYaml } from '../../config/parse.ts';
import { isVariable } from '../../config/secret-names.ts';
import { isSecretNumber, itemBefore, replaceSpans, type Span, schemeOf, secretSpans } from '../../config/secrets.ts';

export interface CleanedText {
  text: string;
  /** Variables that the result needs, sorted. */
  variables: string[];
}

/** A value in the file, with its position. */
interface Leaf {
  from: number;
  to: number;
  value: string;
  path: readonly PropertyKey[];
  before: string | undefined;
  /** A number is secret as a whole or not at all. */
  isNumber: boolean;
}

const MAX_DEPTH = 20;
/** A known secret of at least this length is also replaced wherever else it occurs. */
const TELLING = 8;

/** @throws {ConfigError} if the text can't be parsed, and so can't be checked */
export async function withoutSecrets(text: string, file: string): Promise<CleanedText> {
  await parseYaml(text, file);
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { uniqueKeys: false, intAsBigInt: true });
  const names = createNames();
  const leaves = leavesOf(document, yaml).map((leaf) => ({ ...leaf, spans: spansOf(leaf) }));
  for (const leaf of leaves) for (const span of plainPieces(leaf.value, leaf.spans)) names.of(leaf, span);
  const edits = new Map<number, { to: number; by: string }>();
  for (const leaf of leaves) {
    const clean = names.inPlace(cleaned(leaf, leaf.spans, names.of));
    if (clean === leaf.value) continue;
    // A block scalar includes its final line break.
    const end = text[leaf.to - 1] === '\n' ? '\n' : '';
    edits.set(leaf.from, { to: leaf.to, by: JSON.stringify(clean) + end });
  }
  for (const { from, source } of commentsOf(text, yaml)) {
    const clean = names.outOf(replaceSpans(source, commentSpans(source), () => '[secret]'));
    if (clean !== source) edits.set(from, { to: from + source.length, by: clean });
  }
  let [out, at] = ['', 0];
  for (const [from, { to, by }] of [...edits].sort(([a], [b]) => a - b)) {
    out += text.slice(at, from) + by;
    at = to;
  }
  const clean = out + text.slice(at);
  return { text: clean, variables: variablesIn(clean) };
}

/** Returns the variables that must be set where the file is used, sorted. Lines that are comments need none. */
export const variablesIn = (text: string): string[] =>
  [
    ...new Set(
      [...text.replaceAll(/^[ \t]*#.*$/gm, '').matchAll(REFERENCE)].flatMap(([, name, instead]) =>
        name && !instead ? [name] : [],
      ),
    ),
  ].sort();

type Yaml = typeof import('yaml');

/** Returns each value for every place where it applies: an aliased value belongs to each alias. */
function leavesOf(document: Document, { isAlias, isMap, isScalar, isSeq, isNode }: Yaml): Leaf[] {
  const found: Leaf[] = [];
  const textOf = (node: unknown): string | undefined => {
    const meant = isAlias(node) ? node.resolve(document) : node;
    return isScalar(meant) && typeof meant.value === 'string' ? meant.value : undefined;
  };
  const walk = (node: Node, path: readonly PropertyKey[], before: string | undefined, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (isAlias(node)) {
      const meant = node.resolve(document);
      if (meant) walk(meant, path, before, depth + 1);
    } else if (isMap(node)) {
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : '';
        // Merged keys count as if they were written there.
        if (isNode(value)) walk(value, name === '<<' ? path : [...path, name], undefined, depth + 1);
      }
    } else if (isSeq(node)) {
      const texts = node.items.map(textOf);
      for (const [at, item] of node.items.entries())
        if (isNode(item)) walk(item, [...path, at], itemBefore(texts, at), depth + 1);
    } else if (isScalar(node) && node.range) {
      const [from, to] = node.range;
      const isNumber = typeof node.value === 'number' || typeof node.value === 'bigint';
      if (typeof node.value !== 'string' && !isNumber) return;
      found.push({
        from,
        to,
        value: isNumber ? (node.source ?? String(node.value)) : String(node.value),
        path,
        before,
        isNumber,
      });
    }
  };
  if (document.contents) walk(document.contents, [], undefined, 0);
  // The place where most of the value is secret comes last and so decides.
  return found.sort((a, b) => spansOf(a).length - spansOf(b).length);
}

const spansOf = ({ value, path, before, isNumber }: Leaf): Span[] =>
  isNumber && isSecretNumber(value, path, before)
    ? [{ from: 0, to: value.length, isSure: true }]
    : secretSpans(value, path, before);

const REFERENCE = /(?<!\$)\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/g;

/** Keeps references, except for a default that is or contains a secret. */
function cleaned(leaf: Leaf, spans: readonly Span[], nameOf: (leaf: Leaf, span: Span) => string): string {
  const { value } = leaf;
  const references = [...value.matchAll(REFERENCE)].map((found) => ({
    from: found.index,
    to: found.index + found[0].length,
    by: found[2] === undefined ? found[0] : `\${${found[1]}}`,
  }));
  const pieces = plainPieces(value, spans).map((piece) => ({ ...piece, by: `\${${nameOf(leaf, piece)}}` }));
  const touched = references.filter(({ from, to }) => spans.some((span) => span.from < to && span.to > from));
  let [out, at] = ['', 0];
  for (const { from, to, by } of [...pieces, ...touched].sort((a, b) => a.from - b.from)) {
    out += value.slice(at, from) + by;
    at = to;
  }
  return out + value.slice(at);
}

/** Returns the literal pieces of secret parts: not references, separators or scheme words. */
function plainPieces(value: string, spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const { from: start, to: end, isSure } of spans) {
    let from = start;
    const add = (to: number) => {
      const piece = value.slice(from, to);
      if (/[\p{L}\p{N}]/u.test(piece) && schemeOf(`${piece.trim()} `) <= piece.trim().length)
        found.push({ from, to, isSure });
    };
    for (const reference of value.matchAll(REFERENCE)) {
      const to = reference.index + reference[0].length;
      if (to <= from || reference.index >= end) continue;
      if (reference.index > from) add(reference.index);
      from = to;
    }
    if (from < end) add(end);
  }
  return found;
}

interface Names {
  of(leaf: Leaf, span: Span): string;
  /** Replaces known secrets in a text with references. */
  inPlace(text: string): string;
  /** Masks known secrets in a comment. */
  outOf(text: string): string;
}

function createNames(): Names {
  const byName = new Map<string, string>();
  const telling = new Map<string, string>();
  const known = () => [...telling].sort(([a], [b]) => b.length - a.length);
  return {
    of(leaf, { from, to, isSure }) {
      const part = leaf.value.slice(from, to);
      const wished = wishesFor(leaf, from);
      const free =
        wished.find((name) => (byName.get(name) ?? part) === part) ?? numbered(wished.at(-1) ?? '', byName, part);
      byName.set(free, part);
      if (isSure && part.length >= TELLING) telling.set(part, free);
      return free;
    },
    inPlace: (text) => known().reduce((clean, [part, name]) => clean.replaceAll(part, () => `\${${name}}`), text),
    outOf: (text) => known().reduce((clean, [part]) => clean.replaceAll(part, '[secret]'), text),
  };
}

function numbered(name: string, taken: ReadonlyMap<string, string>, part: string): string {
  for (let count = 2; ; count++) if ((taken.get(`${name}_${count}`) ?? part) === part) return `${name}_${count}`;
}

/** Returns candidate names for the variable, best first. */
function wishesFor({ value, path, before }: Leaf, from: number): string[] {
  const own = /([A-Za-z_]\w*)=["']?$/.exec(value.slice(0, from))?.[1];
  const last = String(path.at(-1));
  const option = own ?? (before?.startsWith('-') ? before : undefined);
  const whole = path.filter((step) => typeof step === 'string');
  const wishes = [
    variableOf(path),
    isVariable(path) ? last : undefined,
    path[0] === 'providers' && path.length === 3 ? `${String(path[1])}_${last}` : undefined,
    own !== undefined && /^[A-Z][A-Z\d_]+$/.test(own) ? own : undefined,
    [...whole, ...(option === undefined ? [] : [option])].join('_'),
  ];
  return wishes.filter((wish) => wish !== undefined).map(asVariable);
}

function asVariable(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name) && name === name.toUpperCase()) return name;
  const upper = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase();
  return upper
    .replace(/[^A-Z\d]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d|$)/, 'SECRET_');
}

/** Comments often contain earlier settings, including variables whose names don't look secret. */
function commentSpans(source: string): Span[] {
  const plain = secretSpans(source, []);
  const variables = [...source.matchAll(/\b([A-Z][A-Z\d_]{2,})\s*[:=]\s*(\S.*)/g)].map((found) => {
    const to = found.index + found[0].length;
    return { from: to - (found[2]?.length ?? 0), to, isSure: true };
  });
  const all = [...plain, ...variables].filter(
    ({ from, to }) => plainPieces(source, [{ from, to, isSure: true }]).length > 0,
  );
  return all
    .sort((a, b) => a.from - b.from || b.to - a.to)
    .filter((span, at) => all.slice(0, at).every(({ to }) => to <= span.from));
}

function commentsOf(text: string, { Parser }: Yaml): { from: number; source: string }[] {
  const found: { from: number; source: string }[] = [];
  const look = (token: unknown): void => {
    if (Array.isArray(token)) for (const each of token) look(each);
    else if (typeof token === 'object' && token !== null) {
      const { type, offset, source } = token as { type?: unknown; offset?: unknown; source?: unknown };
      if (type === 'comment' && typeof offset === 'number' && typeof source === 'string')
        found.push({ from: offset, source });
      else for (const each of Object.values(token)) if (typeof each === 'object') look(each);
    }
  };
  for (const token of new Parser().parse(text)) look(token);
  return found;
}
