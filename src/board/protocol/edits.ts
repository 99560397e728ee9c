/** Edits of files by people. Never overwrites a change made in between. */
import { type BigIntStats, closeSync } from 'node:fs';
import path from 'node:path';
import type { Principal } from '../../access/principal.ts';
import { type HeldFolder, openFile, useFolder } from '../../lib/files/below.ts';
import { editText, hashText, readTextSync } from '../../lib/files.ts';
import { exclusively } from '../../lib/locks.ts';
import { say } from '../../messages/messages.ts';
import { DEFAULT_VIBER, type Home, isViber } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { Conflict, ownersOnly, RequestError } from '../respond.ts';
import type { ProtocolParts } from './parts.ts';
import { steeredTask } from './refusals.ts';
import type { CommandOf } from './schemas.ts';

export interface StoredText {
  hash: string;
  text: string;
}

/** The hash of a missing file. */
export const NO_HASH = '';

export async function writePlanText(
  { taskId, text, baseHash }: CommandOf<'plan:write'>,
  by: Principal,
  to: ProtocolParts,
): Promise<{ taskId: string } & StoredText> {
  const { viber } = steeredTask(taskId, by, to);
  const before = await openTask(to.home, taskId, viber).plan.read();
  if (before === undefined && baseHash !== NO_HASH) throw new Conflict({ text: '', hash: NO_HASH });
  const written = await openTask(to.home, taskId).plan.write(text, { baseHash });
  if (written.written) return { taskId, text: written.text, hash: written.hash };
  throw new Conflict({ text: written.current, hash: hashText(written.current) });
}

/** The files that define a viber, and its memory. */
const EDITABLE = /^(AGENTS|SOUL|TOOLS|USER|IDENTITY|MEMORY)\.md$|^memory\/\d{4}-\d{2}-\d{2}\.md$/;

export const isEditable = (name: string): boolean => EDITABLE.test(name);

const notEditable = () => new RequestError(404, 'not_found', say('requests.notEditable'), 'name');

/** An editable file of a viber, while its folder is held open. */
export interface Editable {
  /** A path for a single call that doesn't follow links. */
  at: string;
  stat: BigIntStats | undefined;
  read(): string | undefined;
}

/**
 * Returns the path of such a file.
 * @throws {RequestError} for any other name
 */
export function editableFile(home: Home, viber: string, name: string): string {
  if (!isEditable(name) || !isViber(home, viber)) throw notEditable();
  return path.join(home.viberDir(viber), name);
}

/**
 * Opens such a file without following links, which a file synchronisation may create at any time. Returns undefined if
 * its folder is missing.
 */
export function useEditable<T>(
  home: Home,
  viber: string,
  name: string,
  use: (file: Editable) => T | Promise<T>,
  making: { isMade?: boolean } = {},
): Promise<T | undefined> {
  editableFile(home, viber, name);
  const [last = '', ...above] = name.split('/').reverse();
  const held = (folder: HeldFolder) =>
    use({ at: folder.at(last), stat: folder.stat(last), read: () => textIn(folder, last) });
  return useFolder(home.viberDir(viber), above, held, making);
}

/** @throws {UserError} for a link */
function textIn(folder: HeldFolder, name: string): string | undefined {
  const file = openFile(folder, [name]);
  try {
    return file && readTextSync(file.path);
  } finally {
    if (file) closeSync(file.fd);
  }
}

export async function writeFile(
  { name, viberId = DEFAULT_VIBER, text, baseHash }: CommandOf<'file:write'>,
  by: Principal,
  { home }: ProtocolParts,
): Promise<{ name: string } & StoredText> {
  if (by.role !== 'owner') throw ownersOnly();
  const edit = async (file: Editable) => {
    let current: string | undefined;
    const change = (found: string | undefined) => {
      current = found;
      const isBase = (found === undefined ? NO_HASH : hashText(found)) === baseHash;
      return isBase || found === text ? text : undefined;
    };
    const now = await editText(file.at, change, { read: file.read, isFollowed: false });
    if (now === text) return { name, text, hash: hashText(text) };
    throw new Conflict({ text: current ?? '', hash: current === undefined ? NO_HASH : hashText(current) });
  };
  const written = await exclusively(editableFile(home, viberId, name), () =>
    useEditable(home, viberId, name, edit, { isMade: true }),
  );
  if (!written) throw notEditable();
  return written;
}
