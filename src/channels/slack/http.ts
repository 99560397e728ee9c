/**
 * Events, commands and presses pushed by Slack. Invariants: at most 1 MB is read of a request, nothing of it is parsed before
 * its signature is right and its time within 300 s of ours, a request seen before has no effect, and 200 means durable.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack/
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver } from '@slack/bolt';
import { errorCode } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { type Fields, isFields, string } from '../shared/read.ts';
import { createLru } from './lru.ts';

export type WebhookHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface HttpOptions {
  signingSecret: string;
  log: Logger;
  /** Slack holds back events for the rest of a minute. */
  onLimited: () => void;
}

export interface Http {
  receiver: Receiver;
  handler: WebhookHandler;
}

const MAX_BYTES = 1_000_000;
const BODY_MS = 10_000;
const SKEW_S = 300;
/** More than arrive within the time in which a signature is good; what is older is refused for its age. */
const MAX_SEEN = 50_000;

export function createHttp({ signingSecret, log, onLimited }: HttpOptions): Http {
  let process: ((body: Fields, ack: (reply?: unknown) => Promise<void>) => Promise<void>) | undefined;
  const seen = createLru<true>(MAX_SEEN);

  async function handler(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return refuse(request, response, 405);
    if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return refuse(request, response, 413);
    const raw = await readBody(request);
    if (typeof raw === 'number') return refuse(request, response, raw);
    const signature = verify(request, raw, signingSecret);
    if (signature === undefined) return refuse(request, response, 401);
    if (seen.has(signature)) return void response.writeHead(200).end();
    const body = parse(raw, request.headers['content-type'] ?? '');
    if (!body) return refuse(request, response, 400);
    if (body.type === 'url_verification') return reply(response, string(body, 'challenge') ?? '');
    if (body.type === 'app_rate_limited') onLimited();
    if (body.type === 'app_rate_limited' || body.ssl_check !== undefined) return reply(response, undefined);
    if (!process) return refuse(request, response, 503);
    seen.set(signature, true);
    try {
      await process(body, async (answer) => reply(response, answer));
    } catch (error) {
      // Slack sends it again, under another signature.
      seen.delete(signature);
      log.warn({ err: error }, 'a request from Slack was not acknowledged; Slack will send it again');
      return refuse(request, response, 503);
    }
  }

  return {
    handler,
    receiver: {
      init(app) {
        process = (body, ack) => app.processEvent({ body, ack });
      },
      start: async () => undefined,
      stop: async () => undefined,
    },
  };
}

/** The signature when it is right and fresh. */
function verify({ headers }: IncomingMessage, body: Buffer, secret: string): string | undefined {
  const timestamp = headers['x-slack-request-timestamp'];
  const given = headers['x-slack-signature'];
  if (typeof given !== 'string' || typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return undefined;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > SKEW_S) return undefined;
  const expected = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
  if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected))) return undefined;
  return expected;
}

/** The body, or the status to refuse it with. */
async function readBody(request: IncomingMessage): Promise<Buffer | number> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => request.destroy(), BODY_MS);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > MAX_BYTES) return 413;
      chunks.push(chunk);
    }
  } catch (error) {
    if (errorCode(error) !== 'ECONNRESET' && errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    return 400;
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

/** Events are JSON; commands are forms; presses are forms with JSON in `payload`. */
function parse(raw: Buffer, type: string): Fields | undefined {
  const text = raw.toString('utf8');
  if (!type.startsWith('application/x-www-form-urlencoded')) return parseJson(text);
  const form = new URLSearchParams(text);
  const payload = form.get('payload');
  return payload === null ? Object.fromEntries(form) : parseJson(payload);
}

function parseJson(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function reply(response: ServerResponse, answer: unknown): void {
  if (response.headersSent || response.destroyed) return;
  if (answer === undefined) response.writeHead(200).end();
  else if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'text/plain' }).end(answer);
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** Closes the connection where a body is left unread. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, request.complete ? {} : { connection: 'close' }).end();
}
