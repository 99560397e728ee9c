/** Implements the `fetch` of Slack's own client with our connections, and errors that say whether anything was sent. */
import type { FetchFunction } from '@slack/web-api';
import { isFields, string } from '../../shared/read.ts';
import { type Transport, TransportError } from './transport.ts';

const TIMEOUT_MS = 30_000;

export function createFetch(transport: Transport): FetchFunction {
  return async (url, init = {}) => {
    const { headers = {}, body, signal } = init;
    if (body !== undefined && typeof body !== 'string') throw new TypeError('forms are not sent this way');
    const answer = await transport.request(url, {
      method: init.method === 'GET' ? 'GET' : 'POST',
      headers,
      ...(body !== undefined && { body }),
      timeoutMs: TIMEOUT_MS,
      ...(signal && { signal }),
    });
    const text = await transport.text(answer);
    // A page of some server in between.
    if (answer.status === 200 && !isOfWebApi(text))
      throw new TransportError('the answer is not one of the Web API', { sent: true, code: undefined });
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
  try {
    const answer: unknown = JSON.parse(text);
    return isFields(answer) && (answer.ok === true || (answer.ok === false && string(answer, 'error') !== undefined));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}
