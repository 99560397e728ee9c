/** The server's answers: uncacheable, unframable JSON, and errors in the shape that frames use too. */
import type http from 'node:http';
import type { z } from 'zod';
import { createBodyReader, type ReadBody } from '../channels/shared/webhook.ts';
import { expectationOf } from '../config/expects.ts';
import { messagesIn, say, type Wording } from '../messages/messages.ts';
import type { BoardError } from '../runtime/contract/board.ts';

export const JSON_TYPE = 'application/json';

/** Thrown by a handler to answer with this error. */
export class RequestError extends Error {
  /** Its message is in English. */
  readonly error: BoardError;
  readonly #said: Wording | string;

  constructor(status: BoardError['status'], code: string, said: Wording | string, field?: string) {
    const message = messagesIn('en').said(said);
    super(message);
    this.name = 'RequestError';
    this.error = { status, code, message, ...(field !== undefined && { field }) };
    this.#said = said;
  }

  errorIn(language: string | undefined): BoardError {
    return { ...this.error, message: messagesIn(language).said(this.#said) };
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

export const asRequestError = ({ status, code, message, field }: BoardError) =>
  new RequestError(status, code, message, field);

export const isError = (value: object): value is BoardError => 'status' in value && 'code' in value;

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
export const errorBody = ({ code, message, field }: BoardError) => ({
  error: { code, message, ...(field !== undefined && { field }) },
});

const LATER_SECONDS: Readonly<Record<number, number>> = { 429: 60, 503: 5 };

export function sendError(response: http.ServerResponse, error: BoardError): void {
  const { status } = error;
  if (response.headersSent) return void response.destroy();
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (status in LATER_SECONDS) response.setHeader('retry-after', LATER_SECONDS[status] ?? 0);
  // A request after this one on the same connection might not be parsed as strictly.
  if (status === 400 || status === 408) response.setHeader('connection', 'close');
  sendJson(response, status, errorBody(error));
}

/** Returns whether the request has an unread body; a refused request's body is never read. */
export function bodyIsLeft({ complete, headers }: http.IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

export const MAX_BODY = 1024 * 1024;
const UNREAD: Readonly<Record<number, (maxBytes: number) => RequestError>> = {
  408: () => new RequestError(408, 'too_slow', "The body didn't arrive in time."),
  413: (maxBytes) => new RequestError(413, 'too_large', `A body may have ${Math.floor(maxBytes / 1024)} KB at most.`),
  503: () => new RequestError(503, 'busy', 'Too much is being sent at once; try again in a moment.'),
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
    throw UNREAD[body]?.(maxBytes) ?? new RequestError(400, 'cut_off', 'The request was cut off.');
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
    if (error instanceof SyntaxError) throw new RequestError(400, 'bad_json', 'The body is not JSON.');
    throw error;
  }
}
