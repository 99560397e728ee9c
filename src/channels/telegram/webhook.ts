/**
 * Updates pushed by Telegram. Invariants: nothing of the body is read before method, path and secret are right; at most
 * 1 MB of it ever is; and 200 means durable. Telegram sends one update of a chat at a time, so order is kept.
 * https://core.telegram.org/bots/api#setwebhook
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ConfigError, errorCode } from '../../errors.ts';

export interface WebhookSettings {
  /** 1 to 256 of A-Z a-z 0-9 _ - ; Telegram sends it with every update. */
  secret: string;
  /** Where our HTTP server takes the updates, for example `/telegram`. */
  path: string;
  /** The same place as Telegram reaches it, https. */
  url: string;
}

export type WebhookHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const MAX_BYTES = 1_000_000;
const BODY_MS = 10_000;
const SECRET = /^[A-Za-z0-9_-]{1,256}$/;

/** Throws ConfigError naming each wrong key. */
export function checkWebhook(settings: Partial<WebhookSettings> | undefined): WebhookSettings {
  const { secret, path, url } = settings ?? {};
  const problem = (key: string, message: string) => ({ path: `channels.telegram.webhook.${key}`, message });
  const problems = [
    ...(secret && SECRET.test(secret)
      ? []
      : [problem('secret', 'expected a secret of 1 to 256 characters A-Z a-z 0-9 _ -')]),
    ...(path?.startsWith('/') ? [] : [problem('path', 'expected a path, for example /telegram')]),
    ...(url && URL.canParse(url)
      ? []
      : [problem('url', 'expected the https address at which Telegram reaches this gateway')]),
  ];
  if (problems.length > 0 || !secret || !path || !url) throw new ConfigError(problems);
  return { secret, path, url };
}

/** `accept` rejects when an update could not be stored: Telegram hears 503 and sends it again. */
export function createWebhook(settings: WebhookSettings, accept: (update: unknown) => Promise<void>): WebhookHandler {
  const expected = digest(settings.secret);
  return async (request, response) => {
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== settings.path)
      return refuse(request, response, 404);
    if (request.method !== 'POST') return refuse(request, response, 405);
    const given = request.headers['x-telegram-bot-api-secret-token'];
    if (typeof given !== 'string' || !timingSafeEqual(digest(given), expected)) return refuse(request, response, 401);
    if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return refuse(request, response, 413);
    const body = await readBody(request);
    if (typeof body === 'number') return refuse(request, response, body);
    const update = parse(body);
    if (update === undefined) return refuse(request, response, 400);
    try {
      await accept(update);
    } catch {
      // The caller has said why; Telegram only needs to know that it must send it again.
      return refuse(request, response, 503);
    }
    response.writeHead(200).end();
  };
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

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Closes the connection: what is left of the body is not read. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  if (response.destroyed) return;
  const whole = request.complete;
  response.writeHead(status, whole ? {} : { connection: 'close' }).end();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
