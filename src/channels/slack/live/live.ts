/**
 * Shows the progress of a run on Slack: its activity or, with `text`, its growing answer. Invariants: nothing throws;
 * one call per run at a time; after the end a status message that no answer replaces is deleted.
 */

import { within } from '../../../lib/within.ts';
import type { Logger } from '../../../log.ts';
import type { Address, AgentStreamEvent, LiveMode, LiveView } from '../../channel.ts';
import { createLiveRuns, type Live, type LiveRun, type Painter, plan, takeTurn } from '../../shared/live-runs.ts';
import { isDirect } from '../decode/base.ts';
import type { Assistant } from './assistant.ts';
import type { Marks } from './mark.ts';
import { draftForm, type LiveShow, lineForm, type Shown } from './show.ts';

/** Times in milliseconds. */
export interface LiveTiming {
  /** The delay before the first sign of work: an assistant's status, or eyes on a direct message. */
  assistantAfter: number;
  statusAfter: number;
  statusEvery: number;
  textEvery: number;
  /** The gap between calls in one channel. Slack accepts one message per second there, answers included. */
  gap: number;
  /** A longer run is answered by a new message, which notifies people. */
  longRun: number;
  /** How long an answer waits for a pending progress call. */
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
  /** The model's text. Edits show the part since its last tool call, streams all of it. */
  text: string;
  sinceTool: number;
  /** The content shown last. */
  said: string;
  saidAt: number;
  /** True if the streamed text is void. */
  isRestarted: boolean;
  sign: Promise<void> | undefined;
}

/** The prefix of a kept message ID that belongs to a stream. */
const STREAM = 'stream:';
const MAX_TEXT = 12_000;
/** A run whose end is never reported is no longer shown after this time. */
const MAX_RUN_MS = 30 * 60_000;
/** An assistant's status disappears by itself after two minutes. */
const RENEW_MS = 60_000;

export interface LiveOptions {
  show: LiveShow;
  assistant: Assistant;
  marks: Marks;
  mode: LiveMode;
  log: Logger;
  /** Returns the last person who wrote in a thread, because a stream in a channel needs a recipient. */
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
    // Before that, a channel's thread or a direct message gets a first sign of work.
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
    // The model starts over, so its text so far is void.
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

  /**
   * Returns whether progress is shown by other means than messages, which count towards the channel's limits: a stream
   * once begun, or an assistant's status.
   */
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

  /** Shows the first sign of work. The answer waits for it, so that it doesn't appear after the answer. */
  #greet(run: Run): void {
    if (run.isOver || run.ts !== undefined) return;
    const { chat } = run.address;
    const shown = isMarked(run) ? this.#to.marks.mark(chat, run.view.answers ?? '') : this.#say(run);
    run.sign = shown.catch((error: unknown) => this.#to.log.warn({ err: error }, 'live progress failed'));
  }

  /** Sets the status. Slack removes it with our next message there, so no call does. */
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

  /** Waits for the pending calls, then deletes what came too late or isn't wanted. */
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

  /** Removes the eyes; nothing waits for it. */
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
    // The answer waits no longer and comes as a message of its own.
    void settled.then(() => this.#to.show.remove(run));
    return undefined;
  }
}

/** Returns the kept message. A stream that an earlier process left open is stopped before anything else. */
function keptOf({ kept }: LiveView): Partial<Run> {
  if (!kept?.startsWith(STREAM)) return kept === undefined ? {} : { ts: kept };
  return { ts: kept.slice(STREAM.length), streamed: 0, wasStream: true, isRestarted: true };
}

/**
 * Returns whether the message gets eyes. In a direct message outside a thread nothing else shows that the bot is at
 * work; a command's text isn't a message.
 */
const isMarked = ({ address: { chat, thread }, view: { answers } }: Run): boolean =>
  isDirect(chat) && thread === undefined && /^\d+\.\d+$/.test(answers ?? '');

/** Returns the model's text since its last tool call. */
const written = (run: Run): string => run.text.slice(run.sinceTool).trim();
