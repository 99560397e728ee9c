/**
 * `.env` in the home, for secrets that don't belong in the configuration. The environment itself takes precedence.
 * Values may be quoted and then span lines; outside quotes, `#` begins a comment only after a space.
 */

import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../errors.ts';
import { editText } from '../lib/files.ts';
import { decodedText } from '../lib/text.ts';
import { say, type Wording } from '../messages/messages.ts';
import { withSecretFiles } from './secret-files.ts';

export const envFileOf = (home: string): string => path.join(home, '.env');

/** Returns a copy of the environment with the variables that are only in the home's `.env`, and secrets from files. */
export function withEnvFile(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const all = { ...env };
  for (const { name, value, raw } of variablesIn(readEnvFile(home) ?? '')) {
    // systemd, Docker or Node may have read the same line already, each by its own rules.
    if (env[name] === undefined || readings(raw).has(env[name])) all[name] = value;
  }
  return withSecretFiles(all);
}

/** Returns the variables that the home's `.env` has. */
export const namesInEnvFile = (home: string): string[] => variablesIn(readEnvFile(home) ?? '').map(({ name }) => name);

/** Returns a sentence for each line of the home's `.env` that is not a variable, a comment or part of a value. */
export function unreadLines(home: string): Wording[] {
  const text = readEnvFile(home) ?? '';
  const known = variablesIn(text);
  let at = 0;
  return text.split('\n').flatMap((line, index) => {
    const start = at;
    at += line.length + 1;
    const isSilent = line.trim() === '' || line.trim().startsWith('#');
    if (isSilent || known.some((each) => each.start < at && start < each.end)) return [];
    // The line may contain a secret, so it is not shown.
    return [say('config.notAVariable', { file: envFileOf(home), line: index + 1 })];
  });
}

function readEnvFile(home: string): string | undefined {
  const file = envFileOf(home);
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ? decodedText(fs.readFileSync(file)) : undefined;
}

interface Variable {
  name: string;
  value: string;
  /** Everything after the `=` on its line. */
  raw: string;
  comment: string;
  start: number;
  end: number;
}

const LINE =
  /^[ \t]*(?:export[ \t]+)?(?<name>[A-Za-z_][\w.-]*)[ \t]*=(?:[ \t]*(?:'(?<single>[^']*)'|"(?<double>(?:\\[\s\S]|[^"\\])*)"|`(?<back>[^`]*)`)(?<after>[ \t]*(?:#.*)?)$|(?<plain>.*)$)/gm;

function variablesIn(text: string): Variable[] {
  return [...text.matchAll(LINE)].map(({ 0: line, index, groups = {} }) => {
    const { name = '', single, double, back, plain = '', after = COMMENT.exec(plain)?.[0] ?? '' } = groups;
    const value =
      single ?? back ?? double?.replace(/\\([n"])/g, (_, sign) => (sign === 'n' ? '\n' : '"')) ?? uncommented(plain);
    const raw = line.slice(line.indexOf('=') + 1).trim();
    return { name, value, raw, comment: after.trim(), start: index, end: index + line.length };
  });
}

/** The comment after a value that isn't quoted. */
const COMMENT = /[ \t]+#.*$/;
const uncommented = (plain: string): string => plain.replace(COMMENT, '').trim();

/** Returns what other parsers make of a line: they keep quotes or the comment, or cut a value at every `#`. */
const readings = (raw: string): Set<string | undefined> =>
  new Set([raw, raw.replace(/^(['"])(.*)\1$/, '$2'), /^[^#]*/.exec(raw)?.[0].trim()]);

/** Writes variables to the file, or removes those without a value; keeps all other lines. Only its owner can read a new file. */
export async function writeEnvFile(
  home: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (Object.keys(variables).length === 0) return;
  await editText(
    envFileOf(home),
    (before) =>
      Object.entries(variables).reduce(
        (text, [name, value]) => (value === undefined ? withoutVariable(text, name) : withVariable(text, name, value)),
        before ?? '',
      ),
    { read: () => readEnvFile(home) },
  );
}

function withVariable(text: string, name: string, value: string): string {
  // If a variable is repeated, the last line counts.
  const old = variablesIn(text).findLast((each) => each.name === name);
  const isExported = old !== undefined && /^[ \t]*export[ \t]/.test(text.slice(old.start, old.end));
  const line = `${isExported ? 'export ' : ''}${name}=${quoted(name, value.replace(/\r\n?/g, '\n').replace(/\n+$/, ''))}`;
  if (old) return `${text.slice(0, old.start)}${`${line} ${old.comment}`.trimEnd()}${text.slice(old.end)}`;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}

function withoutVariable(text: string, name: string): string {
  return variablesIn(text)
    .filter((each) => each.name === name)
    .reduceRight((left, { start, end }) => `${left.slice(0, start)}${left.slice(end).replace(/^\r?\n/, '')}`, text);
}

function quoted(name: string, value: string): string {
  if (/^[\w./:@%+=~-]*$/.test(value)) return value;
  const quote = ["'", ...(value.includes('\\') ? [] : ['"']), '`'].find((each) => !value.includes(each));
  if (quote === undefined) throw new UserError(say('config.quotes', { name }));
  return `${quote}${value}${quote}`;
}

/** Returns those of these variables that the environment sets by itself: it takes precedence over the home's `.env`. */
export function setOutside(env: NodeJS.ProcessEnv, home: string, names: readonly string[]): string[] {
  const written = variablesIn(readEnvFile(home) ?? '');
  return names.filter(
    (each) =>
      env[each] !== undefined && !written.some(({ name, raw }) => name === each && readings(raw).has(env[each])),
  );
}
