/** Handles requests about files for the built-in model. */
import { clip } from '../../lib/text.ts';
import { lines, sentences, words } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import { type SeenFile, textField, type View, type Work } from './view.ts';

/** The beginning of the error that `read_file` returns to a model for a missing file. */
const NOT_THERE = 'There is no file ';

export function* writeFile(view: View, name: string, content: string): Work {
  const type = typeOf(name);
  const { value, error } = yield { tool: 'create_artifact', input: { title: name, type, content } };
  if (error !== undefined) return view.messages.text('offline.notWritten', { file: name, why: error });
  // The file gets a number if another one has its name.
  const made = textField(value, 'title') || name;
  view.files.push({ id: textField(value, 'id') || made, name: made, type });
  return view.messages.text('offline.wrote', { file: made });
}

export function* readFile(view: View, said: string): Work {
  // A name that isn't listed may still be a file of the workspace.
  const file = findFile(view, said) ?? (said === '' ? undefined : { id: said, name: said, type: typeOf(said) });
  if (!file) return noFile(view, said);
  const { value, error } = yield { tool: 'read_file', input: { path: file.id } };
  if (error?.startsWith(NOT_THERE)) return noFile(view, said || file.name);
  if (error !== undefined) return view.messages.text('offline.notRead', { file: file.name, why: error });
  const text = typeof value === 'string' ? value : textField(value, 'content') || textField(value, 'text');
  const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length + 1)));
  return `${file.name}:\n\n${fence}\n${clip(text.trimEnd(), 1500)}\n${fence}`;
}

export function* listFiles(view: View): Work {
  let names = view.files.map(({ name, type }) => `${name} (${type})`);
  if (names.length === 0) {
    const { value, error } = yield { tool: 'list_files', input: {} };
    if (error !== undefined) return view.messages.text('offline.notListed', { why: error });
    names = namesInResult(value);
  }
  if (names.length === 0) return view.messages.text('offline.noFiles');
  const shown = names.slice(-50).map((name) => `- ${name}`);
  return lines(view.messages.text('offline.files'), words(shown.join('\n')));
}

/** Finds a file by name or ID; without a name, the newest. */
function findFile({ files }: View, said: string): SeenFile | undefined {
  if (said === '') return files.at(-1);
  const name = said.toLowerCase();
  return (
    files.findLast((file) => file.name.toLowerCase() === name) ?? files.find((file) => file.id.toLowerCase() === name)
  );
}

function noFile({ files, messages }: View, said: string): string {
  const names = files.slice(-10).map((file) => file.name);
  const none = said === '' ? messages.text('offline.noFileYet') : messages.text('offline.noFile', { file: said });
  return sentences(
    words(`${none}.`),
    names.length > 0 ? messages.text('offline.thereIs', { names: names.join(', ') }) : '',
  );
}

const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  css: 'text/css',
  js: 'text/javascript',
};

function typeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return (Object.hasOwn(TYPES, extension) && TYPES[extension]) || 'text/plain';
}

/** Returns the names from any kind of list that a tool returned. */
function namesInResult(value: Json | undefined): string[] {
  if (typeof value === 'string') return value.split('\n').filter((line) => line.trim() !== '');
  const lists = Array.isArray(value)
    ? value
    : Object.values(value ?? {}).flatMap((field) => (Array.isArray(field) ? field : []));
  return lists
    .map((item) =>
      typeof item === 'string' ? item : textField(item, 'title') || textField(item, 'name') || textField(item, 'path'),
    )
    .filter((name) => name !== '');
}
