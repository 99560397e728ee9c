/**
 * A task at work: one leased lane, the turn that is under way in it, and what may be said to that from outside: `stop` ends it,
 * `steer` ends it for newer messages, which the next turn takes up.
 */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import { type Arrival, isBefore } from '../../engine/arrival.ts';
import type { LaneView, Lease, Queue } from '../../engine/engine.ts';
import { LeaseLost } from '../../errors.ts';
import { type AbortReason, RunAbort } from '../contract/abort.ts';
import { arrivalOf, type Entry } from '../contract/entry.ts';
import { cutsOff, type Item } from './batches.ts';

/** The lanes that this process works on. */
export interface Lanes {
  works: Map<string, Work>;
  /** How often the work of a lane has failed in a row. */
  failures: Map<string, number>;
  /** The process ends: nothing can be stopped any more. */
  isStopping: boolean;
}

export const createLanes = (): Lanes => ({ works: new Map(), failures: new Map(), isStopping: false });

export class Work {
  readonly lease: Lease<Entry>;
  readonly #queue: Pick<Queue<Entry>, 'extend' | 'show'>;
  #view: LaneView;
  /** Of the turn under way. */
  #controller = new AbortController();
  #intake = new AbortController();
  /** The turn under way has its outcome, or was ended for newer words: it is too late to stop it alone. */
  #isSettled = false;
  /** What the turn under way, or made ready, was told. */
  #turn: readonly Item[];
  /** Messages that steer: part of the lease already, taken up in the next turn. */
  #joining: Item[] = [];
  /** Being taken into the lease, for the next turn. */
  readonly #steering = new Set<Promise<boolean>>();
  /** A turn was made ready. */
  #hasBegun = false;
  /** There is no next turn. */
  #isOver = false;
  /** What was decided is being done: whoever steers waits until the model is asked again. */
  #isDoing = false;
  /** Somebody steers it who waits for that. */
  #isCutNext = false;
  /** Ids of what was stopped while it was part of a turn, or joined one. */
  readonly #stopped = new Set<string>();

  constructor(queue: Pick<Queue<Entry>, 'extend' | 'show'>, lease: Lease<Entry>, isEnding: boolean) {
    this.#queue = queue;
    this.lease = lease;
    this.#turn = lease.items;
    this.#view = { runId: '', startedAt: Date.now() };
    this.#show(isEnding ? { isEnding } : {});
    // The next owner goes on with the run, as after a shutdown.
    lease.lost.addEventListener('abort', () => this.abort('shutdown'));
  }

  /** A turn is made ready: until it begins, what is said counts for it. */
  prepareTurn(turn: readonly Item[]): void {
    this.#turn = turn;
    this.#hasBegun = true;
    this.#isSettled = false;
  }

  /** The signals of the turn that begins now, aborted by what was said while it was made ready. */
  beginTurn(run: string, by: { isEnding: boolean; isShutdown: boolean; isSteered: boolean }) {
    this.#isDoing = this.#turn.at(-1)?.message.resume !== undefined;
    this.#view = { runId: run, startedAt: this.#view.startedAt };
    this.#show(by.isEnding ? { isEnding: true } : {});
    this.#controller = new AbortController();
    this.#intake = new AbortController();
    if (this.#turn.every((item) => this.#isStopped(item))) this.abort('stop');
    else if (by.isShutdown) this.abort('shutdown');
    else if (by.isSteered || this.#joining.length > 0) this.#cut();
    return { signal: this.#controller.signal, intake: this.#intake.signal };
  }

  /** The turn under way has its outcome. */
  settle(): void {
    this.#isSettled = true;
    this.#show({ isEnding: true });
  }

  /** The turn is over. Gives what has joined meanwhile, for the next one. */
  async endTurn(): Promise<Item[]> {
    while (this.#steering.size > 0) await Promise.allSettled(this.#steering);
    this.#isDoing = false;
    this.#isCutNext = false;
    return this.#joining.splice(0).map((item) => (this.#isStopped(item) ? { ...item, isStopped: true } : item));
  }

  abort(reason: AbortReason): void {
    if (reason === 'stop') this.#show({ isEnding: true });
    if (reason !== 'steer') this.#intake.abort(new RunAbort(reason));
    this.#controller.abort(new RunAbort(reason));
  }

  /**
   * Whether there is something to stop: what has its answer cannot be stopped any more, but what joins it can. With `before` only what
   * came in before that is stopped, and a turn that was told anything later goes on: who writes after a stop is answered.
   */
  stop(before?: Arrival): boolean {
    const isMeant = (item: Item) => before === undefined || isBefore(arrivalOf(item), before);
    const endsTurn = !this.#isSettled && this.#turn.every(isMeant);
    const joining = this.#joining.filter(isMeant);
    for (const { id } of [...this.#turn.filter(isMeant), ...joining]) this.#stopped.add(id);
    if (endsTurn) this.abort('stop');
    return endsTurn || joining.length > 0;
  }

  /** Whether something steers it. */
  async steer(): Promise<boolean> {
    const steering = this.#steer();
    this.#steering.add(steering);
    try {
      return await steering;
    } catch (error) {
      // With its last message gone the lane has its next owner, who takes it up.
      if (error instanceof LeaseLost) return false;
      throw error;
    } finally {
      this.#steering.delete(steering);
    }
  }

  /** Until its first turn is made ready, the engine knows what is stopped. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** There is no turn after this one: what comes waits in the lane. */
  close(): void {
    this.#isOver = true;
  }

  watch(event: AgentStreamEvent): void {
    if (this.#view.runId !== event.runId) return;
    if (event.type === 'state-change' && event.state === 'thinking') this.#done();
    if (event.type === 'tool-call') this.#show({ tool: event.tool });
    if (event.type !== 'tool-result') return;
    delete this.#view.tool;
    this.#show({});
  }

  async #steer(): Promise<boolean> {
    // Into the lease before the turn is ended: between an answer and the end of its run nothing may be lost.
    this.#joining.push(...(await this.#queue.extend(this.lease, (item) => cutsOff(item, this.#turn))));
    if (this.#joining.length > 0) this.#cut();
    return this.#joining.length > 0;
  }

  /** Ends the turn for newer words; what somebody has said yes to is done before that. */
  #cut(): void {
    if (this.#isDoing) this.#isCutNext = true;
    else this.abort('steer');
  }

  /** The model is asked: what was decided is done, and stands in the session. */
  #done(): void {
    this.#isDoing = false;
    if (!this.#isCutNext) return;
    this.#isCutNext = false;
    this.abort('steer');
  }

  #isStopped({ id, isStopped = false }: Item): boolean {
    return isStopped || this.#stopped.has(id);
  }

  #show(more: Partial<LaneView>): void {
    Object.assign(this.#view, more);
    this.#queue.show(this.lease, this.#view);
  }
}
