/** One job file: parsing, naming and creation. */
import fs from 'node:fs';
import path from 'node:path';
import { ConfigError, errorCode, UserError } from '../../../errors.ts';
import { stageFile } from '../../../lib/files/staged-file.ts';
import { syncFolder } from '../../../lib/files.ts';
import { decodedText } from '../../../lib/text.ts';
import type { WatchedFile } from '../../../lib/watch-folders.ts';
import { scrub } from '../../../log.ts';
import { messagesIn, say, type Wording } from '../../../messages/messages.ts';
import { type Job, type JobFields, jobFileName, parseJob } from '../job.ts';

export interface JobFile {
  id: string;
  file: string;
  path: string;
  /** `disabled` by its file name or by `enabled: false`. */
  state: 'loaded' | 'disabled' | 'broken';
  /**
   * The active job; for a broken file, its previous version if there is one; for a paused file, the job that it would
   * be.
   */
  job?: Job;
  /** All problems of a broken file, one per line, in English. */
  problem?: string;
  /** The same problems for people. */
  wrong?: readonly Wording[];
}

export type ParsedJobFile = { job: Job } | Pick<Required<JobFile>, 'problem' | 'wrong'>;

/** Returns the problems in both forms. */
export const wrongWith = (...wrong: readonly Wording[]): Pick<Required<JobFile>, 'problem' | 'wrong'> => ({
  problem: wrong.map((said) => scrub(messagesIn('en').said(said))).join('\n'),
  wrong,
});

const asItIs = (text: string): Wording => say('common.asItIs', { text });

export async function parseFile(file: WatchedFile, timezone: string): Promise<ParsedJobFile> {
  if (file.problem !== undefined) return wrongWith(say('common.about', { name: file.name, what: file.problem }));
  try {
    return { job: await parseJob(file.text, { file: file.name, timezone, now: new Date(file.mtimeMs) }) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return wrongWith(...error.problems.map(({ said, message }) => said ?? asItIs(scrub(message))));
  }
}

export function entryOf(
  common: Pick<JobFile, 'id' | 'file' | 'path'>,
  result: ParsedJobFile,
  before: Job | undefined,
): JobFile {
  if ('job' in result) return { ...common, state: result.job.enabled ? 'loaded' : 'disabled', job: result.job };
  return { ...common, state: 'broken', ...result, ...(before ? { job: before } : {}) };
}

/**
 * Finds a job by its ID, its name in any case, or an unambiguous prefix of either.
 * @throws {UserError} if none or several match
 */
export function findJob(all: readonly JobFile[], text: string): JobFile {
  const wanted = text.trim().toLowerCase();
  const exact = all.find(({ id }) => id === wanted);
  if (exact) return exact;
  const named = all.filter(({ job }) => job?.name.toLowerCase() === wanted);
  const begun = all.filter(({ id, job }) => id.startsWith(wanted) || job?.name.toLowerCase().startsWith(wanted));
  const [only, other] = named.length > 0 || wanted === '' ? named : begun;
  if (only && !other) return only;
  if (named.length > 1) throw new UserError(say('jobs.several', { names: named.map(({ id }) => id).join(', ') }));
  throw new UserError(say('jobs.unknown', { name: text.slice(0, 80) }));
}

/** Returns the IDs of jobs that were added, removed or changed. An untouched file keeps its job object. */
export function changedIds(before: readonly JobFile[], after: readonly JobFile[]): string[] {
  const lacks = (all: readonly JobFile[]) => {
    const byFile = new Map(all.map((one) => [one.file, one]));
    return ({ file, state, problem, job }: JobFile) => {
      const other = byFile.get(file);
      return other?.state !== state || other.problem !== problem || other.job !== job;
    };
  };
  return [...new Set([...before.filter(lacks(after)), ...after.filter(lacks(before))].map(({ id }) => id))];
}

/**
 * Sorts files so that the first of two for the same job counts: `x.yaml` before `x.yml`, both before `x.disabled.yaml`,
 * and `x.yaml` before `x-DESKTOP-1A2B.yaml`.
 */
export function sorted(files: readonly WatchedFile[]): WatchedFile[] {
  const rank = ({ name }: WatchedFile) => Number(jobFileName(name)?.isDisabled ?? false);
  const key = ({ name }: WatchedFile) => `${name.replace(/\..*$/, '')}\0${name}`;
  return [...files].sort((a, b) => rank(a) - rank(b) || (key(a) < key(b) ? -1 : 1));
}

/** OneDrive's suffix for a file that was changed on two machines: the name of one of them. */
const MACHINE = /-(?:(?:DESKTOP|LAPTOP|SURFACE|WIN|PC)-[A-Z0-9]+|[\w-]*MacBook[\w-]*)(?=\.ya?ml$)/;

/** Returns the file that this one is a copy of, if it exists and contains a job of the same name. */
export function copiedFrom(file: string, job: Job, others: readonly JobFile[]): string | undefined {
  const original = file.replace(MACHINE, '');
  const other = original === file ? undefined : others.find((each) => each.file === original);
  return other?.job?.name === job.name ? original : undefined;
}

const ENDINGS = /^[^.].*\.(?:ya?ml(?:\.txt)?|json|md|markdown|txt)$/i;
const PROSE = /\.(?:md|markdown|txt)$/i;

/** Includes other extensions, to report such a file as not a job: somebody may be waiting for it to run. */
export const isMeantAsJob = (name: string): boolean =>
  ENDINGS.test(name) && !(/^readme\b/i.test(name) && PROSE.test(name));

/** People may keep notes beside jobs: a text without a schedule key counts as one. */
export const isNote = ({ name, text }: WatchedFile): boolean =>
  PROSE.test(name) && !/\.ya?ml\.txt$/i.test(name) && !/^[ \t"]*(?:schedule|cron)\w*"?[ \t]*:/im.test(text);

/**
 * Returns the text of a new file and its parsed job.
 * @throws {UserError} with every problem
 */
export async function formatJobFile(
  file: string,
  fields: JobFields,
  timezone: string,
): Promise<{ text: string; result: { job: Job } }> {
  const { stringify } = await import('yaml');
  const text = stringify(fields);
  const name = path.basename(file);
  const result = await parseFile({ path: file, name, text, size: text.length, mtimeMs: Date.now() }, timezone);
  if ('job' in result) return { text, result };
  const problems = result.problem.replace(/^.*? line \d+: /gm, '').replaceAll('\n', '; ');
  throw new UserError(`I can't create the job: ${problems}.`);
}

/**
 * Reserves the name with an empty file before the complete one replaces it, so that another writer's file is never
 * overwritten.
 */
export async function createFile(folder: string, name: string, fields: JobFields, timezone: string): Promise<JobFile> {
  const file = path.join(folder, name);
  const { text, result } = await formatJobFile(file, fields, timezone);
  const staged = await stageFile(file, text, {});
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (error) {
    staged.discard();
    if (errorCode(error) === 'EEXIST') {
      throw new UserError(`The file ${name} already exists; choose another name.`);
    }
    throw error;
  }
  staged.commit();
  await syncFolder(folder);
  return entryOf({ id: result.job.id, file: name, path: file }, result, undefined);
}

/**
 * Returns the text of a file with some keys changed.
 * @throws {UserError} if the result is not a job
 */
export async function changedText(
  { path: file }: Pick<JobFile, 'path'>,
  keys: Readonly<Record<string, string>>,
  timezone: string,
): Promise<string> {
  const text = await withKeys(decodedText(fs.readFileSync(file)), keys);
  const name = path.basename(file);
  const result = await parseFile({ path: file, name, text, size: text.length, mtimeMs: Date.now() }, timezone);
  if ('job' in result) return text;
  throw new UserError(`I can't change the job: ${result.problem.replaceAll('\n', '; ')}.`);
}

/** Returns the text unchanged if it is not valid YAML. */
export async function withKeys(source: string, keys: Readonly<Record<string, string>>): Promise<string> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(source);
  if (document.errors.length > 0) return source;
  for (const [key, value] of Object.entries(keys)) document.set(key, value);
  return document.toString();
}
