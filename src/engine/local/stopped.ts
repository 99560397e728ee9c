/**
 * Messages stopped while they waited: `spool/stopped.json`, a list of IDs. Effective at once, durable when `add`
 * resolves.
 *
 * Invariant: a stopped message stays stopped until it is finished, across restarts.
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

  /** @param isUnfinished finished messages need no mark */
  constructor(root: string, isUnfinished: (id: string) => boolean) {
    this.#file = path.join(root, 'stopped.json');
    this.#ids = new Set(readJson(this.#file, idsShape, ABOUT)?.filter(isUnfinished));
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** @throws StorageError when they can't be written; they then stay stopped while this process lives */
  async add(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#ids.add(id);
    await serialise(this.#file, async () => {
      // Taken now, since some may have been finished while this waited.
      const text = `${JSON.stringify([...this.#ids])}\n`;
      await writeFileAtomic(this.#file, text).catch((error: unknown) => Promise.reject(toStorageError(error)));
    });
  }

  /** Unmarks a message that is finished or was never stored. The file changes with the next write. */
  delete(id: string): void {
    this.#ids.delete(id);
  }
}
