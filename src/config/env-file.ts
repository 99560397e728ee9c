/** `.env` in the home: secrets that do not belong into the configuration. What the environment itself says comes first. */

import fs from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { editText } from '../lib/files.ts';
import { decodedText } from '../lib/text.ts';

export const envFileOf = (home: string): string => path.join(home, '.env');

/** The environment with what stands in the home's `.env` and nowhere else. */
export function withEnvFile(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  return { ...parseEnv(readEnvFile(home) ?? ''), ...env };
}

function readEnvFile(home: string): string | undefined {
  const file = envFileOf(home);
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ? decodedText(fs.readFileSync(file)) : undefined;
}

/** Puts variables into the file; every other line stays as it is. A new file is its owner's alone. */
export async function writeEnvFile(home: string, variables: Readonly<Record<string, string>>): Promise<void> {
  if (Object.keys(variables).length === 0) return;
  await editText(
    envFileOf(home),
    (before) =>
      Object.entries(variables).reduce((text, [name, value]) => withVariable(text, name, value), before ?? ''),
    { read: () => readEnvFile(home) },
  );
}

function withVariable(text: string, name: string, value: string): string {
  const line = `${name}=${quoted(value)}`;
  const old = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'm');
  if (old.test(text)) return text.replace(old, () => line);
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}

const quoted = (value: string) => (/^[\w./:@%+=~-]*$/.test(value) ? value : `'${value.replace(/['\r\n]/g, '')}'`);
