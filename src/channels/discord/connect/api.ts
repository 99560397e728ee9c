/**
 * Calls Discord's REST API through `@discordjs/rest`, a part of discord.js. Nothing is retried or queued behind a rate
 * limit: a call is made now or fails with a DiscordError that says when it may be made. No error contains the token of
 * an interaction. https://discord.com/developers/docs/reference#http-api
 */
import { DiscordAPIError, HTTPError, RateLimitError, REST, type RESTOptions, RequestMethod } from '@discordjs/rest';
import { errorCode, errorMessage } from '../../../errors.ts';
import { awakeNow } from '../../../lib/clock.ts';
import { readKept } from '../../../lib/files/below.ts';
import { formBytes } from '../../../lib/form.ts';

/**
 * `refused`: Discord rejected the call. `limited`: too many calls. `failed`: Discord has a problem of its own (5xx).
 * `unreachable`: Discord certainly received nothing. `lost`: no answer came, and the call may have been executed.
 * `unreadable`: one of our files can't be read.
 */
export type FailureKind = 'refused' | 'limited' | 'failed' | 'unreachable' | 'lost' | 'unreadable';

export class DiscordError extends Error {
  override name = 'DiscordError';
  readonly kind: FailureKind;
  readonly status: number | undefined;
  /** https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
  readonly code: number | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(
    kind: FailureKind,
    message: string,
    details: { status?: number; code?: number | undefined; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = details.status;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface CallOptions {
  body?: object;
  /** Streamed from disk under the names given in `body.attachments`. */
  files?: readonly UploadFile[];
  query?: Record<string, string>;
  /** Timeout of the whole call in ms; 15,000 by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** False for calls that an interaction's token authorises. */
  auth?: boolean;
}

export type UploadFile = { path: string; mimeType: string; uploadName: string };

export interface DiscordApi {
  /**
   * Calls a `route` without the version, with real IDs: `/channels/1/messages`. Returns the JSON answer. @throws
   * DiscordError
   */
  call(method: keyof typeof METHODS, route: `/${string}`, options?: CallOptions): Promise<unknown>;
  close(): void;
}

const METHODS = {
  GET: RequestMethod.Get,
  POST: RequestMethod.Post,
  PUT: RequestMethod.Put,
  PATCH: RequestMethod.Patch,
  DELETE: RequestMethod.Delete,
};

const CALL_MS = 15_000;
/** The library's own limit covers only the headers of an answer; ours is shorter and covers the body as well. */
const LIBRARY_MS = 300_000;
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export function restOptions(apiRoot: string, cdnRoot: string): Partial<RESTOptions> {
  return {
    api: apiRoot.replace(/\/+$/, ''),
    cdn: cdnRoot.replace(/\/+$/, ''),
    mediaProxy: cdnRoot.replace(/\/+$/, ''),
    retries: 0,
    // Each conversation and each interaction has a queue there, kept until it is swept. The default of an hour would
    // let them pile up.
    handlerSweepInterval: 300_000,
    timeout: LIBRARY_MS,
    rejectOnRateLimit: () => true,
    makeRequest: drained,
  };
}

/**
 * Sends requests with Node's own fetch instead of a second HTTP client. The library doesn't read the body of error
 * answers, which would keep their connections from being reused.
 */
const drained: RESTOptions['makeRequest'] = async (url, init) => {
  const { body, method = 'POST', signal } = init;
  const headers = plainHeaders(init.headers);
  const response = await fetch(url, { method, headers, signal: signal ?? null, body: await plainBody(body, headers) });
  if (response.status === 429 || response.status >= 500) await response.arrayBuffer();
  return response;
};

async function plainBody(given: unknown, headers: Headers): Promise<string | Uint8Array<ArrayBuffer> | null> {
  if (given === undefined || given === null || typeof given === 'string') return given ?? null;
  if (!(given instanceof FormData)) throw new TypeError('only JSON and forms are sent');
  const { bytes, type } = await formBytes(given);
  headers.set('content-type', type);
  return bytes;
}

function plainHeaders(given: unknown): Headers {
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  return new Headers(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

export function createApi(options: { token: string; apiRoot: string; cdnRoot: string }): DiscordApi {
  const bound = new REST(restOptions(options.apiRoot, options.cdnRoot));
  // Calls with an interaction's token don't count towards the bot's limit of 50 calls per second.
  const free = new REST({ ...restOptions(options.apiRoot, options.cdnRoot), globalRequestsPerSecond: 1_000_000 });
  const checkClock = forgetsAfterStep([bound, free]);
  return {
    async call(method, route, { body, files = [], query, timeoutMs = CALL_MS, signal, auth = true } = {}) {
      const rest = auth ? bound : free;
      // The library forgets the token at the first 401.
      bound.setToken(options.token);
      checkClock();
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await rest.request({
          fullRoute: route,
          method: METHODS[method],
          auth,
          signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
          ...(query && { query: new URLSearchParams(query) }),
          ...(files.length > 0 ? { body: await form(body ?? {}, files), passThroughBody: true } : body && { body }),
        });
        // An answer that isn't JSON comes as bytes: none, or the page of a proxy.
        if (!(answer instanceof ArrayBuffer)) return answer;
        if (answer.byteLength > 0) throw new SyntaxError('the answer is not JSON');
        return undefined;
      } catch (error) {
        throw toDiscordError(error, `${method} ${routeName(route)}`);
      }
    },
    close() {
      for (const rest of [bound, free]) {
        rest.clearHashSweeper();
        rest.clearHandlerSweeper();
      }
    },
  };
}

/**
 * Returns a function that drops the library's limits when the clock is set back. The library keeps them by the
 * machine's clock, so they would last that much longer. Delivery has limits of its own.
 */
function forgetsAfterStep(rests: readonly REST[]): () => void {
  const ahead = () => Date.now() - awakeNow();
  let before = ahead();
  return () => {
    const isSetBack = ahead() < before - 1000;
    before = ahead();
    if (!isSetBack) return;
    for (const rest of rests) {
      rest.handlers.clear();
      rest.globalReset = 0;
    }
  };
}

async function form(body: object, files: readonly UploadFile[]): Promise<FormData> {
  const data = new FormData();
  data.append('payload_json', JSON.stringify(body));
  for (const [index, { path, mimeType, uploadName }] of files.entries())
    data.append(`files[${index}]`, await readAsBlob(path, mimeType), uploadName);
  return data;
}

async function readAsBlob(path: string, type: string): Promise<Blob> {
  try {
    return new Blob([await readKept(path)], { type });
  } catch (error) {
    throw new DiscordError('unreadable', `a file cannot be read: ${errorMessage(error)}`);
  }
}

/** Returns the route without IDs and tokens. */
function routeName(route: string): string {
  return route.replace(/^\/(interactions|webhooks)\/\d+\/[^/]+/, '/$1/:id/:token').replace(/\/\d{1,20}/g, '/:id');
}

/** "internal network error": the server in front of Discord blocks a call, and Discord hasn't seen it. */
const BLOCKED = 40_333;
/** Returns whether the code is Discord's. Answers of servers in between have other numbers, often the status again. */
const isOfDiscord = (code: number): boolean => code === 0 || (code >= 10_000 && code !== BLOCKED);

function toDiscordError(error: unknown, call: string): unknown {
  if (error instanceof RateLimitError) {
    const waits = [error.retryAfter, error.sublimitTimeout, error.timeToReset].filter(Number.isFinite);
    // A limit without a time isn't retried at once.
    const wait = Math.max(...waits, 0) || 1000;
    return new DiscordError('limited', `${call}: Discord asks to wait ${Math.ceil(wait)} ms`, {
      status: 429,
      retryAfterMs: Math.ceil(wait),
    });
  }
  if (error instanceof DiscordAPIError) {
    const code = typeof error.code === 'number' && isOfDiscord(error.code) ? error.code : undefined;
    const details = { status: error.status, code };
    return new DiscordError('refused', `${call}: ${error.message || `status ${error.status}`}`, details);
  }
  if (error instanceof HTTPError)
    return new DiscordError('failed', `${call}: status ${error.status}`, { status: error.status });
  if (!(error instanceof Error) || error instanceof DiscordError) return error;
  const code = errorCode(error) ?? errorCode(error.cause);
  if (code !== undefined && NOT_SENT.has(code)) return new DiscordError('unreachable', `${call}: ${code}`);
  const why =
    error.name === 'AbortError' || error.name === 'TimeoutError' ? 'no answer in time' : (code ?? error.message);
  return new DiscordError('lost', `${call}: ${why}`);
}
