/**
 * Which messages were stopped while they waited: `spool/stopped.json`, a list of ids. In force at once, durable when `add` resolves.
 *
 * Invariant: a message that was stopped stays so until it is finished, however often the gateway is started meanwhile.
 */
import path from 'node:path';
import { toStorageError } from '../../errors.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import { serialise } from '../../lib/locks.ts';
import { readJson } from '../../lib/read-json.ts';
import { isFilled, listOf, shape } from '../../lib/shape.ts';

const idsShape = shape<string[]>(listOf(isFilled));
const ABOUT = { lost: 'which waiting messages were stopped', next: 'They are worked on. Stop them again.', tell: true };

export class Stopped {
  readonly #file: string;
  readonly #ids: Set<string>;

  /** @param isUnfinished what is finished needs no mark any more */
  constructor(root: string, isUnfinished: (id: string) => boolean) {
    this.#file = path.join(root, 'stopped.json');
    this.#ids = new Set(readJson(this.#file, idsShape, ABOUT)?.filter(isUnfinished));
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Throws a StorageError when they cannot be written: then they are stopped for as long as this process lives. */
  async add(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#ids.add(id);
    await serialise(this.#file, async () => {
      // One that was finished meanwhile is not among them any more.
      const text = `${JSON.stringify([...this.#ids])}\n`;
      await writeFileAtomic(this.#file, text).catch((error: unknown) => Promise.reject(toStorageError(error)));
    });
  }

  /** It is finished, or was never stored: its mark leaves the file with the next that is written. */
  delete(id: string): void {
    this.#ids.delete(id);
  }
}
