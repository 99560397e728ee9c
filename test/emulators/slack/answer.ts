/** Answers as the platform words them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from './errors.ts';
import type { Fault } from './faults.ts';
import type { Json } from './state.ts';

/** An answer that is ready to be written. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

export function jsonAnswer(body: Json, headers: Record<string, string> = {}, status = 200): Answer {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) };
}

export function refusal(error: ApiError): Answer {
  const body = { ok: false, error: error.message, ...error.extra };
  if (error.retryAfter === undefined) return jsonAnswer(body);
  return jsonAnswer(body, { 'retry-after': String(error.retryAfter) }, 429);
}

export function broken(status: number): Answer {
  return { status, headers: { 'content-type': 'text/html' }, body: `<!DOCTYPE html><h1>${status}</h1>` };
}

export function bearer(request: IncomingMessage): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

export function write(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Returns what a fault answers in place of the call, if it answers. */
export function faultAnswer(fault: Fault): Answer | undefined {
  if (fault.kind === 'status') return broken(fault.status ?? 500);
  if (fault.kind === 'error') return refusal(new ApiError(fault.error ?? 'internal_error'));
  if (fault.kind === '429') return refusal(new ApiError('ratelimited', {}, fault.retryAfter ?? 1));
  return undefined;
}

/** Breaks the connection in the middle of the answer. */
export function cut(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.write(Buffer.from(body).subarray(0, Buffer.byteLength(body) >> 1), () => response.socket?.resetAndDestroy());
}
