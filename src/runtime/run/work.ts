/**
 * A task at work: one leased lane, the turn that is under way in it, and what may be said to that from outside: `stop` ends it,
 * `steer` ends it for newer messages, which the next turn takes up.
 */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { Lease, Queue } from '../../engine/engine.ts';
import { type AbortReason, RunAbort, reasonOf } from '../contract/abort.ts';
import type { Entry } from '../contract/entry.ts';
import type { RunView } from '../contract/run-view.ts';
import { type Item, steers } from './batches.ts';

export class Work {
  readonly lease: Lease<Entry>;
  view: RunView;
  readonly #queue: Pick<Queue<Entry>, 'extend'>;
  /** Of the turn under way. */
  #controller = new AbortController();
  #intake = new AbortController();
  /** The turn under way has its outcome: it is too late to stop it. */
  #isSettled = false;
  /** Messages that steer: part of the lease already, taken up in the next turn. */
  #joining: Item[] = [];
  /** Stop was asked for, and no turn has been ended by it yet. */
  #isStopped: boolean;

  constructor(queue: Pick<Queue<Entry>, 'extend'>, lease: Lease<Entry>, isStopped: boolean, isEnding: boolean) {
    this.#queue = queue;
    this.lease = lease;
    this.#isStopped = isStopped;
    this.view = { runId: '', startedAt: Date.now(), ...(isEnding ? { isEnding } : {}) };
  }

  /** A turn is made ready: until it begins, what is said counts for it. */
  prepare(): void {
    this.#isSettled = false;
  }

  /** The signals of the turn that begins now, aborted by what was said while it was made ready. */
  begin(run: string, by: { isEnding: boolean; isShutdown: boolean; isSteered: boolean }) {
    this.view = { runId: run, startedAt: this.view.startedAt, ...(by.isEnding ? { isEnding: true } : {}) };
    this.#controller = new AbortController();
    this.#intake = new AbortController();
    if (this.#isStopped) this.abort('stop');
    else if (by.isShutdown) this.abort('shutdown');
    else if (by.isSteered || this.#joining.length > 0) this.abort('steer');
    return { signal: this.#controller.signal, intake: this.#intake.signal };
  }

  /** The turn under way has its outcome. */
  settle(): void {
    this.#isSettled = true;
    this.view.isEnding = true;
  }

  /** The turn is over. Gives what has joined meanwhile, for the next one. */
  end(): Item[] {
    if (reasonOf(this.#controller.signal) === 'stop') this.#isStopped = false;
    return this.#joining.splice(0);
  }

  abort(reason: AbortReason): void {
    if (reason === 'stop') this.view.isEnding = true;
    if (reason !== 'steer') this.#intake.abort(new RunAbort(reason));
    this.#controller.abort(new RunAbort(reason));
  }

  /** Whether there is something to stop: what has its answer cannot be stopped any more, but what joins it can. */
  stop(): boolean {
    if (this.#isSettled && this.#joining.length === 0) return false;
    this.#isStopped = true;
    if (!this.#isSettled) this.abort('stop');
    return true;
  }

  /** Whether something steers it. */
  steer(): boolean {
    // Into the lease before the turn is ended: between an answer and the end of its run nothing may be lost.
    this.#joining.push(...this.#queue.extend(this.lease, steers));
    if (this.#joining.length > 0) this.abort('steer');
    return this.#joining.length > 0;
  }

  watch(event: AgentStreamEvent): void {
    if (this.view.runId !== event.runId) return;
    if (event.type === 'tool-call') this.view.tool = event.tool;
    if (event.type === 'tool-result') delete this.view.tool;
  }
}
