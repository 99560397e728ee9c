/**
 * Files that programs and the Board upload before the message that names them: `spool/uploads/{id}` with `{id}.json`,
 * which is written last. One that no message names is deleted after a day, any other after thirty.
 */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../errors.ts';
import { ensureDir } from '../lib/files.ts';
import { peekJson, readJson } from '../lib/json.ts';
import { isCount, isFilled, isFlag, objectOf, optional, shape } from '../lib/shape.ts';
import { writeJson } from '../lib/write-json.ts';
import { say, type Wording } from '../messages/messages.ts';
import { cleanType, extensionOf, safeName } from './tasks/index.ts';

export interface Upload {
  /** `uploads/{id}` */
  ref: string;
  name: string;
  /** MIME type. */
  type: string;
  /** Bytes. */
  size: number;
  sha256: string;
}

interface StoredUpload extends Omit<Upload, 'ref'> {
  /** The sender. Nobody else may name it. */
  by: string;
  /** A message has named it. */
  named?: boolean;
}

interface Running {
  count: number;
  growing: number;
  /** The bytes that these uploads may still take together. */
  left: number;
}

export const largeFile = (maxBytes: number): Wording =>
  say('requests.largeFile', { n: String(Math.floor(maxBytes / 1024)) });

/** The message gives the limit. */
export class UploadRefused extends UserError {
  readonly why: 'too_large' | 'too_many';
  constructor(why: 'too_large' | 'too_many', said: Wording) {
    super(said);
    this.why = why;
  }
}

const keptShape = shape<StoredUpload>(
  objectOf({
    name: isFilled,
    type: isFilled,
    size: isCount,
    sha256: isFilled,
    by: isFilled,
    named: optional(isFlag),
  }),
);
const ABOUT = { lost: 'an uploaded file', next: 'It has to be sent again.' };
const REF = /^uploads\/([0-9a-f]{32})$/;
const FILE = /^(?:\.part-)?([0-9a-f]{32})/;
const DAY_MS = 86_400_000;
const KEPT_DAYS = { unnamed: 1, named: 30 } as const;
const MAX_WAITING = 100;
const MAX_RUNNING = 20;

export class Uploads {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #budgetOf: (by: string) => number;
  readonly #running = new Map<string, Running>();

  /**
   * @param maxBytes of one file; all unnamed files of one sender may have ten times as many
   * @param budgetOf bytes of all stored files of one sender
   */
  constructor(
    home: { spool: string },
    maxBytes: number,
    budgetOf: (by: string) => number = () => Number.POSITIVE_INFINITY,
  ) {
    this.#folder = path.join(home.spool, 'uploads');
    this.#maxBytes = maxBytes;
    this.#budgetOf = budgetOf;
  }

  /**
   * Durable when it resolves; leaves nothing behind when it rejects.
   * @param given metadata, never a path
   * @throws UploadRefused when the file is too large or the sender has too many unnamed files
   */
  async store(by: string, given: { name: string; type: string }, body: AsyncIterable<Uint8Array>): Promise<Upload> {
    await ensureDir(this.#folder);
    const running = this.#begin(by);
    const id = randomBytes(16).toString('hex');
    const part = path.join(this.#folder, `.part-${id}`);
    let size = 0;
    const grow = (bytes: number) => {
      size += bytes;
      running.growing += bytes;
      const isTooLarge = size > this.#maxBytes;
      if (!isTooLarge && running.growing <= running.left) return;
      const most = isTooLarge ? this.#maxBytes : Math.max(0, running.left - running.growing + size);
      throw new UploadRefused('too_large', largeFile(most));
    };
    try {
      const written = await pour(body, part, grow);
      await rename(part, this.#path(id));
      const type = cleanType(given.type);
      const kept: StoredUpload = {
        name: safeName(given.name, await extensionOf(type, given.name)),
        type,
        ...written,
        by,
      };
      this.#write(id, kept);
      running.left -= size;
      return { ref: `uploads/${id}`, name: kept.name, type, ...written };
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    } finally {
      running.growing -= size;
      running.count -= 1;
      if (running.count === 0) this.#running.delete(by);
    }
  }

  /** Returns undefined when it is gone, or somebody else uploaded it. */
  find(by: string, ref: string): (Upload & { path: string }) | undefined {
    const id = REF.exec(ref)?.[1] ?? '';
    const kept = id === '' ? undefined : readJson(this.#about(id), keptShape, ABOUT);
    if (!kept || kept.by !== by || !fs.existsSync(this.#path(id))) return undefined;
    const { name, type, size, sha256 } = kept;
    return { ref, name, type, size, sha256, path: this.#path(id) };
  }

  /** A message that is about to be stored names it. */
  keep(ref: string): void {
    const id = REF.exec(ref)?.[1] ?? '';
    const kept = id === '' ? undefined : peekJson(this.#about(id), keptShape);
    if (kept && !kept.named) this.#write(id, { ...kept, named: true });
  }

  sweep(now: Date): void {
    for (const name of this.#names()) {
      const id = FILE.exec(name)?.[1];
      if (id === undefined) continue;
      const isNamed = peekJson(this.#about(id), keptShape)?.named === true;
      const file = path.join(this.#folder, name);
      const age = now.getTime() - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now.getTime());
      if (age > KEPT_DAYS[isNamed ? 'named' : 'unnamed'] * DAY_MS) fs.rmSync(file, { force: true });
    }
  }

  /** @throws UploadRefused when the sender has too much already */
  #begin(by: string): Running {
    const left = this.#roomOf(by);
    const running = Object.assign(this.#running.get(by) ?? { count: 0, growing: 0 }, { left });
    if (running.count >= MAX_RUNNING || running.growing >= running.left)
      throw new UploadRefused('too_many', say('requests.manyUploads'));
    running.count += 1;
    this.#running.set(by, running);
    return running;
  }

  #roomOf(by: string): number {
    const all = this.#names()
      .filter((name) => name.endsWith('.json'))
      .map((name) => peekJson(path.join(this.#folder, name), keptShape))
      .filter((kept) => kept?.by === by);
    const waiting = all.filter((kept) => !kept?.named);
    const sizeOf = (some: typeof all) => some.reduce((sum, kept) => sum + (kept?.size ?? 0), 0);
    const inAll = this.#budgetOf(by) - sizeOf(all);
    if (inAll <= 0) throw new UploadRefused('too_many', say('requests.uploadSpace'));
    const left = Math.min(10 * this.#maxBytes - sizeOf(waiting), inAll);
    if (waiting.length >= MAX_WAITING || left <= 0) throw new UploadRefused('too_many', say('requests.unusedUploads'));
    return left;
  }

  #names(): string[] {
    return fs.existsSync(this.#folder) ? fs.readdirSync(this.#folder) : [];
  }

  #write(id: string, kept: StoredUpload): void {
    writeJson(this.#about(id), kept);
  }

  #path(id: string): string {
    return path.join(this.#folder, id);
  }

  #about(id: string): string {
    return path.join(this.#folder, `${id}.json`);
  }
}

async function pour(
  body: AsyncIterable<Uint8Array>,
  file: string,
  grow: (bytes: number) => void,
): Promise<{ size: number; sha256: string }> {
  const target = await open(file, 'wx', 0o600);
  const digest = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      grow(chunk.length);
      digest.update(chunk);
      await target.writeFile(chunk);
    }
    await target.datasync();
  } finally {
    await target.close();
  }
  return { size, sha256: digest.digest('hex') };
}
