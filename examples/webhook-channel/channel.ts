/**
 * An example of an external channel: another program on this machine POSTs people's messages, and gets the answers
 * POSTed to its callback address. Invariants: 200 means durable. The same event ID has no effect twice. No body is read
 * before the secret was checked. No part appears twice, because each carries a key that the other side recognises.
 * Nothing is retried here.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Channel,
  type ChannelCallbacks,
  type ChannelLimits,
  type ChannelStatus,
  ConfigError,
  createBodyReader,
  createDownload,
  DeliveryError,
  declaredBytes,
  errorCode,
  FilesRefused,
  isFields,
  type Logger,
  messagesFor,
  type OutboundMessage,
  refuse,
  sendParts,
  string,
  type WebhookHandler,
} from 'openviber-gateway/plugin';
import { ACCOUNT, CHANNEL, decode } from './decode.ts';
import { alone, noticeOf, render, type WebhookPart, wordsOf } from './render.ts';

const LIMITS: ChannelLimits = { text: 4000, uploadBytes: 5 * 1024 * 1024, downloadBytes: 5 * 1024 * 1024 };
const MAX_BODY = 256 * 1024;
const SEND_MS = 15_000;
const RETRY_MS = 1_000;
const SECRET_HEADER = 'x-webhook-secret';

export interface WebhookOptions {
  /** At least 16 characters, known to both sides and sent in both directions. */
  secret: string;
  /**
   * The address to which answers are POSTed, `http://127.0.0.1:9000/answers`; files of messages are fetched below it.
   */
  callback: string;
  log: Logger;
}

/**
 * `connect` throws ConfigError for settings that cannot work. The handler is mounted at a path of the gateway's HTTP
 * server.
 */
export function createWebhookChannel({ secret, callback, log }: WebhookOptions): Channel & { webhook: WebhookHandler } {
  const readBody = createBodyReader({ maxBytes: MAX_BODY });
  const expected = digest(secret);
  const inHand = new Set<Promise<void>>();
  let status: ChannelStatus = { state: 'off' };
  let callbacks: ChannelCallbacks | undefined;

  function setStatus(next: ChannelStatus): void {
    status = next;
    callbacks?.onStatus();
  }

  /** Returns the status that refuses a request because of its headers; undefined if they are right. */
  function wrongHead({ method, headers }: IncomingMessage, declared: number): number | undefined {
    if (method !== 'POST') return 405;
    const given = headers[SECRET_HEADER];
    if (typeof given !== 'string' || !timingSafeEqual(digest(given), expected)) return 401;
    return declared > MAX_BODY ? 413 : undefined;
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wrong = wrongHead(request, declaredBytes(request));
    if (wrong !== undefined) return refuse(request, response, wrong);
    const to = callbacks;
    if (!to || status.state !== 'connected') return refuse(request, response, 503);
    const body = await readBody(request, response);
    if (typeof body === 'number') return refuse(request, response, body);
    const raw = parse(body);
    const message = decode(raw);
    if (!message) {
      to.onDropped('unreadable');
      return refuse(request, response, 400);
    }
    try {
      const outcome = await to.onMessage(message, raw);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ outcome }));
    } catch (error) {
      // It could not be stored: after a 503 the sender sends the event again.
      log.warn({ err: error }, 'an event was not acknowledged; it will be sent again');
      refuse(request, response, 503);
    }
  }

  /**
   * POSTs one part, and returns the ID that the other side gives it.
   * @throws FilesRefused or DeliveryError
   */
  async function post(part: WebhookPart, key: string, message: OutboundMessage): Promise<string> {
    const files = await Promise.all(
      part.files.map(async ({ path, name, mimeType }) => ({ name, type: mimeType, data: await base64(path) })),
    );
    const { address, replyTo } = message;
    const body = JSON.stringify({ key, chat: address.chat, replyTo, text: part.text, buttons: part.buttons, files });
    const headers = { 'content-type': 'application/json', [SECRET_HEADER]: secret };
    const signal = AbortSignal.timeout(SEND_MS);
    const answer = await fetch(callback, { method: 'POST', headers, body, signal, redirect: 'error' })
      .then(async (response) => ({ response, text: await response.text() }))
      .catch((cause: unknown) => {
        // It may have arrived; the other side recognises a repetition by its key.
        throw new DeliveryError('the callback address gave no answer', {
          ...{ retryAfterMs: RETRY_MS, ambiguous: true, cause },
        });
      });
    return idOf(answer.response, answer.text, part);
  }

  return {
    id: CHANNEL,
    account: ACCOUNT,
    limits: LIMITS,
    isExact: true,
    status: () => status,
    async connect(given) {
      callbacks = given;
      const problems = [
        ...(secret.length >= 16
          ? []
          : [{ path: 'channels.webhook.secret', message: 'expected at least 16 characters' }]),
        ...(isLoopback(callback)
          ? []
          : [{ path: 'channels.webhook.callback', message: 'expected an http address on 127.0.0.1' }]),
      ];
      if (problems.length > 0) throw new ConfigError(problems);
      setStatus({ state: 'connected' });
    },
    async disconnect() {
      setStatus({ state: 'off' });
      await Promise.all(inHand);
    },
    async webhook(request, response) {
      const work = take(request, response);
      inHand.add(work);
      await work.finally(() => inHand.delete(work));
    },
    async send(message, ledger) {
      const parts = await render(message, LIMITS);
      await sendParts<WebhookPart>(ledger, {
        parts: () => parts,
        post: (part, { attempt }) => post(part, attempt.key, message),
        filesOf: ({ files }) => files,
        wordsOf,
        fileOf: (_part, file) => alone({ files: [file] }),
        notice: (refused) => noticeOf(refused, messagesFor(message)),
        noticeParts: async (text) => [alone({ text })],
      });
    },
    download: createDownload({
      platform: 'the other program',
      maxBytes: LIMITS.downloadBytes,
      async begin(transfer) {
        const url = `${callback}/files/${encodeURIComponent(transfer.file.id)}`;
        const headers = { [SECRET_HEADER]: secret };
        const response = await fetch(url, { headers, signal: transfer.signal, redirect: 'error' }).catch((error) => {
          throw transfer.broken(error);
        });
        if (response.status === 404) throw transfer.gone();
        if (!response.ok) throw transfer.broken(`status ${response.status}`);
        return transfer.body(response);
      },
    }),
  };
}

/** Interprets the other side's answer: the part's ID, refused files, or when to try again. */
function idOf({ ok, status, headers }: Response, text: string, part: WebhookPart): string {
  const answer = parse(Buffer.from(text));
  const id = ok && isFields(answer) ? string(answer, 'id') : undefined;
  if (id !== undefined) return id;
  const why = `the callback address answered ${status}`;
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') ?? 1);
    const retryAfterMs = Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : RETRY_MS;
    throw new DeliveryError(why, { retryAfterMs, rateLimited: true });
  }
  // A 200 without an ID doesn't come from the other program.
  if (ok || status >= 500) throw new DeliveryError(why, { retryAfterMs: RETRY_MS, ambiguous: true });
  if (part.files.length > 0 && status === 403) throw new FilesRefused('rights', why);
  if (part.files.length > 0 && status === 413) throw new FilesRefused('size', why);
  throw new DeliveryError(why);
}

async function base64(path: string): Promise<string> {
  try {
    return await readFile(path, 'base64');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new FilesRefused('gone', error);
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Hashes to a fixed length, so that the time of a comparison reveals nothing. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function isLoopback(address: string): boolean {
  return URL.canParse(address) && /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:|\/|$)/.test(address);
}
