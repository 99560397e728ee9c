/**
 * Receives events, commands and button presses that Slack pushes. Invariants: none of the body is read before the
 * headers are those of a signed request of the last 300 s; at most 1 MB of it ever is, and 16 MB of all bodies with
 * unverified signatures together; nothing is parsed before its signature is verified; a repeated request has no effect;
 * and 200 means durable. https://docs.slack.dev/authentication/verifying-requests-from-slack/
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver } from '@slack/bolt';
import { parseJson } from '../../../lib/json.ts';
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import { type Fields, isFields, string } from '../../shared/read.ts';
import { createBodyReader, declaredBytes, refuseRequest, type WebhookHandler } from '../../shared/webhook.ts';

interface HttpOptions {
  signingSecret: string;
  log: Logger;
  /** Called when Slack withholds events for the rest of a minute. */
  onLimited: () => void;
}

interface Http {
  receiver: Receiver;
  handler: WebhookHandler;
}

const MAX_BYTES = 1_000_000;
const SKEW_S = 300;
const TYPES = /^application\/(json|x-www-form-urlencoded)\s*(;|$)/i;
/** More requests than can arrive while a signature is valid; an older one is refused for its age. */
const MAX_SEEN = 50_000;

export function createHttp({ signingSecret, log, onLimited }: HttpOptions): Http {
  let process: ((body: Fields, ack: (reply?: unknown) => Promise<void>) => Promise<void>) | undefined;
  const seen = createLru<true>(MAX_SEEN);
  const readBody = createBodyReader({ maxBytes: MAX_BYTES });

  async function handler(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const signed = signedHead(request);
    if (typeof signed === 'number') return refuseRequest(request, response, signed);
    const raw = await readBody(request, response);
    if (typeof raw === 'number') return refuseRequest(request, response, raw);
    const { signature } = signed;
    if (!isRight(signed, raw, signingSecret)) return refuseRequest(request, response, 401);
    if (seen.has(signature)) return void response.writeHead(200).end();
    const body = parseSlackBody(raw, request.headers['content-type'] ?? '');
    if (!body) return refuseRequest(request, response, 400);
    if (body.type === 'url_verification') return reply(response, string(body, 'challenge') ?? '');
    if (body.type === 'app_rate_limited') onLimited();
    if (body.type === 'app_rate_limited' || body.ssl_check !== undefined) return reply(response, undefined);
    if (!process) return refuseRequest(request, response, 503);
    seen.set(signature, true);
    try {
      await process(body, async (answer) => reply(response, answer));
    } catch (error) {
      // Slack sends it again with another signature.
      seen.delete(signature);
      log.warn({ err: error }, 'a request from Slack was not acknowledged; Slack will send it again');
      return refuseRequest(request, response, 503);
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

interface SignedHead {
  signature: string;
  timestamp: string;
}

/** Returns a request's signature and timestamp, or the status with which to refuse it, judged by its headers. */
function signedHead(request: IncomingMessage): SignedHead | number {
  if (request.method !== 'POST') return 405;
  const { headers } = request;
  const timestamp = headers['x-slack-request-timestamp'];
  const signature = headers['x-slack-signature'];
  if (typeof signature !== 'string' || !/^v0=[0-9a-f]{64}$/.test(signature)) return 401;
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return 401;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > SKEW_S) return 401;
  if (declaredBytes(request) > MAX_BYTES) return 413;
  return TYPES.test(headers['content-type'] ?? 'application/json') ? { signature, timestamp } : 415;
}

function isRight({ signature, timestamp }: SignedHead, body: Buffer, secret: string): boolean {
  const expected = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}

/** Parses a body: events are JSON; commands are forms; button presses are forms with JSON in `payload`. */
function parseSlackBody(raw: Buffer, type: string): Fields | undefined {
  const text = raw.toString('utf8');
  const form = type.startsWith('application/x-www-form-urlencoded') ? new URLSearchParams(text) : undefined;
  const json = form ? form.get('payload') : text;
  const body = json === null ? Object.fromEntries(form ?? []) : parseJson(json);
  return isFields(body) ? body : undefined;
}

function reply(response: ServerResponse, answer: unknown): void {
  if (response.headersSent || response.destroyed) return;
  if (answer === undefined) response.writeHead(200).end();
  else if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'text/plain' }).end(answer);
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}
