/**
 * Commands that promised a later answer. A promise ends with its process, and the next start tells people so.
 * Invariants: a promise is stored before it is sent and removed after its answer is durable; promises of another live
 * process are left to it.
 */
import os from 'node:os';
import { isAddress } from '../../access/principal.ts';
import { type Address, conversationKey } from '../../channels/channel.ts';
import type { State } from '../../engine/engine.ts';
import { parseJson } from '../../lib/json.ts';
import { isAlive } from '../../lib/processes.ts';
import { isFilled, isInteger, isText, listOf, objectOf, optional, shape } from '../../lib/shape.ts';

export interface PromisedAnswer {
  id: string;
  trace: string;
  address: Address;
  command?: { name: string; args: string } | undefined;
}

interface StoredPromise extends PromisedAnswer {
  host: string;
  pid: number;
}

const KEY = 'promised-answers';
const MAX_KEPT = 200;
const TRIES = 50;
const keptShape = shape<StoredPromise[]>(
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

export class PromisedAnswers {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  add(owed: PromisedAnswer): Promise<void> {
    return this.#change((all) => [...all, { ...owed, host: os.hostname(), pid: process.pid }].slice(-MAX_KEPT));
  }

  remove(id: string): Promise<void> {
    return this.#change((all) => all.filter((each) => each.id !== id));
  }

  /** Promises of ended processes. Called before this process promises anything. */
  async left(): Promise<PromisedAnswer[]> {
    return readPromises(await this.#state.get(KEY)).filter(({ host, pid }) => host === os.hostname() && !isAlive(pid));
  }

  async isOwedAt(address: Address): Promise<boolean> {
    const key = conversationKey(address);
    return readPromises(await this.#state.get(KEY)).some((owed) => conversationKey(owed.address) === key);
  }

  async #change(change: (all: StoredPromise[]) => StoredPromise[]): Promise<void> {
    for (let n = 0; n < TRIES; n++) {
      const before = await this.#state.get(KEY);
      const after = JSON.stringify(change(readPromises(before)));
      if (after === (before ?? '[]') || (await this.#state.cas(KEY, before, after))) return;
    }
    throw new Error('what was promised could not be noted');
  }
}

const readPromises = (text: string | undefined): StoredPromise[] =>
  (text === undefined ? [] : keptShape.safeParse(parseJson(text)).data) ?? [];
