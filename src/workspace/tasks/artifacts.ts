/**
 * The artifacts of a task: files under generated names in `artifacts/{taskId}/`, and an index beside them that only grows
 * (`artifacts.jsonl`, one JSON object a line, the last one of an id counts). The file is on the disk before its line is, so an
 * entry never points to half a file. The index is in a folder scripts can write to: nothing in it is used as a path unchecked.
 */
import { hash, randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { appendLines, ensureDir, sha256File, syncFile, syncFolder, writeFileAtomic } from '../../lib/files.ts';
import { exclusively } from '../../lib/locks.ts';
import { type Home, isId } from '../home.ts';
import type { ArtifactRef } from '../types.ts';
import { type ArtifactMeta, type ArtifactOrigin, readIndex } from './artifact-index.ts';
import { cleanType, extensionOf, nameFromTitle, safeName, safeTitle } from './artifact-names.ts';
import { tellChange } from './changes.ts';
import { takeRoom } from './space.ts';

export type { ArtifactMeta, ArtifactOrigin } from './artifact-index.ts';

interface Described {
  title: string;
  /** MIME type. */
  type: string;
  /** Kept if it is a free id; one that cannot name a file always stands for the same other id. Without one it is generated. */
  id?: string | undefined;
  name?: string | undefined;
  origin: ArtifactOrigin;
}

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
// The other files of a task's folder.
const RESERVED = new Set(['task', 'implementation_plan', 'artifacts', 'playbook']);
const FILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}\.[a-z0-9]{1,16}$/;
const indexFile = (home: Home, taskId: string) => path.join(home.taskDir(taskId), 'artifacts.jsonl');

/**
 * Stores content as an artifact. The same id with the same content again changes nothing; with other content it replaces the
 * artifact. Durable when it resolves.
 */
export function createArtifact(
  home: Home,
  taskId: string,
  given: Described & { content: Uint8Array },
): Promise<ArtifactRef> {
  return exclusively(indexFile(home, taskId), async () => {
    const sha256 = hash('sha256', given.content);
    const slot = await chooseSlot(home, taskId, given, sha256);
    if (isKept(home, taskId, slot, sha256)) return refOf(slot.old);
    await takeRoom(home, taskId, given.content.byteLength);
    await writeFileAtomic(path.join(home.taskDir(taskId), slot.file), given.content);
    return refOf(await record(home, taskId, slot, given, { size: given.content.byteLength, sha256 }));
  });
}

/**
 * Takes a file that stands in the task's folder (a finished download) into the artifacts by renaming it; `sha256` saves reading
 * it again. As `createArtifact` in every other respect.
 * @throws UserError when `path` is not a regular file, or there is no room for it; it is gone then
 */
export function adoptArtifact(
  home: Home,
  taskId: string,
  given: Described & { path: string; sha256?: string },
): Promise<ArtifactMeta> {
  return exclusively(indexFile(home, taskId), async () => {
    const stat = fs.lstatSync(given.path, { throwIfNoEntry: false });
    if (!stat?.isFile()) throw new UserError(`The file for "${safeTitle(given.title, 'an artifact')}" is missing.`);
    const sha256 = given.sha256 ?? (await sha256File(given.path));
    const slot = await chooseSlot(home, taskId, given, sha256);
    if (isKept(home, taskId, slot, sha256)) {
      fs.rmSync(given.path);
      return slot.old;
    }
    try {
      await takeRoom(home, taskId, stat.size);
    } catch (error) {
      fs.rmSync(given.path);
      throw error;
    }
    fs.chmodSync(given.path, 0o600);
    await syncFile(given.path);
    fs.renameSync(given.path, path.join(home.taskDir(taskId), slot.file));
    await syncFolder(home.taskDir(taskId));
    return record(home, taskId, slot, given, { size: stat.size, sha256 });
  });
}

/** An address on the web, kept beside the files; the same one again changes nothing. Nothing of it is fetched. */
export function keepLink(home: Home, taskId: string, given: ArtifactRef): Promise<ArtifactRef> {
  return exclusively(indexFile(home, taskId), async () => {
    const { id, ref } = given;
    const old = (await listArtifacts(home, taskId)).find((meta) => meta.id === id && meta.ref === ref);
    if (old) return refOf(old);
    const title = safeTitle(given.title, ref);
    const link: ArtifactRef = { id, title, type: cleanType(given.type), ref };
    const meta: ArtifactMeta = {
      ...{ ...link, name: title, size: 0, sha256: '', origin: 'agent', createdAt: new Date().toISOString() },
    };
    await ensureDir(home.taskDir(taskId));
    await appendLines(indexFile(home, taskId), [JSON.stringify(meta)], { sync: true });
    tellChange(home, { kind: 'artifact', taskId, artifact: link });
    return link;
  });
}

/** Whether it stands on the web and not on this machine. */
export const isLink = ({ ref }: Pick<ArtifactRef, 'ref'>): boolean => /^https?:\/\//.test(ref);

/** All artifacts of a task, oldest first. A torn or damaged line of the index is passed over. */
export async function listArtifacts(home: Home, taskId: string): Promise<ArtifactMeta[]> {
  return [...readIndex(indexFile(home, taskId))];
}

/** The artifact a person means: by id, title or name, or by a beginning of these; the newest where several fit. */
export async function findArtifact(home: Home, taskId: string, text: string): Promise<ArtifactMeta | undefined> {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return undefined;
  const newest = (await listArtifacts(home, taskId)).reverse();
  const words = (meta: ArtifactMeta) => [meta.title.toLowerCase(), meta.name.toLowerCase()];
  return (
    newest.find((meta) => meta.id === wanted) ??
    newest.find((meta) => words(meta).includes(wanted)) ??
    newest.find((meta) => [meta.id, ...words(meta)].some((word) => word.startsWith(wanted)))
  );
}

/**
 * Where an artifact's content is. Only the file's name is taken from `meta`.
 * @throws UserError when it is gone or is not a regular file (a link, for example)
 */
export function artifactPath(home: Home, taskId: string, meta: Pick<ArtifactRef, 'ref' | 'title'>): string {
  if (isLink(meta)) throw new UserError(`"${meta.title}" is a link: ${meta.ref}`);
  const file = pathOf(home, taskId, meta);
  if (file === undefined) throw new UserError(`The file of "${meta.title}" is no longer there.`);
  return file;
}

/** Whether an artifact is a file that is still there. */
export const hasFile = (home: Home, taskId: string, meta: Pick<ArtifactRef, 'ref'>): boolean =>
  !isLink(meta) && pathOf(home, taskId, meta) !== undefined;

function pathOf(home: Home, taskId: string, { ref }: Pick<ArtifactRef, 'ref'>): string | undefined {
  const name = path.posix.basename(ref);
  const file = path.join(home.taskDir(taskId), name);
  return FILE_NAME.test(name) && !RESERVED.has(path.parse(name).name) && isFile(file) ? file : undefined;
}

interface Slot {
  id: string;
  file: string;
  old: ArtifactMeta | undefined;
}

/**
 * The id and file name of a new or replaced artifact. An id whose file exists without being an artifact is not free, unless a
 * crash left that file with just this content before its line was written.
 */
async function chooseSlot(home: Home, taskId: string, given: Described, sha256: string): Promise<Slot> {
  const extension = await extensionOf(cleanType(given.type), given.name);
  const metas = await listArtifacts(home, taskId);
  const wanted = usableId(given.id ?? '');
  const old = metas.find((meta) => meta.id === wanted);
  if (old) return { id: wanted, file: `${wanted}.${extension}`, old };
  for (let id = wanted; ; id = randomId()) {
    const file = `${id}.${extension}`;
    if (!isId(id) || RESERVED.has(id) || metas.some((meta) => meta.id === id)) continue;
    const stat = fs.lstatSync(path.join(home.taskDir(taskId), file), { throwIfNoEntry: false });
    const isFree = !stat || (stat.isFile() && (await sha256File(path.join(home.taskDir(taskId), file))) === sha256);
    if (isFree) return { id, file, old };
  }
}

/** The id itself, or what stands for it where it cannot be a file's name: the same for the same, so that it can be replaced. */
function usableId(given: string): string {
  const id = given.toLowerCase();
  return id === '' || (isId(id) && !RESERVED.has(id)) ? id : hash('sha256', id).slice(0, 10);
}

function randomId(): string {
  return Array.from({ length: 8 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** Whether just this content stands there already; a file that somebody has taken away is written again. */
function isKept(home: Home, taskId: string, slot: Slot, sha256: string): slot is Slot & { old: ArtifactMeta } {
  const { old, file } = slot;
  if (old === undefined || old.sha256 !== sha256 || path.posix.basename(old.ref) !== file) return false;
  return isFile(path.join(home.taskDir(taskId), file));
}

const isFile = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;

async function record(
  home: Home,
  taskId: string,
  slot: Slot,
  given: Described,
  content: { size: number; sha256: string },
): Promise<ArtifactMeta> {
  const type = cleanType(given.type);
  const extension = path.extname(slot.file).slice(1);
  const title = safeTitle(given.title, given.name ? safeName(given.name, extension) : slot.id);
  const ref: ArtifactRef = { id: slot.id, title, type, ref: `artifacts/${taskId}/${slot.file}` };
  const name = given.name ? safeName(given.name, extension) : nameFromTitle(title, extension);
  const meta: ArtifactMeta = { ...ref, name, ...content, origin: given.origin, createdAt: new Date().toISOString() };
  await appendLines(indexFile(home, taskId), [JSON.stringify(meta)], { sync: true });
  tellChange(home, { kind: 'artifact', taskId, artifact: ref });
  return meta;
}

function refOf({ id, title, type, ref }: ArtifactMeta): ArtifactRef {
  return { id, title, type, ref };
}
