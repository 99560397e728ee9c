/**
 * Receives updates by long polling. Invariants: the offset, which tells Telegram what it may forget, never passes an
 * update that isn't durable or whose album is still open, and only the process that leads sends it. A batch is handed
 * on in its own order, in one tick, so that it shares one commit. https://core.telegram.org/bots/api#getupdates
 */
import { errorMessage } from '../../../errors.ts';
import type { ChannelStatus } from '../../channel.ts';
import type { Turn } from '../../lead.ts';
import { integer, isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { ALLOWED_UPDATES } from '../decode/decode.ts';
import type { AlbumState } from './albums.ts';
import { type TelegramApi, TelegramError } from './api.ts';

export interface PollOptions {
  api: TelegramApi;
  /** Called for each update in order; rejects when it could not be stored. */
  accept: (update: unknown) => Promise<AlbumState>;
  onStatus: (status: ChannelStatus) => void;
  pollSeconds: number;
  backoffMs: { min: number; max: number };
  /** Milliseconds past its due time after which a call counts as lost. */
  graceMs: number;
  turn: Turn;
}

/** A failed poll: the status to report, and how long to wait. Without `waitMs` the backoff decides. */
interface Trouble {
  status: ChannelStatus;
  waitMs?: number;
  /**
   * True if another program polls too. Each of them succeeds for a moment, so only a full poll shows that the other is
   * gone.
   */
  isConflict?: boolean;
}

const BATCH = 100;
/** The wait between calls that return at once with nothing new, as from a server that doesn't hold them. */
const PACE_MS = { min: 50, max: 1000 };
/** The same wait while an album is open, whose other parts must not be late. */
const OPEN_MS = 100;
/** After a week without updates their numbering starts anew, perhaps below the last number. */
const NUMBERING_MS = 6 * 24 * 3_600_000;

/**
 * Polls until its turn is over. Then it ends the pending call, waits for the current batch and, if no other process may
 * have started, tells Telegram within a second how far it got.
 */
export async function poll(options: PollOptions): Promise<void> {
  const polling = new LongPoll(options);
  await polling.run();
  await polling.leave();
}

class LongPoll {
  readonly #to: PollOptions;
  readonly #over: AbortSignal;
  #offset: number | undefined;
  #confirmed: number | undefined;
  #lastUpdateAt = Date.now();
  /** An open album holds the offset back. Settled updates behind it are delivered again, but not handed on again. */
  #isOpen = false;
  #settled = new Set<number>();

  constructor(options: PollOptions) {
    this.#to = options;
    this.#over = options.turn.over;
  }

  async leave(): Promise<void> {
    if (this.#offset === undefined || this.#offset === this.#confirmed || !this.#to.turn.isOurs()) return;
    try {
      await this.#getUpdates(0, 1, 1000);
    } catch (error) {
      // Unconfirmed: Telegram repeats these at the next start, where their IDs are known.
      if (!(error instanceof TelegramError)) throw error;
    }
  }

  async run(): Promise<void> {
    const backoff = createBackoff(this.#to.backoffMs.min, this.#to.backoffMs.max);
    const pace = createBackoff(PACE_MS.min, PACE_MS.max);
    let trouble: Trouble | undefined;
    while (!this.#over.aborted && this.#to.turn.isOurs()) {
      // After a failure the first call doesn't wait for updates, so that its success is known at once.
      const before = { trouble, offset: this.#offset, at: performance.now() };
      const seconds = trouble && !trouble.isConflict ? 0 : this.#to.pollSeconds;
      trouble = await this.#round(seconds);
      if (this.#over.aborted) return;
      const wasHeld = performance.now() - before.at >= Math.min(seconds * 900, PACE_MS.max);
      if (this.#offset !== before.offset || wasHeld) pace.reset();
      else if (!trouble && !before.trouble) await sleep(this.#isOpen ? OPEN_MS : pace.next(), this.#over);
      if (trouble === undefined) {
        backoff.reset();
        this.#to.onStatus({ state: 'connected' });
      } else {
        this.#to.onStatus(trouble.status);
        await sleep(trouble.waitMs ?? backoff.next(), this.#over);
      }
    }
  }

  async #round(seconds: number): Promise<Trouble | undefined> {
    if (Date.now() - this.#lastUpdateAt > NUMBERING_MS) this.#offset = undefined;
    const sent = this.#offset;
    try {
      const updates = await this.#getUpdates(seconds, BATCH, seconds * 1000 + this.#to.graceMs, this.#over);
      this.#confirmed = sent;
      return Array.isArray(updates) && updates.length > 0 ? await this.#take(updates) : undefined;
    } catch (error) {
      return this.#explain(error);
    }
  }

  /**
   * Moves the offset to the first update that could not be stored or whose album is open. The ones after it are
   * delivered again and, after a failure, recognised by their IDs.
   */
  async #take(updates: unknown[]): Promise<Trouble | undefined> {
    const fresh = updates.filter((update) => !this.#settled.has(numberOf(update)));
    const results = await Promise.allSettled(fresh.map((update) => this.#to.accept(update)));
    this.#lastUpdateAt = Date.now();
    const failed = results.findIndex(({ status }) => status === 'rejected');
    const isSettled = (at: number) => results[at]?.status === 'fulfilled' && results[at].value === 'settled';
    const kept = fresh.find((_update, at) => !isSettled(at));
    const next = kept === undefined ? Math.max(...updates.map(numberOf)) + 1 : numberOf(kept);
    if (next > 0) this.#offset = next;
    this.#isOpen = kept !== undefined && failed < 0;
    const known = [...this.#settled, ...fresh.filter((_update, at) => isSettled(at)).map(numberOf)];
    this.#settled = new Set(this.#isOpen ? known.filter((number) => number > next) : []);
    const cause = results[failed];
    if (cause?.status === 'rejected') {
      const detail = `messages cannot be stored (${errorMessage(cause.reason)}); Telegram keeps them`;
      return { status: { state: 'reconnecting', detail } };
    }
    return next > 0
      ? undefined
      : { status: { state: 'reconnecting', detail: 'Telegram sends updates without numbers' } };
  }

  async #explain(error: unknown): Promise<Trouble> {
    if (!(error instanceof TelegramError)) return { status: { state: 'reconnecting', detail: errorMessage(error) } };
    if (error.code === 409 && /webhook/i.test(error.message)) return this.#removeWebhook();
    if (error.code === 409) {
      const detail = 'another program polls with this token: stop it, or give this gateway a bot of its own';
      return { status: { state: 'reconnecting', detail }, isConflict: true };
    }
    if (error.code === 401 || error.code === 404) {
      const detail = 'Telegram no longer accepts the token: set channels.telegram.token to a valid one';
      return { status: { state: 'failed', detail }, waitMs: this.#to.backoffMs.max };
    }
    const status: ChannelStatus = { state: 'reconnecting', detail: error.message };
    return error.retryAfterMs === undefined ? { status } : { status, waitMs: error.retryAfterMs };
  }

  /** Removes a leftover webhook. While it is set, no other program can be polling. */
  async #removeWebhook(): Promise<Trouble> {
    const status: ChannelStatus = { state: 'reconnecting', detail: 'a webhook was set for this bot; it is removed' };
    try {
      await this.#to.api.call('deleteWebhook', { drop_pending_updates: false }, { signal: this.#over });
      return { status };
    } catch (error) {
      return { status: { state: 'reconnecting', detail: errorMessage(error) } };
    }
  }

  #getUpdates(timeout: number, limit: number, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    const params = {
      ...(this.#offset !== undefined && { offset: this.#offset }),
      timeout,
      limit,
      allowed_updates: ALLOWED_UPDATES,
    };
    return this.#to.api.call('getUpdates', params, { timeoutMs, ...(signal && { signal }) });
  }
}

const numberOf = (update: unknown): number => (isFields(update) ? integer(update, 'update_id') : undefined) ?? -1;
