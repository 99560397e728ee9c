/**
 * Shows live progress: one message that is edited, text that is streamed where Slack can, an assistant's
 * status, eyes on a direct message. None of them rejects, and the shown content is never the only copy.
 * https://docs.slack.dev/reference/methods/chat.startStream/
 */
import { scrub } from '../../../log.ts';
import type { Address } from '../../channel.ts';
import { type Fields, string } from '../../shared/read.ts';
import { createStatus, type Live, type StatusCalls, type StatusMessage, type Words } from '../../shared/status.ts';
import { rest } from '../../shared/wait.ts';
import { SlackError } from '../connect/api.ts';
import { isDirect } from '../decode/base.ts';
import type { SlackContext } from '../options.ts';
import { buttonBlocks, type Form, formsOf } from '../send/blocks.ts';
import { createBudget } from '../send/budget.ts';
import { withoutAddresses } from '../send/previews.ts';
import { plainLine, renderSlack } from '../send/render.ts';
import { QUIET } from '../send/send.ts';
import type { Assistant } from './assistant.ts';

/** The state of a run that Slack's calls need besides its message. */
interface Showing {
  /** The length of the text streamed so far, while the message is a stream. */
  streamed?: number;
  /** True once the message was a stream; it can't be streamed again, only edited. */
  wasStream?: boolean;
  /** The assistant's status, and since when. */
  said: string;
  saidAt: number;
  saying?: Promise<void>;
  /** True once the person's message got eyes. */
  isMarked?: boolean;
}

/**
 * Shares of the limits in https://docs.slack.dev/apis/web-api/rate-limits/: tiers 3 (edits), 2 (starting a stream) and
 * 4 (appending).
 */
const EDITS = { perMinute: 40, burst: 20 };
const STREAMS = { perMinute: 15, burst: 10 };
const APPENDS = { perMinute: 80, burst: 40 };
/**
 * Within the 50 and more per minute of https://docs.slack.dev/reference/methods/reactions.add/, which task states need
 * as well.
 */
const REACTIONS = { perMinute: 30, burst: 20 };
const UNMARK_TRIES = 3;
const MAX_WAIT_MS = 60_000;
const MAX_STREAM = 11_000;
const MAX_TEXT = 12_000;
const UNAVAILABLE_MS = 10 * 60_000;
const MAX_LINE = 2900;

/** The prefix of a kept message ID that belongs to a stream. */
const STREAM = 'stream:';
/** An assistant's status disappears by itself after two minutes. */
const RENEW_MS = 60_000;

interface LiveParts {
  assistant: Assistant;
  /** Returns the last person who wrote in a thread, because a stream in a channel needs a recipient. */
  recipientOf: (address: Address) => string | undefined;
}

export function createLive(slack: SlackContext, parts: LiveParts): Live {
  const { live: timing } = slack.timing;
  return createStatus({
    calls: new LiveCalls(slack, parts),
    mode: slack.options.live,
    timing,
    maxText: MAX_TEXT,
    pace: ({ chat }) => ({ key: chat, gapMs: timing.gap }),
  });
}

class LiveCalls implements StatusCalls {
  readonly #slack: SlackContext;
  readonly #assistant: Assistant;
  readonly #recipientOf: LiveParts['recipientOf'];
  readonly #startedAt = Date.now();
  readonly #reactions = createBudget(REACTIONS.perMinute, REACTIONS.burst);
  readonly #edits = createBudget(EDITS.perMinute, EDITS.burst);
  readonly #streams = createBudget(STREAMS.perMinute, STREAMS.burst);
  readonly #budgets = new Map([
    ['chat.startStream', this.#streams],
    ['chat.appendStream', createBudget(APPENDS.perMinute, APPENDS.burst)],
    ['chat.update', this.#edits],
    ['chat.postMessage', this.#edits],
  ]);
  readonly #showing = new WeakMap<StatusMessage, Showing>();

  constructor(slack: SlackContext, { assistant, recipientOf }: LiveParts) {
    this.#slack = slack;
    this.#assistant = assistant;
    this.#recipientOf = recipientOf;
  }

  /** Puts eyes on the person's message. */
  async mark(run: StatusMessage): Promise<void> {
    if (!mayMark(run) || !this.#reactions.take()) return;
    this.#of(run).isMarked = true;
    const ms = await this.#react(run, 'add');
    if (ms !== undefined) this.#reactions.pause(ms);
  }

  /** Removes the eyes, also those that an earlier process left. */
  async unmark(run: StatusMessage): Promise<void> {
    const isOlder = Number(run.view.answers) * 1000 < this.#startedAt;
    if (!mayMark(run) || !(this.#of(run).isMarked || isOlder)) return;
    for (let tries = 0; tries < UNMARK_TRIES; tries++) {
      const ms = await this.#react(run, 'remove');
      if (ms === undefined) return;
      await rest(Math.min(ms, MAX_WAIT_MS));
    }
  }

  /** Sets a thread's status until there is a message. Slack removes it with our next message there, so no call does. */
  async type(run: StatusMessage): Promise<void> {
    if (run.messageId !== undefined || !this.#assistant.mayShow(run.address)) return;
    const showing = this.#of(run);
    showing.saying = this.#say(run);
    await showing.saying;
  }

  async publish(run: StatusMessage, words: Words): Promise<void> {
    try {
      const showing = this.#of(run);
      if (run.isVoid) await this.#stop(run);
      run.isVoid = false;
      if ('markdown' in words && (await this.#stream(run))) return;
      if (showing.streamed !== undefined) return;
      if ('line' in words && this.#assistant.isOne(run.address)) return await this.#say(run);
      const form = 'line' in words ? lineForm(words.line) : await draftForm(words.markdown);
      if (await this.#status(run, form)) run.shown = JSON.stringify(words);
    } catch (error) {
      this.#slack.log.warn({ err: error }, 'live progress failed');
    }
  }

  /** Returns whether the progress is no message of the channel: a running stream and an assistant's status aren't. */
  isFree(run: StatusMessage): boolean {
    const isText = run.text.slice(run.since).trim() !== '';
    return this.#of(run).streamed !== undefined || (!isText && this.#assistant.isOne(run.address));
  }

  /** A stream that an earlier process left open is stopped before anything else. */
  restore(run: StatusMessage, kept: string): void {
    run.messageId = kept.replace(STREAM, '');
    run.isVoid = kept.startsWith(STREAM);
    if (run.isVoid) Object.assign(this.#of(run), { streamed: 0, wasStream: true });
  }

  nameOf(run: StatusMessage): string {
    return `${this.#of(run).streamed === undefined ? '' : STREAM}${run.messageId}`;
  }

  async settle(run: StatusMessage): Promise<void> {
    await this.#of(run).saying;
    await this.#stop(run);
  }

  async remove(run: StatusMessage): Promise<SlackError | undefined> {
    const outcome = await this.#attempt(run, 'chat.delete', { ts: run.messageId });
    const isLeft = outcome instanceof SlackError && (outcome.kind !== 'refused' || outcome.retryAfterMs !== undefined);
    return isLeft ? outcome : undefined;
  }

  async leave(run: StatusMessage): Promise<void> {
    if (this.#of(run).saidAt > 0) await this.#assistant.setStatus(run.address, '');
  }

  /** Returns how long Slack asks to wait; undefined if there is nothing left to do. */
  async #react(run: StatusMessage, what: 'add' | 'remove'): Promise<number | undefined> {
    const outcome = await this.#attempt(run, `reactions.${what}`, { timestamp: run.view.answers, name: 'eyes' });
    return outcome instanceof SlackError ? outcome.retryAfterMs : undefined;
  }

  #of(run: StatusMessage): Showing {
    const known = this.#showing.get(run) ?? { said: '', saidAt: 0 };
    this.#showing.set(run, known);
    return known;
  }

  async #say(run: StatusMessage): Promise<void> {
    const showing = this.#of(run);
    const status = `is ${run.view.words}…`;
    if (status === showing.said && Date.now() - showing.saidAt < RENEW_MS) return;
    if (!(await this.#assistant.setStatus(run.address, status))) return;
    showing.said = status;
    showing.saidAt = Date.now();
  }

  /** Posts or edits the message with its buttons. Returns whether it is shown. */
  async #status(run: StatusMessage, form: Form): Promise<boolean> {
    const { messageId: ts, view } = run;
    const message = { text: form.text, blocks: [...form.blocks, ...buttonBlocks(await view.buttons())] };
    if (ts !== undefined)
      return (await this.#call(run, 'chat.update', { ts, ...message, parse: 'none' })) !== undefined;
    const { thread } = run.address;
    const place = thread === undefined ? {} : { thread_ts: thread };
    const sent = await this.#call(run, 'chat.postMessage', { ...message, ...QUIET, ...place });
    const sentTs = sent && string(sent, 'ts');
    if (sentTs !== undefined) run.messageId = sentTs;
    return sentTs !== undefined;
  }

  /** Appends what is new of the text, whole words only. Returns false if text isn't streamed here. */
  async #stream(run: StatusMessage): Promise<boolean> {
    const showing = this.#of(run);
    const ready = settledText(run.text);
    if (showing.streamed === undefined) return ready !== '' && this.#begin(run, ready);
    const more = ready.slice(showing.streamed);
    if (more === '' || run.messageId === undefined) return true;
    const done = await this.#call(run, 'chat.appendStream', { ts: run.messageId, markdown_text: more });
    if (done && showing.streamed !== undefined) showing.streamed += more.length;
    return done !== undefined || showing.streamed !== undefined;
  }

  /** Ends the stream; the message can then be edited. */
  async #stop(run: StatusMessage): Promise<void> {
    const showing = this.#of(run);
    if (showing.streamed === undefined || run.messageId === undefined) return;
    delete showing.streamed;
    await this.#call(run, 'chat.stopStream', { ts: run.messageId });
  }

  async #attempt(run: StatusMessage, method: string, params: Record<string, unknown>): Promise<Fields | SlackError> {
    try {
      return await this.#slack.api.call(method, { channel: run.address.chat, ...params });
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      this.#slack.log.debug({ err: error, chat: run.address.chat }, 'live progress could not be shown');
      return error;
    }
  }

  /** Returns undefined if the call wasn't made or failed. */
  async #call(run: StatusMessage, method: string, params: Record<string, unknown>): Promise<Fields | undefined> {
    const budget = this.#budgets.get(method);
    if (budget && !budget.take()) return undefined;
    const outcome = await this.#attempt(run, method, params);
    if (!(outcome instanceof SlackError)) return outcome;
    if (outcome.retryAfterMs !== undefined) {
      budget?.pause(outcome.retryAfterMs);
      if (budget === this.#edits) run.view.limited(outcome.retryAfterMs);
    } else if (outcome.kind === 'refused') this.#refused(run, method, outcome.code);
    return undefined;
  }

  #refused(run: StatusMessage, method: string, code: string): void {
    if (method === 'chat.startStream') {
      this.#streams.pause(UNAVAILABLE_MS);
      return;
    }
    // A stream that was silent for too long becomes an ordinary message.
    if (method === 'chat.appendStream' && /streaming_state|not_in_streaming/.test(code)) delete this.#of(run).streamed;
    else if (method !== 'chat.stopStream') run.isOver = true;
    if (code === 'message_not_found') delete run.messageId;
  }

  async #begin(run: StatusMessage, text: string): Promise<boolean> {
    const { chat, thread } = run.address;
    const showing = this.#of(run);
    const recipient = this.#recipientOf(run.address);
    if (thread === undefined || showing.wasStream) return false;
    if (!isDirect(chat) && recipient === undefined) return false;
    const to = isDirect(chat)
      ? {}
      : { recipient_user_id: recipient, recipient_team_id: this.#slack.identity?.teamId ?? '' };
    const started = await this.#call(run, 'chat.startStream', { thread_ts: thread, markdown_text: text, ...to });
    const ts = started && string(started, 'ts');
    if (ts === undefined) return false;
    const status = run.messageId;
    run.messageId = ts;
    Object.assign(showing, { streamed: text.length, wasStream: true });
    if (status !== undefined) await this.#call(run, 'chat.delete', { ts: status });
    return true;
  }
}

/**
 * Returns whether the message may get eyes. In a direct message outside a thread nothing else shows that the bot is at
 * work; a command's text isn't a message.
 */
const mayMark = ({ address: { chat, thread }, view: { answers } }: StatusMessage): boolean =>
  isDirect(chat) && thread === undefined && /^\d+\.\d+$/.test(answers ?? '');

function lineForm(line: string): Form {
  const text = plainLine(line, MAX_LINE);
  return { text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }] };
}

/** Returns the beginning of an answer, with the same care for links and mentions. */
async function draftForm(markdown: string): Promise<Form> {
  const [part] = await renderSlack(markdown.length <= MAX_LINE ? markdown : `${markdown.slice(0, MAX_LINE)}…`);
  const form = part && formsOf(part, [])[1];
  return form ?? lineForm('…');
}

/**
 * Returns whole words only, since a secret is recognised only as a whole; without markup that would mention anybody and
 * without URLs that would be fetched.
 */
function settledText(text: string): string {
  const end = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1;
  const shown = scrub(text.slice(0, Math.min(end, MAX_STREAM))).replace(/<(?=[@!#])/g, '‹');
  return withoutAddresses(shown).slice(0, MAX_STREAM);
}
