/**
 * The artifacts of a task: files under generated names in `artifacts/{taskId}/`, and an index beside them that only grows
 * (`artifacts.jsonl`, one JSON object a line, the last one of an id counts). The file is on the disk before its line is, so an
 * entry never points to half a file. The index is in a folder scripts can write to: nothing in it is used as a path unchecked.
 */
import { hash, randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { createStatCache } from '../../lib/files/cache.ts';
import { appendLines, ensureDir, sha256File, syncFile, syncFolder, writeFileAtomic } from '../../lib/files.ts';
import { exclusively } from '../../lib/locks.ts';
import { readJsonLines } from '../../lib/read-json.ts';
import { isInteger, isText, objectOf, oneOf, shape } from '../../lib/shape.ts';
import { type Home, isId } from '../home.ts';
import type { ArtifactRef } from '../types.ts';
import { cleanType, extensionOf, nameFromTitle, safeName, safeTitle } from './artifact-names.ts';
import { tellChange } from './changes.ts';
import { roomIn, takeRoom } from './space.ts';

/** `agent`: made by a run. `user`: sent in by a person. */
export type ArtifactOrigin = 'agent' | 'user';

export interface ArtifactMeta extends ArtifactRef {
  /** For uploads and lists; from outside, never a path. */
  name: string;
  /** Bytes. */
  size: number;
  sha256: string;
  origin: ArtifactOrigin;
  /** ISO 8601. */
  createdAt: string;
}

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

interface Slot {
  id: string;
  file: string;
  old: ArtifactMeta | undefined;
}

export class Artifacts {
  readonly #home: Home;
  readonly #taskId: string;
  readonly #folder: string;
  readonly #index: string;

  constructor(home: Home, taskId: string) {
    this.#home = home;
    this.#taskId = taskId;
    this.#folder = home.taskDir(taskId);
    this.#index = path.join(this.#folder, 'artifacts.jsonl');
  }

  /** All of them, oldest first. A torn or damaged line of the index is passed over. */
  list(): ArtifactMeta[] {
    const metas = indexes.get(this.#index);
    if (metas) return [...metas];
    // What the cache cannot see may be a link that leads nowhere.
    return fs.lstatSync(this.#index, { throwIfNoEntry: false }) ? parseIndex(this.#index) : [];
  }

  /** The artifact a person means: by id, title or name, or by a beginning of these; the newest where several fit. */
  find(text: string): ArtifactMeta | undefined {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return undefined;
    const newest = this.list().reverse();
    const words = (meta: ArtifactMeta) => [meta.title.toLowerCase(), meta.name.toLowerCase()];
    return (
      newest.find((meta) => meta.id === wanted) ??
      newest.find((meta) => words(meta).includes(wanted)) ??
      newest.find((meta) => [meta.id, ...words(meta)].some((word) => word.startsWith(wanted)))
    );
  }

  /**
   * Stores content as an artifact. The same id with the same content again changes nothing; with other content it replaces the
   * artifact. Durable when it resolves.
   */
  create(given: Described & { content: Uint8Array }): Promise<ArtifactRef> {
    return exclusively(this.#index, async () => {
      const sha256 = hash('sha256', given.content);
      const slot = await this.#chooseSlot(given, sha256);
      if (this.#isKept(slot, sha256)) return refOf(slot.old);
      await takeRoom(this.#home, this.#taskId, given.content.byteLength);
      await writeFileAtomic(path.join(this.#folder, slot.file), given.content);
      return refOf(await this.#record(slot, given, { size: given.content.byteLength, sha256 }));
    });
  }

  /**
   * Takes a file that stands in the task's folder (a finished download) into the artifacts by renaming it; `sha256` saves reading
   * it again. As `create` in every other respect.
   * @throws UserError when `path` is not a regular file, or there is no room for it; it is gone then
   */
  adopt(given: Described & { path: string; sha256?: string }): Promise<ArtifactMeta> {
    return exclusively(this.#index, async () => {
      const stat = fs.lstatSync(given.path, { throwIfNoEntry: false });
      if (!stat?.isFile()) throw new UserError(`The file for "${safeTitle(given.title, 'an artifact')}" is missing.`);
      const sha256 = given.sha256 ?? (await sha256File(given.path));
      const slot = await this.#chooseSlot(given, sha256);
      if (this.#isKept(slot, sha256)) {
        fs.rmSync(given.path);
        return slot.old;
      }
      try {
        await takeRoom(this.#home, this.#taskId, stat.size);
      } catch (error) {
        fs.rmSync(given.path);
        throw error;
      }
      fs.chmodSync(given.path, 0o600);
      await syncFile(given.path);
      fs.renameSync(given.path, path.join(this.#folder, slot.file));
      await syncFolder(this.#folder);
      return this.#record(slot, given, { size: stat.size, sha256 });
    });
  }

  /** Keeps an address on the web beside the files; the same one again changes nothing. Nothing of it is fetched. */
  link(given: ArtifactRef): Promise<ArtifactRef> {
    return exclusively(this.#index, async () => {
      const { id, ref } = given;
      const old = this.list().find((meta) => meta.id === id && meta.ref === ref);
      if (old) return refOf(old);
      const title = safeTitle(given.title, ref);
      const link: ArtifactRef = { id, title, type: cleanType(given.type), ref };
      const content = { name: title, size: 0, sha256: '', origin: 'agent' as const };
      await ensureDir(this.#folder);
      await this.#append({ ...link, ...content, createdAt: new Date().toISOString() });
      return link;
    });
  }

  /**
   * Where an artifact's content is. Only the file's name is taken from `meta`.
   * @throws UserError when it is gone or is not a regular file (a link, for example)
   */
  pathOf(meta: Pick<ArtifactRef, 'ref' | 'title'>): string {
    if (isLink(meta)) throw new UserError(`"${meta.title}" is a link: ${meta.ref}`);
    const file = this.#fileOf(meta);
    if (file === undefined) throw new UserError(`The file of "${meta.title}" is no longer there.`);
    return file;
  }

  /** Whether an artifact is a file that is still there. */
  has(meta: Pick<ArtifactRef, 'ref'>): boolean {
    return !isLink(meta) && this.#fileOf(meta) !== undefined;
  }

  /**
   * Bytes that may be added on the word of these people, as tasks list them.
   * @param wanted bytes, as far as they are known before. Throws NoRoom when there is none for them.
   */
  room(people: readonly string[], wanted?: number): Promise<number> {
    return roomIn(this.#home, this.#taskId, people, wanted);
  }

  #fileOf({ ref }: Pick<ArtifactRef, 'ref'>): string | undefined {
    const name = path.posix.basename(ref);
    const file = path.join(this.#folder, name);
    return FILE_NAME.test(name) && !RESERVED.has(path.parse(name).name) && isFile(file) ? file : undefined;
  }

  /**
   * The id and file name of a new or replaced artifact. An id whose file exists without being an artifact is not free, unless a
   * crash left that file with just this content before its line was written.
   */
  async #chooseSlot(given: Described, sha256: string): Promise<Slot> {
    const extension = await extensionOf(cleanType(given.type), given.name);
    const metas = this.list();
    const wanted = usableId(given.id ?? '');
    const old = metas.find((meta) => meta.id === wanted);
    if (old) return { id: wanted, file: `${wanted}.${extension}`, old };
    for (let id = wanted; ; id = randomId()) {
      const file = `${id}.${extension}`;
      if (!isId(id) || RESERVED.has(id) || metas.some((meta) => meta.id === id)) continue;
      const stat = fs.lstatSync(path.join(this.#folder, file), { throwIfNoEntry: false });
      const isFree = !stat || (stat.isFile() && (await sha256File(path.join(this.#folder, file))) === sha256);
      if (isFree) return { id, file, old };
    }
  }

  /** Whether just this content stands there already; a file that somebody has taken away is written again. */
  #isKept(slot: Slot, sha256: string): slot is Slot & { old: ArtifactMeta } {
    const { old, file } = slot;
    if (old === undefined || old.sha256 !== sha256 || path.posix.basename(old.ref) !== file) return false;
    return isFile(path.join(this.#folder, file));
  }

  async #record(slot: Slot, given: Described, content: { size: number; sha256: string }): Promise<ArtifactMeta> {
    const type = cleanType(given.type);
    const extension = path.extname(slot.file).slice(1);
    const title = safeTitle(given.title, given.name ? safeName(given.name, extension) : slot.id);
    const ref: ArtifactRef = { id: slot.id, title, type, ref: `artifacts/${this.#taskId}/${slot.file}` };
    const name = given.name ? safeName(given.name, extension) : nameFromTitle(title, extension);
    const meta: ArtifactMeta = {
      ...ref,
      name,
      ...content,
      origin: given.origin,
      createdAt: new Date().toISOString(),
    };
    await this.#append(meta);
    return meta;
  }

  async #append(meta: ArtifactMeta): Promise<void> {
    await appendLines(this.#index, [JSON.stringify(meta)], { sync: true });
    tellChange(this.#home, { kind: 'artifact', taskId: this.#taskId, artifact: refOf(meta) });
  }
}

/** Whether it stands on the web and not on this machine. */
export const isLink = ({ ref }: Pick<ArtifactRef, 'ref'>): boolean => /^https?:\/\//.test(ref);

/** The id itself, or what stands for it where it cannot be a file's name: the same for the same, so that it can be replaced. */
function usableId(given: string): string {
  const id = given.toLowerCase();
  return id === '' || (isId(id) && !RESERVED.has(id)) ? id : hash('sha256', id).slice(0, 10);
}

function randomId(): string {
  return Array.from({ length: 8 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

const isFile = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;

function refOf({ id, title, type, ref }: ArtifactMeta): ArtifactRef {
  return { id, title, type, ref };
}

const isMeta = objectOf({
  id: (value) => typeof value === 'string' && isId(value),
  title: isText,
  type: isText,
  ref: isText,
  name: isText,
  sha256: isText,
  createdAt: isText,
  size: isInteger,
  origin: oneOf('agent', 'user'),
});
const ABOUT = {
  lost: 'which artifacts a task has',
  next: 'Their files are still in the folder of the task.',
  tell: true,
};
const indexes = createStatCache<readonly ArtifactMeta[]>(256, parseIndex);

/** The last line of each id, oldest first. */
function parseIndex(file: string): ArtifactMeta[] {
  const metas = new Map<string, ArtifactMeta>();
  for (const meta of readJsonLines(file, shape<ArtifactMeta>(isMeta), ABOUT)) {
    metas.delete(meta.id);
    metas.set(meta.id, meta);
  }
  return [...metas.values()];
}
