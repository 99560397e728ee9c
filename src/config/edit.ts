/** Changes single settings of a configuration file that people edit too: keeps comments, order and all other keys. */
import { isDeepStrictEqual } from 'node:util';
import type { Document, Node, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { ConfigError, problemWith } from '../errors.ts';
import { editText, keepLetters } from '../lib/files.ts';
import { isRecord } from '../lib/json.ts';
import { decodedText } from '../lib/text.ts';
import { say } from '../messages/messages.ts';
import { isSameKey } from './spelling.ts';

export interface Setting {
  /** A number is an index into a list. */
  path: readonly (string | number)[];
  /** Undefined removes the setting. */
  value: unknown;
}

/** Returns a function that puts these settings into a text. It throws ConfigError if the text is invalid. */
async function settingIn(file: string, settings: readonly Setting[]): Promise<(text: string) => string> {
  if (file.endsWith('.json')) return (text) => jsonWith(decodedText(Buffer.from(text)), settings, file);
  const yaml = await import('yaml');
  const { withoutLines } = await import('./removal.ts');
  const written = (text: string, given: readonly Setting[]): string => {
    const document = yaml.parseDocument(text);
    const [problem] = document.errors;
    if (problem) throw new ConfigError([problemWith('', say('config.fixFirst', { file, why: problem.code }))]);
    for (const setting of given) putSetting(yaml, document, setting, file);
    const withoutReferences = text.replace(/\$\{[^{}]*\}/g, '');
    // The library writes its own line ends, but a person's editor may use those of Windows.
    const indent = INDENT.exec(text)?.[2]?.length ?? 2;
    const whole = document.toString({
      lineWidth: 0,
      indent,
      flowCollectionPadding: !(withoutReferences.includes('{') ? /\{\S|\S\}/ : /\[\S|\S\]/).test(withoutReferences),
    });
    const shown = document.contents === null ? whole.replace(/(^|\n)null\n$/, '$1') : whole;
    const kept = keepLines(shown, text.replaceAll('\r\n', '\n'));
    const read = yaml.parseDocument(kept);
    const isSame = read.errors.length === 0 && isDeepStrictEqual(read.toJS(), yaml.parse(shown));
    const result = isSame ? kept : shown;
    return text.includes('\r\n') ? result.replace(/\r?\n/g, '\r\n') : result;
  };
  // The library counts a comment below a section to that section, and would remove it with it.
  const without = (text: string, setting: Setting): string => {
    const result = written(text, [setting]);
    return (
      withoutLines(yaml, text, pathInFile(yaml, yaml.parseDocument(text), setting.path), yaml.parse(result)) ?? result
    );
  };
  const isRemoval = settings.every(({ value }) => value === undefined);
  return (text) => (isRemoval ? settings.reduce(without, text) : written(text, settings));
}

/** A key, and by how much the first line of its section is further in. */
const INDENT = /^( *)[^ \n#-][^\n]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*\1( {2,8})[^ \n#]/m;

/** Keeps the original form of lines that differ only in their spaces: the library formats all brackets alike. */
function keepLines(shown: string, text: string): string {
  const squeeze = (line: string) => line.replace(/\s+/g, '');
  const before = Map.groupBy(text.split('\n'), squeeze);
  return shown
    .split('\n')
    .map((line) => before.get(squeeze(line))?.shift() ?? line)
    .join('\n');
}

type Yaml = typeof import('yaml');

/** Puts one setting where it belongs. Keeps what a person has written: comments, anchors, and the values of aliases. */
function putSetting(yaml: Yaml, document: Document, { path: given, value }: Setting, file: string): void {
  const path = pathInFile(yaml, document, given);
  for (let depth = 0; depth < path.length; depth++) {
    const above = path.slice(0, depth);
    const isList = typeof given[depth] === 'number';
    const old = depth === 0 ? document.contents : document.getIn(above, true);
    const there = yaml.isAlias(old) ? document.createNode(old.resolve(document)?.toJS(document)) : old;
    if (isList ? yaml.isSeq(there) : yaml.isMap(there)) {
      if (there !== old) document.setIn(above, there);
      if (yaml.isCollection(there)) {
        if (there.items.length === 0) there.flow = false;
        keepShared(yaml, document, new Set(there.anchor === undefined ? [] : [there.anchor]));
      }
      continue;
    }
    // A section with only comments parses as null.
    const isEmpty = there === undefined || there === null || (yaml.isScalar(there) && there.value === null);
    if (!isEmpty) throw misplaced(file, above);
    const section = isList ? new yaml.YAMLSeq() : new yaml.YAMLMap();
    if (yaml.isScalar(there)) keepComments(there, section);
    if (depth === 0) document.contents = section as typeof document.contents;
    else document.setIn(above, section);
  }
  const old = document.getIn(path, true);
  if (yaml.isNode(old)) keepShared(yaml, document, anchorsIn(yaml, old));
  if (value !== undefined) {
    document.setIn(path, nodeWith(yaml, document, old, value));
    return;
  }
  document.deleteIn(path);
  const { contents } = document;
  if (!yaml.isMap(contents) || contents.items.length > 0) return;
  // Comments alone are a file without settings; without them, only `{}` tells it from one that was half written.
  document.commentBefore ??= contents.commentBefore ?? null;
  if (document.commentBefore) document.contents = null;
}

/** Returns the old node with the new value where it can hold it, which keeps its comment and those of items that stay. */
function nodeWith(yaml: Yaml, document: Document, old: unknown, value: unknown): Node {
  if (yaml.isScalar(old) && typeof value !== 'object') {
    delete old.anchor;
    delete old.tag;
    old.value = value;
    return old;
  }
  if (yaml.isSeq<Node>(old) && Array.isArray(value)) {
    if (old.items.length === 0) old.flow = false;
    const left = [...old.items];
    old.items = value.map((item) => {
      const at = left.findIndex((node) => isDeepStrictEqual(node.toJS(document), item));
      return left.splice(at < 0 ? left.length : at, 1)[0] ?? document.createNode(item);
    });
    return old;
  }
  const put = document.createNode(value);
  if (yaml.isScalar(old) && yaml.isCollection(put)) keepComments(old, put as YAMLMap | YAMLSeq);
  return put;
}

function anchorsIn(yaml: Yaml, node: Node): Set<string> {
  const anchors = new Set<string>();
  const take = (_key: unknown, { anchor }: { anchor?: string }) => void (anchor !== undefined && anchors.add(anchor));
  yaml.visit(node, { Scalar: take, Collection: take });
  return anchors;
}

/** Settings that share what is changed or removed keep it. */
function keepShared(yaml: Yaml, document: Document, anchors: ReadonlySet<string>): void {
  if (anchors.size === 0) return;
  yaml.visit(document, {
    Alias: (_key, alias) =>
      anchors.has(alias.source) ? document.createNode(alias.resolve(document)?.toJS(document)) : undefined,
  });
}

/** Sections whose keys are names that people choose: similar ones are different. */
const NAMES =
  /^(mcp|providers|prices|conversations|channels|http\.clients|skills\.env(\.[^.]+)?|mcp\.[^.]+\.env|(.+\.)?headers)$/;

/** Returns the path with the keys as the file spells them, so that none is there twice: in two spellings, or as a number. */
function pathInFile(yaml: Yaml, document: Document, path: Setting['path']): unknown[] {
  const written: unknown[] = [];
  for (const step of path) {
    const section = written.length === 0 ? document.contents : document.getIn(written, true);
    const keys = yaml.isMap(section) ? section.items.map(({ key }) => (yaml.isScalar(key) ? key.value : key)) : [];
    const isName = NAMES.test(written.join('.'));
    const same =
      keys.find((key) => String(key) === step) ?? (isName ? undefined : keys.find((key) => isLike(key, step)));
    written.push(same ?? step);
  }
  return written;
}

const isLike = (key: unknown, step: string | number): boolean =>
  typeof key === 'string' && typeof step === 'string' && isSameKey(key, step);

const misplaced = (file: string, path: readonly unknown[]): ConfigError =>
  new ConfigError([
    problemWith(
      path.join('.'),
      path.length === 0 ? say('config.notObject', { file }) : say('config.fixFirst', { file, why: path.join('.') }),
    ),
  ]);

/** Moves the comments of an empty section above its new content. */
function keepComments(from: Scalar, section: YAMLMap | YAMLSeq): void {
  const comments = [from.commentBefore, from.comment].filter((comment) => comment);
  if (comments.length > 0) section.commentBefore = comments.join('\n');
}

export async function withSettings(text: string, settings: readonly Setting[], file: string): Promise<string> {
  return settings.length === 0 ? text : (await settingIn(file, settings))(text);
}

function jsonWith(text: string, settings: readonly Setting[], file: string): string {
  let data: unknown;
  try {
    data = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new ConfigError([problemWith('', say('config.notJson', { file }))], { cause: error });
  }
  if (!isRecord(data)) throw new ConfigError([problemWith('', say('config.notObject', { file }))]);
  const top: object = { ...data };
  for (const { path: given, value } of settings) {
    const path = pathIn(top, given);
    let at = top;
    for (const [depth, key] of path.slice(0, -1).entries()) {
      const next: unknown = Reflect.get(at, key);
      const isList = typeof path[depth + 1] === 'number';
      const isEmpty = next === undefined || next === null;
      if (!isEmpty && !(isList ? Array.isArray(next) : isRecord(next))) throw misplaced(file, path.slice(0, depth + 1));
      const copy: object = isList ? (Array.isArray(next) ? [...next] : []) : isRecord(next) ? { ...next } : {};
      Reflect.set(at, key, copy);
      at = copy;
    }
    Reflect.set(at, path.at(-1) ?? '', value);
  }
  return `${JSON.stringify(top, null, /^[ \t]+(?=")/m.exec(text)?.[0] ?? 2)}\n`;
}

/** Returns the path with the keys as they are spelled there, like `pathInFile`. */
function pathIn(top: object, path: Setting['path']): (string | number)[] {
  const written: (string | number)[] = [];
  let section: unknown = top;
  for (const step of path) {
    const keys = isRecord(section) ? Object.keys(section) : [];
    const isThere = typeof step === 'number' || keys.includes(step) || NAMES.test(written.join('.'));
    const key = (isThere ? undefined : keys.find((each) => isSameKey(each, String(step)))) ?? step;
    written.push(key);
    section = isRecord(section) || Array.isArray(section) ? Reflect.get(section, key) : undefined;
  }
  return written;
}

/** Writes the settings to the file. A new file begins with `starter`, and only its owner can read it. */
export async function writeSettings(file: string, settings: readonly Setting[], starter: string): Promise<void> {
  const change = await settingIn(file, settings);
  keepLetters(file);
  await editText(file, (before) => (settings.length === 0 ? before : change(before ?? starter)));
}
