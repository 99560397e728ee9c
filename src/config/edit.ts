/** Changes single settings of a configuration file that people edit too: keeps comments, order and all other keys. */
import { ConfigError, problemWith } from '../errors.ts';
import { editText } from '../lib/files.ts';
import { isRecord } from '../lib/json.ts';
import { say } from '../messages/messages.ts';

export interface Setting {
  /** A number is an index into a list. */
  path: readonly (string | number)[];
  value: unknown;
}

/** Returns a function that puts these settings into a text. It throws ConfigError if the text is invalid. */
async function settingIn(file: string, settings: readonly Setting[]): Promise<(text: string) => string> {
  if (file.endsWith('.json')) return (text) => jsonWith(text, settings, file);
  const { isCollection, parseDocument } = await import('yaml');
  return (text) => {
    const document = parseDocument(text);
    const [problem] = document.errors;
    if (problem) throw new ConfigError([problemWith('', say('config.fixFirst', { file, why: problem.code }))]);
    for (const { path, value } of settings) {
      // A section with only comments parses as null.
      for (let depth = 1; depth < path.length; depth++) {
        const above = path.slice(0, depth);
        if (document.hasIn(above) && !isCollection(document.getIn(above)))
          document.setIn(above, document.createNode(typeof path[depth] === 'number' ? [] : {}));
      }
      document.setIn(path, document.createNode(value));
    }
    return document.toString({ lineWidth: 0 });
  };
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
      const copy: object = isList ? (Array.isArray(next) ? [...next] : []) : isRecord(next) ? { ...next } : {};
      Reflect.set(at, key, copy);
      at = copy;
    }
    Reflect.set(at, path.at(-1) ?? '', value);
  }
  return `${JSON.stringify(top, null, 2)}\n`;
}

/** Writes the settings to the file. A new file begins with `starter`, and only its owner can read it. */
export async function writeSettings(file: string, settings: readonly Setting[], starter: string): Promise<void> {
  const change = await settingIn(file, settings);
  await editText(file, (before) => (settings.length === 0 ? before : change(before ?? starter)));
}
