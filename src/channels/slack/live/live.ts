/**
 * How Slack shows the progress of a run: what it is doing, or with `text` what it writes. Invariants: nothing throws; one call a run
 * at a time; after the end a status message that no answer replaces is taken away.
 */

import { within } from '../../../lib/within.ts';
import type { Logger } from '../../../log.ts';
import type { Address, AgentStreamEvent, LiveMode, LiveView } from '../../channel.ts';
import { createLiveRuns, type Live, type LiveRun, type Painter, plan, takeTurn } from '../../shared/live-runs.ts';
import { isDirect } from '../decode/base.ts';
import type { Assistant } from './assistant.ts';
import type { Marks } from './mark.ts';
import { draftForm, type LiveShow, lineForm, type Shown } from './show.ts';

/** Milliseconds. */
export interface LiveTiming {
  /** Until it is said that we are at work: by an assistant's status, or by eyes on a direct message. */
  assistantAfter: number;
  statusAfter: number;
  statusEvery: number;
  textEvery: number;
  /** Between two calls in one channel: Slack takes one message a second there, answers included. */
  gap: number;
  /** A longer run is answered by a new message, which notifies. */
  longRun: number;
  /** How long an answer waits for a call about progress. */
  late: number;
}

export const LIVE_TIMING: LiveTiming = {
  assistantAfter: 300,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
  gap: 2000,
  longRun: 30_000,
  late: 1500,
};

interface Run extends LiveRun, Shown {
  /** What the model has written; edits show what came since its last tool call, streams all of it. */
  text: string;
  sinceTool: number;
  /** What was shown last. */
  said: string;
  saidAt: number;
  /** What was streamed is void. */
  isRestarted: boolean;
  sign: Promise<void> | undefined;
}

/** Marks the id of a message that was kept as a stream. */
const STREAM = 'stream:';
const MAX_TEXT = 12_000;
/** A run whose end we never hear of is shown no longer. */
const MAX_RUN_MS = 30 * 60_000;
/** An assistant's status vanishes by itself after two minutes. */
const RENEW_MS = 60_000;

export interface LiveOptions {
  show: LiveShow;
  assistant: Assistant;
  marks: Marks;
  mode: LiveMode;
  log: Logger;
  /** Who wrote last in a thread: a stream in a channel is addressed to somebody. */
  recipientOf: (address: Address) => string | undefined;
  timing?: LiveTiming;
}

export function createLive(options: LiveOptions): Live {
  const gapMs = (options.timing ?? LIVE_TIMING).gap;
  return {
    ...createLiveRuns(new SlackPainter(options), options.mode),
    pace: ({ chat }) => ({ key: chat, gapMs }),
  };
}

class SlackPainter implements Painter<Run> {
  readonly #to: LiveOptions;
  readonly #timing: LiveTiming;

  constructor(options: LiveOptions) {
    this.#to = options;
    this.#timing = options.timing ?? LIVE_TIMING;
  }

  begin(given: LiveRun): Run {
    const { address, view } = given;
    const nothing = { text: '', sinceTool: 0, said: '', saidAt: 0, isRestarted: false, sign: undefined };
    const run: Run = { ...given, ...nothing, ...keptOf(view) };
    const isOne = this.#to.assistant.isOne(address);
    plan(run, 'show', isOne ? this.#timing.assistantAfter : this.#timing.statusAfter, () => this.#tick(run));
    // Until then a channel's thread, or a direct message, says that we are at work.
    if (!isOne && (this.#to.assistant.mayShow(address) || isMarked(run)))
      plan(run, 'greet', this.#timing.assistantAfter, () => this.#greet(run));
    return run;
  }

  hear(run: Run, event: AgentStreamEvent): void {
    const isNew = run.text.length > run.sinceTool;
    if (event.type === 'tool-call' && isNew) {
      run.text += '\n\n';
      run.sinceTool = run.text.length;
    }
    // The model begins again: what it has said is void.
    if (event.type === 'state-change' && event.state === 'thinking' && isNew) {
      run.text = run.text.slice(0, run.sinceTool);
      run.isRestarted = true;
    }
    if (event.type !== 'text-delta' || !this.#showsText(run)) return;
    if (run.text.length === run.sinceTool && !run.call)
      plan(run, 'show', this.#timing.textEvery, () => this.#tick(run));
    if (run.text.length <= MAX_TEXT) run.text += event.content;
  }

  #showsText({ view }: Run): boolean {
    return (view.mode ?? this.#to.mode) === 'text';
  }

  /** Text is only streamed where it began to be; everything else is a message, which counts for the channel's limits. */
  #isOwnKind(run: Run): boolean {
    return run.streamed !== undefined || (written(run) === '' && this.#to.assistant.isOne(run.address));
  }

  #tick(run: Run): void {
    const elapsed = Date.now() - run.startedAt;
    if (run.isOver || elapsed > MAX_RUN_MS) return;
    const showsText = run.text.length > run.sinceTool;
    const every = showsText ? this.#timing.textEvery : Math.max(this.#timing.statusEvery, elapsed / 10);
    plan(run, 'show', every, () => this.#tick(run));
    if (run.call || run.isQueued) return;
    void this.#publish(run);
  }

  async #publish(run: Run): Promise<void> {
    if (!(await takeTurn(run, !this.#isOwnKind(run)))) return;
    const { ts: before } = run;
    run.call = this.#put(run)
      .then(() => {
        if (run.ts !== undefined && run.ts !== before)
          run.view.keep(`${run.streamed === undefined ? '' : STREAM}${run.ts}`);
      })
      .catch((error: unknown) => this.#to.log.warn({ err: error }, 'live progress failed'))
      .finally(() => {
        run.call = undefined;
      });
  }

  async #put(run: Run): Promise<void> {
    if (run.isRestarted) await this.#to.show.stop(run);
    run.isRestarted = false;
    const isText = this.#showsText(run) && run.text !== '';
    if (isText && (await this.#to.show.stream(run, run.text, this.#to.recipientOf(run.address)))) return;
    if (this.#isOwnKind(run)) return run.streamed === undefined ? this.#putStatus(run) : undefined;
    const words = written(run);
    const said = words || run.view.line();
    if (said === run.said) return;
    const form = words === '' ? lineForm(said) : await draftForm(words);
    if (await this.#to.show.status(run, form)) run.said = said;
  }

  /** The answer waits for it, so that it is not said after the answer. */
  #greet(run: Run): void {
    if (run.isOver || run.ts !== undefined) return;
    const { chat } = run.address;
    const shown = isMarked(run) ? this.#to.marks.mark(chat, run.view.answers ?? '') : this.#say(run);
    run.sign = shown.catch((error: unknown) => this.#to.log.warn({ err: error }, 'live progress failed'));
  }

  /** Slack takes it away with our next message there, so that no call does. */
  async #say(run: Run): Promise<void> {
    if (await this.#to.assistant.setStatus(run.address, `is ${run.view.words}…`)) run.saidAt = Date.now();
  }

  async #putStatus(run: Run): Promise<void> {
    const status = `is ${run.view.words}…`;
    if (status === run.said && Date.now() - run.saidAt < RENEW_MS) return;
    if (!(await this.#to.assistant.setStatus(run.address, status))) return;
    run.said = status;
    run.saidAt = Date.now();
  }

  /** Once the calls under way are done: what appeared too late, or is not wanted, is taken away. */
  async #settle(run: Run, isReplaced: boolean, isAnswered: boolean): Promise<string | undefined> {
    await Promise.all([run.call, run.sign]);
    await this.#to.show.stop(run);
    if (isReplaced && run.ts !== undefined) return run.ts;
    const gone = this.#to.show.remove(run);
    if (isAnswered) return undefined;
    await gone;
    if (run.saidAt > 0) await this.#to.assistant.setStatus(run.address, '');
    return undefined;
  }

  /** Nobody waits for it. */
  async #unmark(run: Run): Promise<void> {
    if (!isMarked(run)) return;
    await run.sign;
    await this.#to.marks
      .unmark(run.address.chat, run.view.answers ?? '')
      .catch((error: unknown) => this.#to.log.warn({ err: error }, 'live progress failed'));
  }

  async end(run: Run, isAnswered: boolean): Promise<string | undefined> {
    const isReplaced = isAnswered && Date.now() - run.startedAt < this.#timing.longRun;
    const settled = this.#settle(run, isReplaced, isAnswered).catch((error: unknown) => {
      this.#to.log.warn({ err: error }, 'live progress could not be ended');
      return undefined;
    });
    void this.#unmark(run);
    const result = await within(settled, this.#timing.late, () => 'late' as const);
    if (result !== 'late') return result;
    // The answer does not wait any longer and comes as a message of its own.
    void settled.then(() => this.#to.show.remove(run));
    return undefined;
  }
}

/** A stream that an earlier process left open is ended before anything else is done with it. */
function keptOf({ kept }: LiveView): Partial<Run> {
  if (!kept?.startsWith(STREAM)) return kept === undefined ? {} : { ts: kept };
  return { ts: kept.slice(STREAM.length), streamed: 0, wasStream: true, isRestarted: true };
}

/** In a direct message outside a thread nothing else shows that we are at work; a command's text is no message. */
const isMarked = ({ address: { chat, thread }, view: { answers } }: Run): boolean =>
  isDirect(chat) && thread === undefined && /^\d+\.\d+$/.test(answers ?? '');

/** What the model has written since its last tool call. */
const written = (run: Run): string => run.text.slice(run.sinceTool).trim();
