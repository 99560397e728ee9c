/** Implements the `fetch` of Slack's own client with our connections, and errors that say whether anything was sent. */
import type { FetchFunction } from '@slack/web-api';
import { parseJson } from '../../../lib/json.ts';
import { TransportError } from '../../shared/connection.ts';
import { isFields, string } from '../../shared/read.ts';
import type { Transport } from './transport.ts';

const TIMEOUT_MS = 30_000;

export function createFetch(transport: Transport): FetchFunction {
  return async (url, init = {}) => {
    const { method, headers, body, signal } = init;
    if (body !== undefined && typeof body !== 'string') throw new TypeError('forms are not sent this way');
    const request = { method, headers, body, timeoutMs: TIMEOUT_MS, signal: signal ?? undefined };
    const answer = await transport.request(url, request);
    const text = await transport.text(answer);
    // The page of a proxy, for example.
    if (answer.status === 200 && !isOfWebApi(text))
      throw new TransportError('the answer is not one of the Web API', { sent: true });
    const lines = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]);
    // The client can't read a 429 without a time to wait, so it becomes one second.
    if (answer.status === 429 && !/^\d+$/.test(answer.headers['retry-after'] ?? '')) lines.push(['retry-after', '1']);
    const all = new Map(lines);
    return {
      ok: answer.status >= 200 && answer.status < 300,
      status: answer.status,
      statusText: '',
      url: String(url),
      headers: { get: (name: string) => all.get(name.toLowerCase()) ?? null, entries: () => all.entries() },
      arrayBuffer: async () => new TextEncoder().encode(text).buffer,
      json: async () => JSON.parse(text),
      text: async () => text,
    };
  };
}

/**
 * Returns whether the text is an answer of the Web API: each has `ok`, and a refusal has `error`.
 * https://docs.slack.dev/apis/web-api/
 */
function isOfWebApi(text: string): boolean {
  const answer = parseJson(text);
  return isFields(answer) && (answer.ok === true || (answer.ok === false && string(answer, 'error') !== undefined));
}
