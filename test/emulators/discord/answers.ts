/** Writes answers: JSON, 429 with its headers, and faults. */
import type { ServerResponse } from 'node:http';
import { sendJson } from '../base/http.ts';
import { type Limited, rateHeaders } from './rates.ts';
import type { Fault } from './types.ts';

type Headers = Record<string, string>;

/** The text and code with which Discord answers a bare status. */
export const WORDS: Record<number, string> = {
  500: '500: Internal Server Error',
  502: '502: Bad Gateway',
  503: '503: Service Unavailable',
  504: '504: Gateway Timeout',
};

export function answer(response: ServerResponse, status: number, body: unknown, headers: Headers = {}): void {
  sendJson(response, status, body, { via: '1.1 google', ...headers });
}

export function limitedBody({ scope, retryAfterMs }: Limited): object {
  const message = scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.';
  return { message, retry_after: retryAfterMs / 1000, global: scope === 'global' };
}

export function limitedHeaders({ scope, retryAfterMs }: Limited): Headers {
  const isGlobal: Headers = scope === 'global' ? { 'x-ratelimit-global': 'true' } : {};
  return { 'retry-after': String(Math.ceil(retryAfterMs / 1000)), 'x-ratelimit-scope': scope, ...isGlobal };
}

/** Answers as the fault requires; nothing has been done. */
export function answerFault(fault: Fault, route: string, response: ServerResponse): number {
  const { retryAfter, scope = 'user', body } = fault;
  if (scope === 'cloudflare') {
    const headers = { 'content-type': 'text/html', 'retry-after': String(Math.ceil(retryAfter ?? 60)) };
    response.writeHead(429, headers).end('error code: 1015');
    return 429;
  }
  if (retryAfter !== undefined) {
    const limited = { scope, retryAfterMs: retryAfter * 1000 };
    const headers = { ...rateHeaders(5, 0, retryAfter * 1000, route), ...limitedHeaders(limited) };
    answer(response, 429, body ?? limitedBody(limited), headers);
    return 429;
  }
  const status = fault.status ?? 500;
  if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  else answer(response, status, body ?? { message: WORDS[status] ?? 'fault injected', code: 0 });
  return status;
}
