/** The language of the person at this terminal. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readTextSync } from '../lib/files.ts';
import { parseJson } from '../lib/json.ts';
import { machineLanguage } from '../lib/language.ts';
import { isText, objectOf, shape } from '../lib/shape.ts';
import { servedBy } from '../messages/messages.ts';

const settingShape = shape<{ language: string }>(objectOf({ language: isText }));
const NAMES = ['config.yaml', 'config.json', 'openai.yaml'];
const SETTING = /^(?:\{?\s*"language"|language)\s*:\s*["']?([a-z]{2,3}(?:[-_][A-Za-z0-9]+)*)(?![A-Za-z])/m;

/**
 * Returns the tag of the setting `language` if that has a catalogue, else the machine's. Reads the setting alone, so
 * that a configuration with mistakes is reported in the right language too.
 */
export function terminalLanguage(
  env: NodeJS.ProcessEnv,
  home: string | undefined,
  config?: string,
): string | undefined {
  const names = config !== undefined ? [config] : home === undefined ? [] : NAMES.map((name) => path.join(home, name));
  const file = names.find((name) => existsSync(name));
  const tag = settingIn(file);
  return servedBy(tag) === undefined ? machineLanguage(env) : tag;
}

function settingIn(file: string | undefined): string | undefined {
  try {
    const text = file === undefined ? '' : (readTextSync(file) ?? '');
    const { data } = settingShape.safeParse(parseJson(text));
    return data?.language ?? SETTING.exec(text)?.[1];
  } catch (error) {
    // Reading the whole configuration will say what is wrong with it.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
