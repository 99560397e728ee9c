/**
 * Delivery by webhook: one POST per update, with the secret in a header. A chat's updates are delivered one after
 * another, and chats in parallel up to `max_connections`. Any answer except 2xx is repeated: at once, then after 1, 2,
 * 4 ... times the pace.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, conflict } from './errors.ts';
import { flag, integer, list, type Params, text } from './params.ts';
import type { Pending, Updates } from './updates.ts';

export interface Webhook {
  set(params: Params): true;
  remove(params: Params): true;
  info(): object;
  url(): string;
  /** Throws ApiError 409 if a webhook is set. */
  refusePolling(): void;
  /** Stops deliveries for good. */
  close(): void;
}

export interface WebhookOptions {
  /** The first real pause before a repetition, in milliseconds. */
  retryMs: number;
  /** The time after which an answer counts as missing, in milliseconds. */
  timeoutMs: number;
  /** Makes a method call that came as the answer to an update. */
  call(method: string, values: Record<string, unknown>): void;
}

interface Target {
  url: string;
  secret: string;
  connections: number;
  lastError?: { date: number; message: string };
}

const LONGEST_PAUSE = 64;
const SECRET = /^[A-Za-z0-9_-]*$/;

function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // The platform accepts only https; plain http is allowed to this machine, where tests listen.
  const isLocal = parsed?.hostname === '127.0.0.1' || parsed?.hostname === 'localhost' || parsed?.hostname === '[::1]';
  if (parsed?.protocol !== 'https:' && !(parsed?.protocol === 'http:' && isLocal)) {
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  }
}

export function createWebhook(updates: Updates, options: WebhookOptions): Webhook {
  let target: Target | undefined;
  let active = 0;
  let stopper = new AbortController();
  const lanes = new Map<string, number[]>();
  const queued = new Set<number>();
  const waiting: (() => void)[] = [];

  async function post(to: Target, entry: Pending): Promise<string | undefined> {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (to.secret) headers['x-telegram-bot-api-secret-token'] = to.secret;
    const signal = AbortSignal.any([stopper.signal, AbortSignal.timeout(options.timeoutMs)]);
    try {
      const response = await fetch(to.url, {
        method: 'POST',
        headers,
        body: JSON.stringify(entry.update),
        signal,
        redirect: 'manual',
      });
      const body = await response.text();
      if (!response.ok) return `Wrong response from the webhook: ${response.status} ${response.statusText}`;
      if (response.headers.get('content-type')?.startsWith('application/json') && body.includes('"method"')) {
        const { method, ...values } = JSON.parse(body) as Record<string, unknown>;
        if (typeof method === 'string') options.call(method, values);
      }
      return undefined;
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError' ? 'Read timeout expired' : 'Connection failed';
    }
  }

  async function turn(limit: number): Promise<void> {
    if (active >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    active += 1;
  }

  /** Delivers one chat's updates in order until there are none or the webhook changes. */
  async function run(name: string, keys: number[], to: Target): Promise<void> {
    for (let failures = 0; keys[0] !== undefined && target === to; ) {
      const entry = updates.pending.get(keys[0]);
      await turn(to.connections);
      const problem = entry && target === to ? await post(to, entry) : undefined;
      active -= 1;
      waiting.shift()?.();
      if (target !== to) break;
      if (problem === undefined) {
        updates.pending.delete(keys[0]);
        queued.delete(keys[0]);
        keys.shift();
        failures = 0;
        continue;
      }
      to.lastError = { date: Math.floor(Date.now() / 1000), message: problem };
      const pause = failures === 0 ? 0 : options.retryMs * Math.min(2 ** (failures - 1), LONGEST_PAUSE);
      failures += 1;
      if (pause > 0) await sleep(pause, undefined, { ref: false });
    }
    if (lanes.get(name) === keys) lanes.delete(name);
  }

  function pump(): void {
    if (!target) return;
    for (const [key, entry] of updates.pending) {
      if (queued.has(key)) continue;
      queued.add(key);
      const lane = lanes.get(entry.lane);
      if (lane) lane.push(key);
      else {
        const keys = [key];
        lanes.set(entry.lane, keys);
        void run(entry.lane, keys, target);
      }
    }
  }

  function stop(): void {
    target = undefined;
    updates.push = undefined;
    lanes.clear();
    queued.clear();
    stopper.abort();
    stopper = new AbortController();
    for (const go of waiting.splice(0)) go();
  }

  return {
    set(params) {
      const url = text(params, 'url') ?? '';
      if (flag(params, 'drop_pending_updates')) updates.clear();
      if (url === '') {
        stop();
        return true;
      }
      checkUrl(url);
      const secret = text(params, 'secret_token') ?? '';
      if (secret.length > 256) throw badRequest('secret token is too long');
      if (!SECRET.test(secret)) throw badRequest('secret token contains unallowed characters');
      updates.allow(list<string>(params, 'allowed_updates'));
      const connections = Math.min(Math.max(integer(params, 'max_connections') ?? 40, 1), 100);
      stop();
      updates.endPoll(conflict('terminated by setWebhook request'));
      target = { url, secret, connections };
      updates.push = pump;
      pump();
      return true;
    },
    remove(params) {
      if (flag(params, 'drop_pending_updates')) updates.clear();
      stop();
      return true;
    },
    info: () => ({
      url: target?.url ?? '',
      has_custom_certificate: false,
      pending_update_count: updates.pending.size,
      ...(target && { max_connections: target.connections }),
      ...(target?.lastError && {
        last_error_date: target.lastError.date,
        last_error_message: target.lastError.message,
      }),
      ...(updates.allowed().length > 0 && { allowed_updates: updates.allowed() }),
    }),
    url: () => target?.url ?? '',
    refusePolling() {
      if (!target) return;
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    },
    close: stop,
  };
}
