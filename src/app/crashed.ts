/**
 * Messages that the engine has given up for the crashes that they were part of. Those that are given up before somebody can tell their
 * people are kept until then; other processes may end at any time, so more may follow.
 */
import type { QueueItem } from '../engine/engine.ts';
import type { Entry } from '../runtime/contract/entry.ts';

type Tell = (item: QueueItem<Entry>, reason: string) => Promise<void>;

export class Crashed {
  readonly #kept: ((tell: Tell) => Promise<void>)[] = [];
  #tell: Tell | undefined;

  /** Resolves once their people have been told. */
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

  /** Resolves once all have been told that were kept, or could not be told. */
  async tellBy(tell: Tell): Promise<void> {
    this.#tell = tell;
    await Promise.allSettled(this.#kept.splice(0).map((kept) => kept(tell)));
  }
}
