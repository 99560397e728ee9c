/**
 * Stops that were accepted but not executed yet, by lane. Until then, later messages don't steer the run and the lane
 * starts nothing: what is being stopped must not be mixed with what came later. One process may accept a stop, another
 * execute it, and a third receive the next messages, so they notify each other.
 *
 * Invariant: nobody waits longer than `MOST_MS`, because a notification may be lost.
 */
import { randomUUID } from 'node:crypto';
import { parseJson } from '../../lib/json.ts';
import { isFilled, isFlag, objectOf, shape } from '../../lib/shape.ts';

const MOST_MS = 2_000;
const TOPIC = 'stops';

export interface Processes {
  publish(topic: string, text: string): void;
  subscribe(topic: string, on: (text: string) => void): unknown;
}

interface Word {
  by: string;
  lane: string;
  id: string;
  isOver: boolean;
}
const wordShape = shape<Word>(objectOf({ by: isFilled, lane: isFilled, id: isFilled, isOver: isFlag }));

export class Stopping {
  readonly #byLane = new Map<string, Map<string, PromiseWithResolvers<void>>>();
  readonly #self = randomUUID();
  readonly #processes: Processes | undefined;

  /** @param processes undefined for only one */
  constructor(processes?: Processes) {
    this.#processes = processes;
    processes?.subscribe(TOPIC, (text) => this.#heard(text));
  }

  /** @param id of the message that asks to stop */
  begin(lane: string, id: string): void {
    this.#keep(lane, id);
    this.#tell({ lane, id, isOver: false });
  }

  /** Forgets a stop that was executed, or that had nothing to stop. */
  end(lane: string, id: string): void {
    this.#forget(lane, id);
    this.#tell({ lane, id, isOver: true });
  }

  /** Undefined if there are no stops. */
  over(lane: string): Promise<unknown> | undefined {
    const here = this.#byLane.get(lane);
    return here && Promise.all([...here.values()].map(({ promise }) => promise));
  }

  #keep(lane: string, id: string): void {
    const here = this.#byLane.get(lane) ?? new Map<string, PromiseWithResolvers<void>>();
    if (here.has(id)) return;
    this.#byLane.set(lane, here.set(id, Promise.withResolvers<void>()));
    setTimeout(() => this.#forget(lane, id), MOST_MS).unref();
  }

  #forget(lane: string, id: string): void {
    const here = this.#byLane.get(lane);
    here?.get(id)?.resolve();
    here?.delete(id);
    if (here?.size === 0) this.#byLane.delete(lane);
  }

  #tell(word: Omit<Word, 'by'>): void {
    this.#processes?.publish(TOPIC, JSON.stringify({ by: this.#self, ...word }));
  }

  #heard(text: string): void {
    const { data } = wordShape.safeParse(parseJson(text));
    if (!data || data.by === this.#self) return;
    if (data.isOver) this.#forget(data.lane, data.id);
    else this.#keep(data.lane, data.id);
  }
}
