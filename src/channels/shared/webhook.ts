/**
 * Handles requests to the webhooks of all platforms. Invariants: once refused, a request gets its status and is
 * read no further; the memory that bodies hold is counted as they arrive, over all requests of a reader together,
 * whatever their headers say.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export type WebhookHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Returns the body, or the status with which to refuse it. */
export type ReadBody = (request: IncomingMessage, response: ServerResponse) => Promise<Buffer | number>;

export interface BodyLimits {
  /** Bytes of one body. */
  maxBytes: number;
  /** Bytes that all pending bodies may hold together. */
  totalBytes?: number;
  /** Milliseconds until a body must be complete. */
  waitMs?: number;
}

/** Platforms wait a few seconds for an answer, so a slower sender isn't one of them. */
const WAIT_MS = 5_000;
const TOTAL_BYTES = 16 * 1024 * 1024;
const FIRST_BYTES = 4096;
const RETRY_AFTER_S = 5;

/**
 * Returns a reader that copies each body into one block: kept as one-byte chunks, a body would cost hundreds of times
 * its size.
 * @example
 * const readBody = createBodyReader({ maxBytes: 1024 * 1024 });
 * const body = await readBody(request, response);
 * if (typeof body === 'number') refuse(request, response, body);
 */
export function createBodyReader({ maxBytes, totalBytes = TOTAL_BYTES, waitMs = WAIT_MS }: BodyLimits): ReadBody {
  let held = 0;

  return (request, response) => {
    const { promise, resolve } = Promise.withResolvers<Buffer | number>();
    let block = Buffer.alloc(0);
    let size = 0;

    /** Returns false if all bodies together would hold too much. */
    function hasRoomFor(needed: number): boolean {
      if (needed <= block.length) return true;
      const length = Math.min(maxBytes, Math.max(needed, 2 * block.length, FIRST_BYTES));
      if (held + length - block.length > totalBytes) return false;
      held += length - block.length;
      const larger = Buffer.allocUnsafeSlow(length);
      block.copy(larger, 0, 0, size);
      block = larger;
      return true;
    }

    function onData(chunk: Buffer): void {
      const isTooLarge = size + chunk.length > maxBytes;
      if (isTooLarge || !hasRoomFor(size + chunk.length)) end(isTooLarge ? 413 : 503);
      else size += chunk.copy(block, size);
    }

    const onEnd = () => end(block.subarray(0, size));
    const onCut = () => end(400);
    const timer = setTimeout(() => end(408), waitMs);

    function end(result: Buffer | number): void {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      request.pause();
      held -= block.length;
      resolve(result);
    }

    request.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
    if (request.destroyed) onCut();
    else if (isAsking(request)) response.writeContinue();
    return promise;
  };
}

/** Returns whether the sender waits for a 100 Continue before it sends the body. */
export const isAsking = ({ headers }: IncomingMessage): boolean => /^100-continue$/i.test(headers.expect ?? '');

/**
 * Returns the bytes that the headers declare; 0 if they don't.
 * @example
 * if (declaredBytes(request) > 1024 * 1024) refuse(request, response, 413);
 */
export const declaredBytes = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0);

/**
 * Refuses a request with a status. Closes the connection if part of the body is unread.
 * @example
 * if (request.method !== 'POST') refuse(request, response, 405);
 */
export function refuseRequest(request: IncomingMessage, response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-length': 0,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(status === 405 ? { allow: 'POST' } : {}),
    ...(status === 503 ? { 'retry-after': String(RETRY_AFTER_S) } : {}),
    ...(request.complete ? {} : { connection: 'close' }),
  });
  response.end();
}
