/**
 * Receives updates that Telegram pushes. Invariants: none of the body is read before method, path and secret are right;
 * at most 1 MB of it ever is, and 16 MB of all bodies together; and 200 means durable. Telegram sends the updates of a
 * chat one at a time, so their order is kept. https://core.telegram.org/bots/api#setwebhook
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../../lib/json.ts';
import { createBodyReader, declaredBytes, refuseRequest, type WebhookHandler } from '../../shared/webhook.ts';

export interface WebhookSettings {
  /** Telegram sends it with every update. */
  secret: string;
  path: string;
  /** The public https URL of the same endpoint. */
  url: string;
}

const MAX_BYTES = 1_000_000;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

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
    const update = parseJson(body.toString('utf8'));
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

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
