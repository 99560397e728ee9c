/** Changes single settings of a configuration file that people edit too: keeps comments, order and all other keys. */
import type { Document, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { ConfigError, problemWith } from '../../errors.ts';
import { editText, keepLetters } from '../../lib/files.ts';
import { isRecord } from '../../lib/json.ts';
import { decodedText } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';

export interface Setting {
  /** A number is an index into a list. */
  path: readonly (string | number)[];
  value: unknown;
}

/** Returns a function that puts these settings into a text. It throws ConfigError if the text is invalid. */
async function settingIn(file: string, settings: readonly Setting[]): Promise<(text: string) => string> {
  if (file.endsWith('.json')) return (text) => jsonWith(decodedText(Buffer.from(text)), settings, file);
  const yaml = await import('yaml');
  return (text) => {
    const document = yaml.parseDocument(text);
    const [problem] = document.errors;
    if (problem) throw new ConfigError([problemWith('', say('config.fixFirst', { file, why: problem.code }))]);
    for (const setting of settings) putSetting(yaml, document, setting, file);
    // A document ends its lines by itself, and a person's editor may end them as Windows does.
    const indent = Number(/^( {2,8})[^ \n#-]/m.exec(text)?.[1]?.length ?? 2);
    const shown = document.toString({ lineWidth: 0, indent, flowCollectionPadding: !/\{\S|\S\}/.test(text) });
    return text.includes('\r\n') ? shown.replace(/\r?\n/g, '\r\n') : shown;
  };
}

type Yaml = typeof import('yaml');

/** Puts one setting where it belongs. What a person has written is kept: comments, anchors and what an alias brings. */
function putSetting(yaml: Yaml, document: Document, { path, value }: Setting, file: string): void {
  for (let depth = 0; depth < path.length; depth++) {
    const above = path.slice(0, depth);
    const isList = typeof path[depth] === 'number';
    const old = depth === 0 ? document.contents : document.getIn(above, true);
    const there = yaml.isAlias(old) ? document.createNode(old.resolve(document)?.toJS(document)) : old;
    if (isList ? yaml.isSeq(there) : yaml.isMap(there)) {
      if (there !== old) document.setIn(above, there);
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
  if (!yaml.isScalar(old) || typeof value === 'object') {
    document.setIn(path, document.createNode(value));
    return;
  }
  // Settings that share the old value keep it.
  const shared = old.anchor;
  yaml.visit(document, {
    Alias: (_key, { source }) => (source === shared ? document.createNode(old.value) : undefined),
  });
  // The same node keeps its comment.
  delete old.anchor;
  delete old.tag;
  old.value = value;
}

const misplaced = (file: string, path: Setting['path']): ConfigError =>
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
  for (const { path, value } of settings) {
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

/** Writes the settings to the file. A new file begins with `starter`, and only its owner can read it. */
export async function writeSettings(file: string, settings: readonly Setting[], starter: string): Promise<void> {
  const change = await settingIn(file, settings);
  keepLetters(file);
  await editText(file, (before) => (settings.length === 0 ? before : change(before ?? starter)));
}
