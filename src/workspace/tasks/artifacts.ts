/**
 * The artifacts of a task: files in `artifacts/{taskId}/`, and an append-only index (`artifacts.jsonl`, where the last
 * line of an ID counts). A file is on disk before its line, so an entry never points to half a file. Scripts can write
 * to the folder: nothing in the index is used as a path unchecked.
 */
import { hash, randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { createStatCache } from '../../lib/files/cache.ts';
import { appendLines, ensureDir, sha256File, syncFile, syncFolder, writeFileAtomic } from '../../lib/files.ts';
import { readJsonLines } from '../../lib/json.ts';
import { exclusively } from '../../lib/locks.ts';
import { isInteger, isText, objectOf, oneOf, shape } from '../../lib/shape.ts';
import { type Home, isId } from '../home.ts';
import type { ArtifactRef } from '../types.ts';
import {
  cleanType,
  extensionOf,
  MAX_NAME,
  nameFromTitle,
  numberedName,
  safeName,
  safeTitle,
} from './artifact-names.ts';
import { tellChange } from './changes.ts';
import { roomIn, takeRoom } from './space.ts';

export type ArtifactOrigin = 'agent' | 'user';

export interface ArtifactMeta extends ArtifactRef {
  /** The name for uploads and lists, never a path. */
  name: string;
  /** Bytes. */
  size: number;
  sha256: string;
  origin: ArtifactOrigin;
  /** ISO 8601. */
  createdAt: string;
}

interface ArtifactFields {
  title: string;
  type: string;
  /** One that can't name a file always maps to the same replacement. */
  id?: string | undefined;
  name?: string | undefined;
  origin: ArtifactOrigin;
}

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
// Names of the other files in a task's folder.
const RESERVED = new Set(['task', 'implementation_plan', 'artifacts', 'playbook', 'written', 'processes']);
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

  /** Lists them oldest first. */
  list(): ArtifactMeta[] {
    const own = fs.lstatSync(this.#index, { throwIfNoEntry: false });
    if (own === undefined) return [];
    // The cache treats a dangling link as missing.
    return [...(indexes.get(this.#index, own.isSymbolicLink() ? undefined : own) ?? parseIndex(this.#index))];
  }

  /** Finds what a person means by an ID, title or name, or its beginning; the newest of several. */
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
   * The same ID with other content replaces the artifact; a title that another artifact has gets a number. Durable when
   * it resolves.
   */
  create(given: ArtifactFields & { content: Uint8Array }): Promise<ArtifactRef> {
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
   * Makes a file in the task's folder an artifact by renaming it.
   * @throws UserError when it isn't a regular file, or when there is no room for it and it was deleted
   */
  adopt(given: ArtifactFields & { path: string; sha256?: string }): Promise<ArtifactMeta> {
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

  /** Adds a web address, without fetching it. */
  link(given: ArtifactRef): Promise<ArtifactRef> {
    return exclusively(this.#index, async () => {
      const { id, ref } = given;
      const old = this.list().find((meta) => meta.id === id && meta.ref === ref);
      if (old) return refOf(old);
      const title = numberedName(safeTitle(given.title, ref), this.#namesBeside(id));
      const link: ArtifactRef = { id, title, type: cleanType(given.type), ref };
      const content = { name: title, size: 0, sha256: '', origin: 'agent' as const };
      await ensureDir(this.#folder);
      await this.#append({ ...link, ...content, createdAt: new Date().toISOString() });
      return link;
    });
  }

  /** @throws UserError when it is gone or isn't a regular file (a link, for example) */
  pathOf(meta: { ref: string; title: string }): string {
    if (isLink(meta)) throw new UserError(`"${meta.title}" is a link: ${meta.ref}`);
    const file = this.#fileOf(meta);
    if (file === undefined) throw new UserError(`The file of "${meta.title}" is no longer there.`);
    return file;
  }

  has(meta: { ref: string }): boolean {
    return !isLink(meta) && this.#fileOf(meta) !== undefined;
  }

  /** Returns the bytes that these people may still add. | @throws NoRoom when `wanted` doesn't fit */
  room(people: readonly string[], wanted?: number): Promise<number> {
    return roomIn(this.#home, this.#taskId, people, wanted);
  }

  #fileOf({ ref }: { ref: string }): string | undefined {
    const name = path.posix.basename(ref);
    const file = path.join(this.#folder, name);
    return FILE_NAME.test(name) && !RESERVED.has(path.parse(name).name) && isFile(file) ? file : undefined;
  }

  /**
   * An ID whose file exists without an index entry isn't free, unless a crash left this content there before its line.
   */
  async #chooseSlot(given: ArtifactFields, sha256: string): Promise<Slot> {
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

  /** A deleted file is written again. */
  #isKept(slot: Slot, sha256: string): slot is Slot & { old: ArtifactMeta } {
    const { old, file } = slot;
    if (old === undefined || old.sha256 !== sha256 || path.posix.basename(old.ref) !== file) return false;
    return isFile(path.join(this.#folder, file));
  }

  async #record(slot: Slot, given: ArtifactFields, content: { size: number; sha256: string }): Promise<ArtifactMeta> {
    const type = cleanType(given.type);
    const extension = path.extname(slot.file).slice(1);
    const own = given.name ? safeName(given.name, extension) : undefined;
    const taken = this.#namesBeside(slot.id);
    const title = numberedName(safeTitle(given.title, own ?? slot.id), taken);
    const ref: ArtifactRef = { id: slot.id, title, type, ref: `artifacts/${this.#taskId}/${slot.file}` };
    const name = numberedName(own ?? nameFromTitle(title, extension), taken, MAX_NAME);
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

  /** Returns what the task's other artifacts are called, in lower case: people must be able to tell two apart. */
  #namesBeside(id: string): ReadonlySet<string> {
    const others = this.list().filter((meta) => meta.id !== id);
    return new Set(others.flatMap(({ title, name }) => [title.toLowerCase(), name.toLowerCase()]));
  }

  async #append(meta: ArtifactMeta): Promise<void> {
    await appendLines(this.#index, [JSON.stringify(meta)], { sync: true });
    tellChange(this.#home, { kind: 'artifact', taskId: this.#taskId, artifact: refOf(meta) });
  }
}

export const isLink = ({ ref }: { ref: string }): boolean => /^https?:\/\//.test(ref);

/** A name that can't be a file's has a stable replacement, so that the artifact can be replaced. */
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
  id: isId,
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

function parseIndex(file: string): ArtifactMeta[] {
  const metas = new Map<string, ArtifactMeta>();
  for (const meta of readJsonLines(file, shape<ArtifactMeta>(isMeta), ABOUT)) {
    metas.delete(meta.id);
    metas.set(meta.id, meta);
  }
  return [...metas.values()];
}
