/**
 * The work on a task: one leased lane, its running turn, and the signals from outside: `stop` ends the turn, `steer`
 * ends it for newer messages, which the next turn handles.
 */

import type { AgentStreamEvent } from '../../channels/channel.ts';
import { type Arrival, isBefore } from '../../engine/arrival.ts';
import type { LaneView, Lease, Queue } from '../../engine/engine.ts';
import { LeaseLost } from '../../errors.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Span, Tracing } from '../../telemetry/tracing.ts';
import { type AbortReason, RunAbort } from '../contract/abort.ts';
import { arrivalOf, type Entry, traceOf } from '../contract/entry.ts';
import { splitModelName } from '../contract/providers.ts';
import type { ModelTry, TurnWatch } from '../contract/watch.ts';
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

export interface Watching {
  metrics: Metrics;
  /** Absent if tracing is off. */
  tracing?: Tracing | undefined;
}

const waited = ({ acceptedAt }: Item): number => (Date.now() - Date.parse(acceptedAt)) / 1000;
const channelLabel = ({ message }: Item): { channel: string } => ({ channel: message.message.address.channel });

/**
 * Messages that have received the first word of an answer; a turn that was steered into the next may have sent it
 * already.
 */
const answered = new WeakSet<Item>();

/** Records the waiting time when work on messages begins. A repeated attempt has waited for something else. */
export function noteWait(items: readonly Item[], isAgain: boolean, { metrics, tracing }: Watching): void {
  if (isAgain) return;
  for (const item of items) {
    metrics.observe('viber_queue_wait_seconds', channelLabel(item), waited(item));
    if (tracing) traceWait(item, tracing);
  }
}

/** Starts the trace if the message didn't come from a platform. */
function traceWait({ id, acceptedAt, message: { job, resume } }: Item, tracing: Tracing): void {
  const begin = job || resume ? tracing.root : tracing.stage;
  begin(id, 'queue', { at: Date.parse(acceptedAt), attributes: { 'viber.trace': traceOf(id) } }).end();
}

interface WatchedTurn {
  run: string;
  /** All messages that it answers, including those of turns that were steered into it. */
  items: readonly Item[];
  isAgain: boolean;
}

/** Measures and traces a turn: how long its messages waited in the queue and for the first word of an answer. */
export function watchTurn({ run, items, isAgain }: WatchedTurn, { metrics, tracing }: Watching): TurnWatch {
  let hasSpoken = false;
  const word = () => {
    if (hasSpoken) return;
    hasSpoken = true;
    for (const item of items) {
      // Nobody waits for the first word of a job.
      if (item.message.job || answered.has(item)) continue;
      answered.add(item);
      metrics.observe('viber_first_word_seconds', channelLabel(item), waited(item));
    }
  };
  const [head, ...others] = items;
  if (!tracing || !head) return { word };
  const { viber, taskId, job } = head.message;
  const span = tracing.stage(head.id, `invoke_agent ${viber}`, {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': viber,
      'gen_ai.conversation.id': taskId,
      'viber.trace': traceOf(head.id),
      'viber.run': run,
      'viber.resumed': isAgain,
      'viber.job': job?.id,
    },
    links: others.map(({ id }) => id),
  });
  return {
    word,
    stage(name) {
      const stage = span.child(name);
      return () => stage.end();
    },
    model: (name) => traceModel(span, name),
    tool(name, callId) {
      const call = span.child(`execute_tool ${name}`, {
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.type': 'function',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': callId,
        },
      });
      return (error) => call.end(undefined, error);
    },
    end: (state, error) => span.end({ 'viber.state': state }, error),
  };
}

/** Uses the terms of https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/, without any content. */
function traceModel(span: Span, name: string): (ended: ModelTry) => void {
  const { provider, model } = splitModelName(name);
  const call = span.child(`chat ${model}`, {
    kind: 'client',
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model },
  });
  return ({ usage, finish, error }) =>
    call.end(
      {
        'gen_ai.usage.input_tokens': usage?.inputTokens,
        'gen_ai.usage.output_tokens': usage?.outputTokens,
        'gen_ai.usage.cache_read.input_tokens': usage?.cachedInputTokens,
        'gen_ai.response.finish_reasons': finish === undefined ? undefined : [finish],
      },
      error,
    );
}
