/**
 * Messages that the engine has given up for the crashes they were part of. Those of before somebody tells their people are kept until
 * then; other processes may end at any time, so more may follow.
 */
import type { QueueItem } from '../engine/engine.ts';
import type { Entry } from '../runtime/contract/entry.ts';

type Tell = (item: QueueItem<Entry>, reason: string) => void;

export class Crashed {
  readonly #kept: Parameters<Tell>[] = [];
  #tell: Tell | undefined;

  note(item: QueueItem<Entry>, reason: string): void {
    if (this.#tell) this.#tell(item, reason);
    else this.#kept.push([item, reason]);
  }

  tellBy(tell: Tell): void {
    this.#tell = tell;
    for (const [item, reason] of this.#kept.splice(0)) tell(item, reason);
  }
}
