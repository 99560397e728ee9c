/**
 * Commands that have said "I will tell you" and have not yet: what they promised ends with their process, and whoever waits for it is
 * told so by the next start. Invariants: noted before it is said, removed after its answer is durable; what another process that
 * lives has promised is left to it.
 */
import os from 'node:os';
import { isAddress } from '../../access/link-records.ts';
import type { Address } from '../../channels/channel.ts';
import type { State } from '../../engine/engine.ts';
import { isAlive } from '../../lib/processes.ts';
import { parseJson } from '../../lib/read-json.ts';
import { isFilled, isInteger, isText, listOf, objectOf, optional, shape } from '../../lib/shape.ts';

export interface Owed {
  /** The idempotency key of the answer. */
  id: string;
  trace: string;
  address: Address;
  /** As it was asked for. */
  command?: { name: string; args: string } | undefined;
}

interface Kept extends Owed {
  host: string;
  pid: number;
}

const KEY = 'promised-answers';
const MAX_KEPT = 200;
const TRIES = 50;
const keptShape = shape<Kept[]>(
  listOf(
    objectOf({
      id: isFilled,
      trace: isText,
      address: isAddress,
      host: isText,
      pid: isInteger,
      command: optional(objectOf({ name: isFilled, args: isText })),
    }),
  ),
);

export class Promised {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  add(owed: Owed): Promise<void> {
    return this.#change((all) => [...all, { ...owed, host: os.hostname(), pid: process.pid }].slice(-MAX_KEPT));
  }

  remove(id: string): Promise<void> {
    return this.#change((all) => all.filter((each) => each.id !== id));
  }

  /** Before this process has promised anything: what nobody keeps any more. */
  async left(): Promise<Owed[]> {
    return read(await this.#state.get(KEY)).filter(({ host, pid }) => host === os.hostname() && !isAlive(pid));
  }

  async #change(change: (all: Kept[]) => Kept[]): Promise<void> {
    for (let n = 0; n < TRIES; n++) {
      const before = await this.#state.get(KEY);
      const after = JSON.stringify(change(read(before)));
      if (after === (before ?? '[]') || (await this.#state.cas(KEY, before, after))) return;
    }
    throw new Error('what was promised could not be noted');
  }
}

const read = (text: string | undefined): Kept[] =>
  (text === undefined ? [] : keptShape.safeParse(parseJson(text)).data) ?? [];
