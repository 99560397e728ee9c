/**
 * Follows one accepted request until its outcome, and passes the words of its run on to listeners. A later listener
 * gets all of them. When the last one leaves, the run is stopped, unless the same request comes back in time: programs
 * retry by themselves after a lost connection.
 */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { ApprovalRequest } from '../../runtime/contract/approval.ts';
import type { News } from '../../runtime/contract/news.ts';
import { GrowingText } from '../../runtime/reply/growing-text.ts';
import type { ResultLine, RunOutcome } from './outcome.ts';

/** How a request ended; a question ends it too, and its answer is another request. */
export type End =
  | { kind: 'result'; result: ResultLine; run: string }
  | { kind: 'asked'; request: ApprovalRequest }
  | { kind: 'gone'; state: 'error' | 'stopped' };

/** The outcome in the words that the program receives. */
export interface EndText {
  end: End;
  text: string;
}

export interface Listener {
  text(piece: string): void;
  /** `rest` is the text after the last piece. */
  end(ending: EndText, rest: string): void;
}

export interface TurnOptions {
  /** The run that answers, once it is in the session. */
  outcome(run: string | undefined): RunOutcome;
  /** Returns the question of a run that waits for a person. */
  question(run: string): ApprovalRequest | undefined;
  write(end: End): EndText;
  /** Called once with each form of the text, and awaited before listeners receive the outcome. Must not reject. */
  onEnd(ending: EndText, forms: readonly string[]): Promise<void>;
  /** Called when nobody has listened for a while and the run continues. */
  onAbandoned(): void;
  /** Called when it has ended and nobody listens, so it can be dropped. */
  onOver(): void;
}

/** Programs wait half a second to two seconds before they retry. */
const RETURN_MS = 3_000;
const LOOK_MS = 100;

export class Turn {
  readonly #options: TurnOptions;
  readonly #listeners = new Set<Listener>();
  readonly #text = new GrowingText();
  #run: string | undefined;
  #ending: EndText | undefined;
  #rest = '';
  #isEnding = false;
  #lookedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TurnOptions, run?: string) {
    this.#options = options;
    this.#run = run;
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  get isOver(): boolean {
    return this.#ending !== undefined;
  }

  /** Returns a function that stops listening. */
  listen(listener: Listener): () => void {
    clearTimeout(this.#timer);
    this.#listeners.add(listener);
    const so = this.#text.shown.slice(0, this.#text.shown.length - this.#rest.length);
    if (so !== '') listener.text(so);
    if (this.#ending) listener.end(this.#ending, this.#rest);
    return () => this.#leave(listener);
  }

  #leave(listener: Listener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    if (this.#ending) this.#options.onOver();
    else this.#timer = setTimeout(() => this.#options.onAbandoned(), RETURN_MS).unref();
  }

  /** Passes on progress of the run that answers, and ignores other runs. */
  progress(event: AgentStreamEvent): void {
    if (this.#isEnding || !this.#isOurs(event.runId)) return;
    // The model begins another step, or repeats this one.
    if (event.type === 'tool-call' || (event.type === 'state-change' && event.state === 'thinking'))
      this.#text.endStep();
    if (event.type !== 'text-delta') return;
    const piece = event.whole ? this.#text.replace(event.content) : this.#text.add(event.content);
    if (piece !== '') for (const listener of this.#listeners) listener.text(piece);
  }

  hear(news: News): void {
    const state = news.type === 'task:state' ? news.state : undefined;
    this.look(state === 'error' || state === 'stopped' ? state : undefined);
  }

  /** @param gone the task's state, if the message may have been dropped before any run began */
  look(gone?: 'error' | 'stopped'): void {
    if (this.#isEnding) return;
    const { run, result } = this.#options.outcome(this.#run);
    this.#run = run;
    const request = run === undefined || result ? undefined : this.#options.question(run);
    if (run !== undefined && result) void this.#finish({ kind: 'result', result, run });
    else if (request) void this.#finish({ kind: 'asked', request });
    else if (gone && run === undefined) void this.#finish({ kind: 'gone', state: gone });
  }

  #isOurs(runId: string): boolean {
    if (this.#run !== runId && performance.now() - this.#lookedAt > LOOK_MS) {
      this.#run = this.#options.outcome(this.#run).run;
      this.#lookedAt = performance.now();
    }
    return this.#run === runId;
  }

  async #finish(end: End): Promise<void> {
    this.#isEnding = true;
    const ending = this.#options.write(end);
    this.#rest = this.#text.finish(ending.text);
    await this.#options.onEnd(ending, [...new Set([ending.text, this.#text.shown])]);
    this.#ending = ending;
    clearTimeout(this.#timer);
    for (const listener of this.#listeners) listener.end(ending, this.#rest);
    if (this.#listeners.size === 0) this.#options.onOver();
  }
}
