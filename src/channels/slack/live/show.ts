/**
 * Shows changing content in one message: a status that is edited, or text that is streamed where Slack can. Best
 * effort: nothing here throws, and the shown content is never the only copy.
 * https://docs.slack.dev/reference/methods/chat.startStream/
 */
import { type Logger, scrub } from '../../../log.ts';
import type { Address, LiveView } from '../../channel.ts';
import { type Fields, string } from '../../shared/read.ts';
import { type SlackApi, SlackError } from '../connect/api.ts';
import { isDirect } from '../decode/base.ts';
import { type Form, formsOf, rowsOf } from '../send/blocks.ts';
import { createBudget } from '../send/budget.ts';
import { withoutAddresses } from '../send/previews.ts';
import { plainLine, renderSlack } from '../send/render.ts';
import { QUIET } from '../send/send.ts';

export interface Shown {
  address: Address;
  view: LiveView;
  /** The message, once it exists. */
  ts?: string;
  /** The length of the text streamed so far, while the message is a stream. */
  streamed?: number;
  /** True once the message was a stream; it can't be streamed again, only edited. */
  wasStream?: boolean;
  /** True once it was deleted or may not be written any more. */
  isOver: boolean;
}

export interface LiveShow {
  /** Posts or edits the message with its buttons. Returns whether it is shown. */
  status(shown: Shown, form: Form): Promise<boolean>;
  /** Appends what is new of `text`, whole words only. Returns false if text isn't streamed here. */
  stream(shown: Shown, text: string, recipient: string | undefined): Promise<boolean>;
  /** Ends the stream; the message can then be edited. */
  stop(shown: Shown): Promise<void>;
  /**
   * Deletes the message; retries while Slack is unreachable, because a leftover would claim for ever that the run is at
   * work.
   */
  remove(shown: Shown): Promise<void>;
}

/**
 * A part of each limit of https://docs.slack.dev/apis/web-api/rate-limits/: tiers 3 (edits), 2 (starting a stream) and
 * 4 (appending).
 */
const EDITS = { perMinute: 40, burst: 20 };
const STREAMS = { perMinute: 15, burst: 10 };
const APPENDS = { perMinute: 80, burst: 40 };
const MAX_STREAM = 11_000;
const UNAVAILABLE_MS = 10 * 60_000;
const REMOVE_TRIES = 5;
const MAX_WAIT_MS = 300_000;
const MAX_LINE = 2900;

export interface LiveShowOptions {
  api: SlackApi;
  teamId: () => string;
  log: Logger;
}

export function createLiveShow(options: LiveShowOptions): LiveShow {
  return new MessageShow(options);
}

class MessageShow implements LiveShow {
  readonly #to: LiveShowOptions;
  readonly #edits = createBudget(EDITS.perMinute, EDITS.burst);
  readonly #streams = createBudget(STREAMS.perMinute, STREAMS.burst);
  readonly #appends = createBudget(APPENDS.perMinute, APPENDS.burst);
  readonly #budgets;

  constructor(options: LiveShowOptions) {
    this.#to = options;
    this.#budgets = new Map([
      ['chat.startStream', this.#streams],
      ['chat.appendStream', this.#appends],
      ['chat.update', this.#edits],
      ['chat.postMessage', this.#edits],
    ]);
  }

  async status(shown: Shown, form: Form): Promise<boolean> {
    const { ts, view } = shown;
    const message = { text: form.text, blocks: [...form.blocks, ...rowsOf(await view.buttons())] };
    if (ts !== undefined)
      return (await this.#call(shown, 'chat.update', { ts, ...message, parse: 'none' })) !== undefined;
    const { thread } = shown.address;
    const place = thread === undefined ? {} : { thread_ts: thread };
    const sent = await this.#call(shown, 'chat.postMessage', { ...message, ...QUIET, ...place });
    const sentTs = sent && string(sent, 'ts');
    if (sentTs !== undefined) shown.ts = sentTs;
    return sentTs !== undefined;
  }

  async stream(shown: Shown, text: string, recipient: string | undefined): Promise<boolean> {
    const ready = settledText(text);
    if (shown.streamed === undefined) return ready !== '' && this.#begin(shown, ready, recipient);
    const more = ready.slice(shown.streamed);
    if (more === '' || shown.ts === undefined) return true;
    const done = await this.#call(shown, 'chat.appendStream', { ts: shown.ts, markdown_text: more });
    if (done && shown.streamed !== undefined) shown.streamed += more.length;
    return done !== undefined || shown.streamed !== undefined;
  }

  async stop(shown: Shown): Promise<void> {
    if (shown.streamed === undefined || shown.ts === undefined) return;
    delete shown.streamed;
    await this.#call(shown, 'chat.stopStream', { ts: shown.ts });
  }

  async remove(shown: Shown): Promise<void> {
    const { ts } = shown;
    delete shown.ts;
    for (let tries = 0; ts !== undefined && tries < REMOVE_TRIES; tries++) {
      const outcome = await this.#attempt(shown, 'chat.delete', { ts });
      if (!(outcome instanceof SlackError)) return;
      if (outcome.kind === 'refused' && outcome.retryAfterMs === undefined) return;
      const ms = outcome.retryAfterMs ?? 1000 * 2 ** tries;
      await new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, MAX_WAIT_MS)).unref());
    }
  }

  async #attempt(shown: Shown, method: string, params: Record<string, unknown>): Promise<Fields | SlackError> {
    try {
      return await this.#to.api.call(method, { channel: shown.address.chat, ...params });
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      this.#to.log.debug({ err: error, chat: shown.address.chat }, 'live progress could not be shown');
      return error;
    }
  }

  /** Returns undefined if the call wasn't made or failed. */
  async #call(shown: Shown, method: string, params: Record<string, unknown>): Promise<Fields | undefined> {
    const budget = this.#budgets.get(method);
    if (budget && !budget.take()) return undefined;
    const outcome = await this.#attempt(shown, method, params);
    if (!(outcome instanceof SlackError)) return outcome;
    if (outcome.retryAfterMs !== undefined) {
      budget?.pause(outcome.retryAfterMs);
      if (budget === this.#edits) shown.view.limited(outcome.retryAfterMs);
    } else if (outcome.kind === 'refused') this.#refused(shown, method, outcome.code);
    return undefined;
  }

  #refused(shown: Shown, method: string, code: string): void {
    if (method === 'chat.startStream') {
      this.#streams.pause(UNAVAILABLE_MS);
      return;
    }
    // A stream that was silent for too long becomes an ordinary message.
    if (method === 'chat.appendStream' && /streaming_state|not_in_streaming/.test(code)) delete shown.streamed;
    else if (method !== 'chat.stopStream') shown.isOver = true;
    if (code === 'message_not_found') delete shown.ts;
  }

  async #begin(shown: Shown, text: string, recipient: string | undefined): Promise<boolean> {
    const { chat, thread } = shown.address;
    if (thread === undefined || shown.wasStream) return false;
    if (!isDirect(chat) && recipient === undefined) return false;
    const to = isDirect(chat) ? {} : { recipient_user_id: recipient, recipient_team_id: this.#to.teamId() };
    const started = await this.#call(shown, 'chat.startStream', { thread_ts: thread, markdown_text: text, ...to });
    const ts = started && string(started, 'ts');
    if (ts === undefined) return false;
    const status = shown.ts;
    shown.ts = ts;
    shown.streamed = text.length;
    shown.wasStream = true;
    if (status !== undefined) await this.#call(shown, 'chat.delete', { ts: status });
    return true;
  }
}

export function lineForm(line: string): Form {
  const text = plainLine(line, MAX_LINE);
  return { text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }] };
}

/** Returns the beginning of an answer, with the same care for links and mentions. */
export async function draftForm(markdown: string): Promise<Form> {
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
