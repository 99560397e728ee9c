/**
 * Receives updates that Telegram pushes. Invariants: none of the body is read before method, path and secret are right;
 * at most 1 MB of it ever is, and 16 MB of all bodies together; and 200 means durable. Telegram sends the updates of a
 * chat one at a time, so their order is kept. https://core.telegram.org/bots/api#setwebhook
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ConfigError } from '../../../errors.ts';
import { createBodyReader, declaredBytes, refuseRequest, type WebhookHandler } from '../../shared/webhook.ts';

export interface WebhookSettings {
  /** 1 to 256 of A-Z a-z 0-9 _ - ; Telegram sends it with every update. */
  secret: string;
  /** The path of our HTTP server for updates, such as `/telegram`. */
  path: string;
  /** The public https URL of the same endpoint. */
  url: string;
}

const MAX_BYTES = 1_000_000;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const SECRET = /^[A-Za-z0-9_-]{1,256}$/;

/** Returns the settings if they are complete and valid. @throws ConfigError naming each wrong key. */
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

/**
 * Creates the handler. When `accept` rejects because an update could not be stored, Telegram gets 503 and sends it
 * again.
 */
export function createWebhook(
  settings: WebhookSettings,
  accept: (update: unknown) => Promise<unknown>,
): WebhookHandler {
  const expected = digest(settings.secret);
  const readBody = createBodyReader({ maxBytes: MAX_BYTES });

  /** Returns the status with which to refuse a request, judged by its headers; undefined if they are fine. */
  function wrongHead(request: IncomingMessage): number | undefined {
    const { url, method, headers } = request;
    if (url?.split('?', 1)[0] !== settings.path) return 404;
    if (method !== 'POST') return 405;
    const given = headers['x-telegram-bot-api-secret-token'];
    if (typeof given !== 'string' || !timingSafeEqual(digest(given), expected)) return 401;
    if (declaredBytes(request) > MAX_BYTES) return 413;
    return JSON_TYPE.test(headers['content-type'] ?? 'application/json') ? undefined : 415;
  }

  return async (request, response) => {
    const wrong = wrongHead(request);
    if (wrong !== undefined) return refuseRequest(request, response, wrong);
    const body = await readBody(request, response);
    if (typeof body === 'number') return refuseRequest(request, response, body);
    const update = parseUpdate(body);
    if (update === undefined) return refuseRequest(request, response, 400);
    try {
      await accept(update);
    } catch {
      // The caller has logged why; Telegram only needs to send it again.
      return refuseRequest(request, response, 503);
    }
    response.writeHead(200).end();
  };
}

function parseUpdate(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
