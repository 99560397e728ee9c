/** The server's answers: uncacheable, unframable JSON, and errors in the shape that frames use too. */
import type http from 'node:http';
import type { z } from 'zod';
import { createBodyReader, type ReadBody } from '../channels/shared/webhook.ts';
import { UserError } from '../errors.ts';
import { expectationOf } from '../messages/expects.ts';
import { messagesIn, say, servedBy, type Wording } from '../messages/messages.ts';

export const JSON_TYPE = 'application/json';

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 421 | 429 | 500 | 503;

/** Thrown to answer a request or a command with an error. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: ErrorStatus;
  readonly code: string;
  readonly said: Wording | string;
  /** The path of the wrong value. */
  readonly field: string | undefined;

  constructor(status: ErrorStatus, code: string, said: Wording | string, field?: string) {
    super(messagesIn('en').said(said));
    this.status = status;
    this.code = code;
    this.said = said;
    this.field = field;
  }
}

/** Thrown when the content has changed since the edit was begun; the answer carries the current content. */
export class Conflict extends RequestError {
  readonly current: { text: string; hash: string };

  constructor(current: { text: string; hash: string }) {
    super(409, 'conflict', say('requests.conflict'), 'baseHash');
    this.current = current;
  }
}

/** Creates the error for a field with a wrong value. */
export const wrongField = (field: string, what: Wording | string): RequestError =>
  new RequestError(
    400,
    'bad_request',
    field === '' ? what : say('requests.field', { field, what }),
    field || undefined,
  );

export const ownersOnly = () => new RequestError(403, 'forbidden', say('requests.ownersOnly'));
export const nothingHere = () => new RequestError(404, 'not_found', say('requests.nothingHere'));
export const internalError = () => new RequestError(500, 'internal', say('requests.internal'));

/** Returns the error to answer with, or undefined for an unexpected one. */
export function asRequestError(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error;
  // A message for people serves programs too.
  return error instanceof UserError ? new RequestError(400, 'refused', error.said) : undefined;
}

/** Headers of every data answer: not a page, not for other origins, not cached. */
export const DATA_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const;

export function sendJson(response: http.ServerResponse, status: number, body: unknown): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    ...DATA_HEADERS,
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(text),
    ...(bodyIsLeft(response.req) ? { connection: 'close' } : {}),
  });
  response.end(text);
}

/** Returns the error as bodies and frames carry it. */
export function errorFields({ code, said, field }: RequestError, language: string | undefined) {
  return { code, message: String(messagesIn(language).said(said)), ...(field !== undefined && { field }) };
}

/** Returns the first language of the `Accept-Language` header that has a catalogue. */
export const acceptedLanguage = ({ headers }: http.IncomingMessage): string | undefined =>
  headers['accept-language']
    ?.split(',', 10)
    .map((part) => servedBy(part.split(';')[0]?.trim()))
    .find((tag) => tag !== undefined);

const LATER_SECONDS: Readonly<Record<number, number>> = { 429: 60, 503: 5 };

/**
 * @param language the caller's; the language that the request accepts if the caller is unknown
 * @param written the body of a route that speaks another protocol
 */
export function sendError(
  response: http.ServerResponse,
  error: RequestError,
  language = acceptedLanguage(response.req),
  written?: (fields: ReturnType<typeof errorFields>, status: number) => object,
): void {
  const { status } = error;
  if (response.headersSent) return void response.destroy();
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (status in LATER_SECONDS) response.setHeader('retry-after', LATER_SECONDS[status] ?? 0);
  // A request after this one on the same connection might not be parsed as strictly.
  if (status === 400 || status === 408) response.setHeader('connection', 'close');
  const current = error instanceof Conflict ? { current: error.current } : {};
  const fields = errorFields(error, language);
  sendJson(response, status, written?.(fields, status) ?? { error: fields, ...current });
}

/** Returns whether the request has an unread body; a refused request's body is never read. */
export function bodyIsLeft({ complete, headers }: http.IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

export const MAX_BODY = 1024 * 1024;
export const tooSlow = () => new RequestError(408, 'too_slow', say('requests.tooSlow'));
const UNREAD: Readonly<Record<number, (maxBytes: number) => RequestError>> = {
  408: tooSlow,
  413: (maxBytes) =>
    new RequestError(413, 'too_large', say('requests.largeBody', { n: String(Math.floor(maxBytes / 1024)) })),
  503: () => new RequestError(503, 'busy', say('requests.tooMuchAtOnce')),
};
/** One reader per size: it limits what all bodies hold together. */
const readers = new Map<number, ReadBody>();
/** The limit for a body with files. */
const LARGE_MS = 60_000;

function readerOf(maxBytes: number): ReadBody {
  const large = maxBytes > MAX_BODY ? { totalBytes: 2 * maxBytes, waitMs: LARGE_MS } : {};
  const reader = readers.get(maxBytes) ?? createBodyReader({ maxBytes, ...large });
  readers.set(maxBytes, reader);
  return reader;
}

/**
 * Reads and validates the body.
 * @throws {RequestError} with the first wrong field
 */
export async function readBody<T>(
  { request, response }: { request: http.IncomingMessage; response: http.ServerResponse },
  schema: z.ZodType<T>,
  maxBytes = MAX_BODY,
): Promise<T> {
  const body = await readerOf(maxBytes)(request, response);
  if (typeof body === 'number')
    throw UNREAD[body]?.(maxBytes) ?? new RequestError(400, 'cut_off', say('requests.cutOff'));
  return parsedBy(schema, parseBody(body.toString()));
}

/** @throws {RequestError} with the first wrong field */
export function parsedBy<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrongField(issue?.path.join('.') ?? '', issue ? describeIssue(issue) : say('requests.invalid'));
}

const TYPES: Readonly<Record<string, Wording>> = {
  string: say('expected.text'),
  boolean: say('expected.flag'),
  array: say('expected.list'),
  object: say('requests.object'),
};

function describeIssue(issue: z.core.$ZodIssue): Wording | string {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? say('requests.missing') : (TYPES[issue.expected] ?? say('requests.number'));
  if (issue.code === 'invalid_value') return say('expected.oneOf', { values: issue.values.join(', ') });
  if (issue.code === 'too_big') return say('requests.atMost', { n: String(issue.maximum) });
  if (issue.code === 'too_small') return say('requests.atLeast', { n: String(issue.minimum) });
  if (issue.code === 'unrecognized_keys') return say('requests.unknown', { names: issue.keys.join(', ') });
  return issue.code === 'custom' || issue.code === 'invalid_format'
    ? expectationOf(issue.message)
    : say('requests.invalid');
}

function parseBody(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RequestError(400, 'bad_json', say('requests.notJson'));
    throw error;
  }
}
