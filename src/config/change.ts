/**
 * A change of the setup: settings go into the configuration, secrets into `.env` beside it. It is checked by the loader
 * before anything is written.
 */
import fs from 'node:fs';
import { configOf, type LoadedConfig } from '../config.ts';
import { errorCode, UserError, WorkspaceError } from '../errors.ts';
import { readTextSync } from '../lib/files.ts';
import { say } from '../messages/messages.ts';
import { type Setting, withSettings, writeSettings } from './edit.ts';
import { envFileOf, writeEnvFile } from './env-file.ts';
import { type Data, parseYaml } from './parse.ts';
import { configSchemaWith } from './schema.ts';
import { keepSchemas, SCHEMA_LINE } from './schema-file.ts';
import { respell } from './spelling.ts';

export interface Change {
  settings: readonly Setting[];
  /** Values by the name of their variable; undefined removes it. */
  secrets: Readonly<Record<string, string | undefined>>;
}

export const STARTER = `${SCHEMA_LINE}
# What is left out has a default; config.example.yaml of the repository explains every key.
`;

export interface ConfigWithChange extends LoadedConfig {
  env: NodeJS.ProcessEnv;
  /** The text of the file with the change. */
  text: string;
}

/**
 * Returns the configuration with the change applied, without saving it.
 * @param home also checks that the vibers exist
 * @throws {ConfigError}
 */
export async function withChange(
  file: string,
  { settings, secrets }: Change,
  before: NodeJS.ProcessEnv,
  home?: string,
): Promise<ConfigWithChange> {
  const env = { ...before, ...secrets };
  const text = await withSettings(readTextSync(file) ?? STARTER, settings, file);
  return { ...(await configOf(text, file, env, home === undefined ? {} : { home })), env, text };
}

/** Returns the data of the file as it is written, with today's keys. */
export async function writtenSettings(file: string): Promise<{ [key: string]: Data }> {
  const text = readTextSync(file) ?? '';
  const written = text.trim() === '' ? {} : await parseYaml(text, file);
  return respell(await configSchemaWith(), written).data;
}

/** @throws {UserError} if a file can't be written, or is read-only: a replacement would lose its mode */
export async function saveChange(home: string, file: string, { settings, secrets }: Change): Promise<void> {
  const envFile = envFileOf(home);
  if (settings.length > 0) refuseReadOnly(file);
  if (Object.keys(secrets).length > 0) refuseReadOnly(envFile);
  // The secret first: a crash in between then leaves a configuration that works.
  await writing(envFile, () => writeEnvFile(home, secrets));
  await writing(file, () => writeSettings(file, settings, STARTER));
  await keepSchemas(file, home);
}

/** @throws {UserError} for a file without write permission, which even its owner doesn't expect to be replaced */
export function refuseReadOnly(file: string): void {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat && (stat.mode & 0o222) === 0) throw new UserError(say('setup.readOnly', { file }));
}

/** @throws {UserError} if this user may not write the file */
export async function writing<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // The home's own error has the system's as its cause.
    const code = errorCode(error instanceof WorkspaceError ? error.cause : error) ?? '';
    if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) throw error;
    throw new UserError(say('setup.unwritable', { file }), { cause: error });
  }
}
