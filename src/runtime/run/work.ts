/**
 * The work on a task: one leased lane, its running turn, and the signals from outside: `stop` ends the turn, `steer`
 * ends it for newer messages, which the next turn handles.
 */

import type { AgentStreamEvent } from '../../channels/channel.ts';
import { type Arrival, isBefore } from '../../engine/arrival.ts';
import type { LaneView, Lease, Queue } from '../../engine/engine.ts';
import { LeaseLost } from '../../errors.ts';
import { type AbortReason, RunAbort } from '../contract/abort.ts';
import { arrivalOf, type Entry } from '../contract/entry.ts';
import { cutsOff, type Item } from './batches.ts';

export interface Lanes {
  works: Map<string, Work>;
  /** How often the work of a lane has failed in a row. */
  failures: Map<string, number>;
  /** Tasks with work that waits until their run has an answer. */
  awaited: Set<string>;
  /** The process ends: nothing can be stopped any more. */
  isStopping: boolean;
}

export const createLanes = (): Lanes => ({
  works: new Map(),
  failures: new Map(),
  awaited: new Set(),
  isStopping: false,
});

export class Work {
  readonly lease: Lease<Entry>;
  readonly #queue: Queue<Entry>;
  #view: LaneView;
  /** Aborts the running turn. */
  #controller = new AbortController();
  #intake = new AbortController();
  /** The running turn has its outcome, or was ended for newer words: it is too late to stop it alone. */
  #isSettled = false;
  /** The messages of the running turn, or of the one being prepared. */
  #turn: readonly Item[];
  /** Steering messages that are already part of the lease; the next turn handles them. */
  #joining: Item[] = [];
  /** Pending additions to the lease for the next turn. */
  readonly #steering = new Set<Promise<boolean>>();
  #hasBegun = false;
  #isOver = false;
  /** A decided call is running: steering waits until the model is asked again. */
  #isDoing = false;
  /** Steering is waiting for that. */
  #isCutNext = false;
  /** IDs of messages that were stopped while they were part of a turn, or joined one. */
  readonly #stopped = new Set<string>();

  constructor(queue: Queue<Entry>, lease: Lease<Entry>, isEnding: boolean) {
    this.#queue = queue;
    this.lease = lease;
    this.#turn = lease.items;
    this.#view = { runId: '', startedAt: Date.now() };
    this.#show(isEnding ? { isEnding } : {});
    // The next owner continues the run, as after a shutdown.
    lease.lost.addEventListener('abort', () => this.abort('shutdown'));
  }

  /** Prepares a turn: until it begins, signals already apply to it. */
  prepareTurn(turn: readonly Item[]): void {
    this.#turn = turn;
    this.#hasBegun = true;
    this.#isSettled = false;
  }

  /** Returns the signals of the turn that begins now, aborted by what arrived while it was prepared. */
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

  settle(): void {
    this.#isSettled = true;
    this.#show({ isEnding: true });
  }

  /** Ends the turn and returns the messages that joined, for the next one. */
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
   * Stops the turn, and returns whether there was something to stop. A turn that has its answer can't be stopped any
   * more, but messages that join it can. With `before` only earlier messages are stopped, and a turn with any later
   * message continues: a message that was written after a stop gets an answer.
   */
  stop(before?: Arrival): boolean {
    const isMeant = (item: Item) => before === undefined || isBefore(arrivalOf(item), before);
    const endsTurn = !this.#isSettled && this.#turn.every(isMeant);
    const joining = this.#joining.filter(isMeant);
    for (const { id } of [...this.#turn.filter(isMeant), ...joining]) this.#stopped.add(id);
    if (endsTurn) this.abort('stop');
    return endsTurn || joining.length > 0;
  }

  /** Lets new messages steer the turn. Returns whether any do. */
  async steer(): Promise<boolean> {
    const steering = this.#steer();
    this.#steering.add(steering);
    try {
      return await steering;
    } catch (error) {
      // Without its last message the lane already has its next owner, who handles it.
      if (error instanceof LeaseLost) return false;
      throw error;
    } finally {
      this.#steering.delete(steering);
    }
  }

  /** Until the first turn is prepared, the engine records what is stopped. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Marks that no turn follows: new messages wait in the lane. */
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
    // Extend the lease before ending the turn: nothing may be lost between an answer and the end of its run.
    this.#joining.push(...(await this.#queue.extend(this.lease, (item) => cutsOff(item, this.#turn))));
    if (this.#joining.length > 0) this.#cut();
    return this.#joining.length > 0;
  }

  /** Ends the turn for newer words, but only after an approved call has run. */
  #cut(): void {
    if (this.#isDoing) this.#isCutNext = true;
    else this.abort('steer');
  }

  /** Called when the model is asked: the decided call has run and is in the session. */
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
