/**
 * Long polling. Invariant: the offset, which tells Telegram what it may forget, never passes an update that is not
 * durable or whose album is still open, and is told only by the process whose turn it is; and a batch is given out in its own
 * order, in one tick, so that it shares one commit.
 * https://core.telegram.org/bots/api#getupdates
 */
import { errorMessage } from '../../../errors.ts';
import type { ChannelStatus } from '../../channel.ts';
import type { Turn } from '../../lead.ts';
import { integer, isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { ALLOWED_UPDATES } from '../decode/decode.ts';
import type { Taken } from './albums.ts';
import { type TelegramApi, TelegramError } from './api.ts';

export interface PollOptions {
  api: TelegramApi;
  /** Called for each update in order; rejects when it could not be stored. */
  accept: (update: unknown) => Promise<Taken>;
  onStatus: (status: ChannelStatus) => void;
  /** Seconds Telegram holds a call without updates. */
  pollSeconds: number;
  backoffMs: { min: number; max: number };
  /** Milliseconds after which a call that should have come back counts as lost. */
  graceMs: number;
  /** Nobody else polls meanwhile. */
  turn: Turn;
}

/** What to say and how long to wait; without `waitMs` the backoff decides. */
interface Trouble {
  status: ChannelStatus;
  waitMs?: number;
  /** Two programs that poll in turn each succeed for a moment: only a whole poll shows that the other is gone. */
  isConflict?: boolean;
}

const BATCH = 100;
/** Between two calls that came back at once with nothing new, as they do from a server that does not hold them. */
const PACE_MS = { min: 50, max: 1000 };
/** The same while an album is open: the rest of it is not to come late. */
const OPEN_MS = 100;
/** After a week without updates their numbering starts anew, perhaps below where it was. */
const NUMBERING_MS = 6 * 24 * 3_600_000;

/**
 * Polls until its turn is over. Then it ends the call under way, waits for the batch in hand and, where nobody else may have begun,
 * tells Telegram within a second how far it came.
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
  /** An album keeps the offset where it is; those behind it that are settled come again meanwhile, and are not given out again. */
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
      // Not confirmed: Telegram gives these once more at the next start, where their ids are known.
      if (!(error instanceof TelegramError)) throw error;
    }
  }

  async run(): Promise<void> {
    const backoff = createBackoff(this.#to.backoffMs.min, this.#to.backoffMs.max);
    const pace = createBackoff(PACE_MS.min, PACE_MS.max);
    let trouble: Trouble | undefined;
    while (!this.#over.aborted && this.#to.turn.isOurs()) {
      // After trouble the first call comes back at once, so that its end is known.
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
   * Moves the offset up to the first update that could not be stored or whose album is open; those after it come again and, after a
   * failure, are known by their ids.
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
      const detail = `messages cannot be stored (${errorMessage(cause.reason)}); Telegram keeps them meanwhile`;
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
      const detail = 'Telegram does not accept the token any more: set channels.telegram.token to a valid one';
      return { status: { state: 'failed', detail }, waitMs: this.#to.backoffMs.max };
    }
    const status: ChannelStatus = { state: 'reconnecting', detail: error.message };
    return error.retryAfterMs === undefined ? { status } : { status, waitMs: error.retryAfterMs };
  }

  /** Nobody else can be reading along while a webhook is set: it is left over, or the mode was changed. */
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
