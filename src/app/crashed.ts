/**
 * Keeps messages that the engine gave up after crashes until their people can be told. Other processes may crash at any
 * time, so more messages may follow.
 */
import type { QueueItem } from '../engine/engine.ts';
import type { Entry } from '../runtime/contract/entry.ts';

type Tell = (item: QueueItem<Entry>, reason: string) => Promise<void>;

export class CrashReports {
  readonly #kept: ((tell: Tell) => Promise<void>)[] = [];
  #tell: Tell | undefined;

  /** Resolves once the message's people have been told. */
  note(item: QueueItem<Entry>, reason: string): Promise<void> {
    if (this.#tell) return this.#tell(item, reason);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#kept.push(async (tell) => {
      const told = tell(item, reason);
      resolve(told);
      await told;
    });
    return promise;
  }

  /** Resolves once all kept messages have been reported, or couldn't be. */
  async tellBy(tell: Tell): Promise<void> {
    this.#tell = tell;
    await Promise.allSettled(this.#kept.splice(0).map((kept) => kept(tell)));
  }
}
