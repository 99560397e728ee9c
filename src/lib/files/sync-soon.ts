/** Syncs files soon after a change: many calls for one file cost one sync. */
import { errorCode } from '../../errors.ts';
import { syncFile } from '../files.ts';

const WITHIN_MS = 500;

export class SyncSoon {
  readonly #dirty = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  add(file: string): void {
    this.#dirty.add(file);
    this.#timer ??= setTimeout(() => void this.flush(), WITHIN_MS);
  }

  /** Never rejects for a file that was removed in between; a failing disk is reported to the next writer. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const files = [...this.#dirty];
    this.#dirty.clear();
    this.#flushing = this.#flushing.then(() => Promise.all(files.map(sync))).then(() => undefined);
    return this.#flushing;
  }
}

async function sync(file: string): Promise<void> {
  try {
    await syncFile(file);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
