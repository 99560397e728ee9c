/**
 * Long polling. Invariant: the offset, which tells Telegram what it may forget, never passes an update that is not
 * durable; and a batch is given out in its own order, in one tick, so that it shares one commit.
 * https://core.telegram.org/bots/api#getupdates
 */
import { errorMessage } from '../../../errors.ts';
import type { ChannelStatus } from '../../channel.ts';
import { integer, isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { ALLOWED_UPDATES } from '../decode/decode.ts';
import { type TelegramApi, TelegramError } from './api.ts';

export interface PollOptions {
  api: TelegramApi;
  /** Called for each update in order; rejects when it could not be stored. */
  accept: (update: unknown) => Promise<void>;
  onStatus: (status: ChannelStatus) => void;
  /** Seconds Telegram holds a call without updates. */
  pollSeconds: number;
  backoffMs: { min: number; max: number };
  /** Milliseconds after which a call that should have come back counts as lost. */
  graceMs: number;
}

export interface Poller {
  /** Ends the call under way, waits for the batch in hand and tells Telegram, within a second, how far we came. */
  stop(): Promise<void>;
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
/** After a week without updates their numbering starts anew, perhaps below where it was. */
const NUMBERING_MS = 6 * 24 * 3_600_000;

export function startPolling(options: PollOptions): Poller {
  const { api, accept, onStatus } = options;
  const stopping = new AbortController();
  let offset: number | undefined;
  let confirmed: number | undefined;
  let lastUpdateAt = Date.now();
  const finished = run();

  async function run(): Promise<void> {
    const backoff = createBackoff(options.backoffMs.min, options.backoffMs.max);
    const pace = createBackoff(PACE_MS.min, PACE_MS.max);
    let trouble: Trouble | undefined;
    while (!stopping.signal.aborted) {
      // After trouble the first call comes back at once, so that its end is known.
      const before = { trouble, offset, at: performance.now() };
      const seconds = trouble && !trouble.isConflict ? 0 : options.pollSeconds;
      trouble = await round(seconds);
      if (stopping.signal.aborted) return;
      const wasHeld = performance.now() - before.at >= Math.min(seconds * 900, PACE_MS.max);
      if (offset !== before.offset || wasHeld) pace.reset();
      else if (!trouble && !before.trouble) await sleep(pace.next(), stopping.signal);
      if (trouble === undefined) {
        backoff.reset();
        onStatus({ state: 'connected' });
      } else {
        onStatus(trouble.status);
        await sleep(trouble.waitMs ?? backoff.next(), stopping.signal);
      }
    }
  }

  async function round(seconds: number): Promise<Trouble | undefined> {
    if (Date.now() - lastUpdateAt > NUMBERING_MS) offset = undefined;
    const sent = offset;
    try {
      const updates = await getUpdates(seconds, BATCH, seconds * 1000 + options.graceMs, stopping.signal);
      confirmed = sent;
      return Array.isArray(updates) && updates.length > 0 ? await take(updates) : undefined;
    } catch (error) {
      return explain(error);
    }
  }

  /** Moves the offset up to the first update that could not be stored; those after it come again and are known by their ids. */
  async function take(updates: unknown[]): Promise<Trouble | undefined> {
    const results = await Promise.allSettled(updates.map((update) => accept(update)));
    lastUpdateAt = Date.now();
    const ids = updates.map((update) => (isFields(update) ? integer(update, 'update_id') : undefined) ?? -1);
    const failed = results.findIndex(({ status }) => status === 'rejected');
    const next = failed < 0 ? Math.max(...ids) + 1 : (ids[failed] ?? 0);
    if (next > 0) offset = next;
    const cause = results[failed];
    if (cause?.status === 'rejected') {
      const detail = `messages cannot be stored (${errorMessage(cause.reason)}); Telegram keeps them meanwhile`;
      return { status: { state: 'reconnecting', detail } };
    }
    return next > 0
      ? undefined
      : { status: { state: 'reconnecting', detail: 'Telegram sends updates without numbers' } };
  }

  async function explain(error: unknown): Promise<Trouble> {
    if (!(error instanceof TelegramError)) return { status: { state: 'reconnecting', detail: errorMessage(error) } };
    if (error.code === 409 && /webhook/i.test(error.message)) return removeWebhook();
    if (error.code === 409) {
      const detail = 'another program polls with this token: stop it, or give this gateway a bot of its own';
      return { status: { state: 'reconnecting', detail }, isConflict: true };
    }
    if (error.code === 401 || error.code === 404) {
      const detail = 'Telegram does not accept the token any more: set channels.telegram.token to a valid one';
      return { status: { state: 'failed', detail }, waitMs: options.backoffMs.max };
    }
    const status: ChannelStatus = { state: 'reconnecting', detail: error.message };
    return error.retryAfterMs === undefined ? { status } : { status, waitMs: error.retryAfterMs };
  }

  /** Nobody else can be reading along while a webhook is set: it is left over, or the mode was changed. */
  async function removeWebhook(): Promise<Trouble> {
    const status: ChannelStatus = { state: 'reconnecting', detail: 'a webhook was set for this bot; it is removed' };
    try {
      await api.call('deleteWebhook', { drop_pending_updates: false }, { signal: stopping.signal });
      return { status };
    } catch (error) {
      return { status: { state: 'reconnecting', detail: errorMessage(error) } };
    }
  }

  function getUpdates(timeout: number, limit: number, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    const params = { ...(offset !== undefined && { offset }), timeout, limit, allowed_updates: ALLOWED_UPDATES };
    return api.call('getUpdates', params, { timeoutMs, ...(signal && { signal }) });
  }

  return {
    async stop() {
      stopping.abort();
      await finished;
      if (offset === undefined || offset === confirmed) return;
      try {
        await getUpdates(0, 1, 1000);
      } catch (error) {
        // Not confirmed: Telegram gives these once more at the next start, where their ids are known.
        if (!(error instanceof TelegramError)) throw error;
      }
    },
  };
}
