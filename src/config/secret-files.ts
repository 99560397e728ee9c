/**
 * Secrets in files, as containers get them: `TELEGRAM_BOT_TOKEN_FILE=/run/secrets/telegram` stands for the file's
 * content. The variable itself takes precedence.
 */
import fs from 'node:fs';
import { errorCode, errorMessage } from '../errors.ts';
import { decodedText } from '../lib/text.ts';
import { say, type Wording } from '../messages/messages.ts';

const MAX_BYTES = 64 * 1024;
/** Variables that end otherwise are read only where the configuration names them. */
const SECRET_FILE = /^([A-Z][A-Z0-9_]*(?:TOKEN|API_KEY|SECRET|PASSWORD))_FILE$/;

export type FromFile = { value: string } | { problem: Wording };

/** Reads the file that `NAME_FILE` names; undefined if it isn't set. */
export function fromFile(env: NodeJS.ProcessEnv, name: string): FromFile | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  const wrong = (why: Wording | string): FromFile => ({
    problem: say('config.secretFile', { name: `${name}_FILE`, file, why }),
  });
  try {
    const stat = fs.statSync(file);
    // Reading a pipe would wait for its writer.
    if (!stat.isFile()) return wrong(say('config.noPlainFile'));
    if (stat.size > MAX_BYTES) return wrong(say('config.tooLong', { size: MAX_BYTES / 1024 }));
    const value = decodedText(fs.readFileSync(file)).replace(/[\r\n]+$/, '');
    return value === '' ? wrong(say('config.emptyFile')) : { value };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return wrong(errorCode(error) === 'ENOENT' ? say('config.noSuchFile') : errorMessage(error));
  }
}

/** Returns the names of the secrets that are set by a file alone. */
const namedIn = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env).flatMap((each) => {
    const name = SECRET_FILE.exec(each)?.[1];
    return name === undefined || !env[each] || env[name] ? [] : [name];
  });

/** Returns a copy of the environment with the secrets that are in files. */
export function withSecretFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const all = { ...env };
  for (const name of namedIn(env)) {
    const found = fromFile(env, name);
    if (found && 'value' in found) all[name] = found.value;
  }
  return all;
}

/** Returns a sentence for each file that can't be read. */
export const secretFileProblems = (env: NodeJS.ProcessEnv): Wording[] =>
  namedIn(env).flatMap((name) => {
    const found = fromFile(env, name);
    return found && 'problem' in found ? [found.problem] : [];
  });
