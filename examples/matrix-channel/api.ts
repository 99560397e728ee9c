/**
 * Makes the calls of the client-server API (https://spec.matrix.org/latest/client-server-api/). Nothing is retried
 * here; a failure says what the homeserver meant and when to try again.
 */
import { errorCode, errorMessage, type Fields, fields, integer, isFields, string } from 'openviber-gateway/plugin';

const CALL_MS = 30_000;

export class MatrixError extends Error {
  override name = 'MatrixError';
  /** The HTTP status; 0 if no answer came. */
  readonly status: number;
  /** `M_FORBIDDEN`; absent if the answer isn't a homeserver's. */
  readonly errcode: string | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(message: string, { status, errcode, retryAfterMs, cause }: Details) {
    super(message, { cause });
    this.status = status;
    this.errcode = errcode;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether a later attempt may succeed without anybody changing anything. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500 || this.isTokenWrong;
  }

  /** Whether the token isn't accepted (any more), or its account is locked. */
  get isTokenWrong(): boolean {
    return this.status === 401;
  }
}

interface Details {
  status: number;
  errcode?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

export interface Call {
  query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  json?: object;
  /** Sent as it is. */
  body?: Blob;
  type?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface MatrixApi {
  /** Calls `METHOD /path` and returns the answer's object. Each part of the path is encoded. @throws MatrixError */
  call(method: string, path: readonly string[], call?: Call): Promise<Fields>;
  /** Requests bytes. The response may have any status. */
  bytes(path: readonly string[], signal: AbortSignal, query?: Call['query']): Promise<Response>;
}

export const CLIENT = ['_matrix', 'client', 'v3'] as const;

/** @param homeserver its base URL without a slash at the end */
export function createApi({ homeserver, token }: { homeserver: string; token: string }): MatrixApi {
  const headers = { authorization: `Bearer ${token}` };
  const urlOf = (path: readonly string[], query: Call['query'] = {}) => {
    const url = new URL(`${homeserver}/${path.map(encodeURIComponent).join('/')}`);
    for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, String(value));
    return url;
  };

  return {
    async call(method, path, { query, json, body, type, timeoutMs = CALL_MS, signal } = {}) {
      const limit = AbortSignal.timeout(timeoutMs);
      const mime = body ? (type ?? 'application/octet-stream') : json ? 'application/json' : undefined;
      try {
        const response = await fetch(urlOf(path, query), {
          method,
          headers: { ...headers, ...(mime !== undefined && { 'content-type': mime }) },
          ...(body ? { body } : json ? { body: JSON.stringify(json) } : {}),
          signal: signal ? AbortSignal.any([signal, limit]) : limit,
          redirect: 'error',
        });
        return readAnswer(response, await response.text());
      } catch (error) {
        if (error instanceof MatrixError) throw error;
        throw new MatrixError(`the homeserver gave no answer (${reason(error)})`, { status: 0, cause: error });
      }
    },
    // Media may be on another host; `fetch` doesn't pass our token on to it.
    bytes: (path, signal, query) => fetch(urlOf(path, query), { headers, signal, redirect: 'follow' }),
  };
}

/** Returns the object of a successful answer. @throws MatrixError */
export function readAnswer({ ok, status, headers }: Response, text: string): Fields {
  const answer = parse(text);
  if (ok && isFields(answer)) return answer;
  const errcode = isFields(answer) ? string(answer, 'errcode') : undefined;
  const said = (isFields(answer) ? string(answer, 'error') : undefined) ?? 'no answer of a homeserver';
  const retryAfterMs =
    status === 429 ? (waitIn(headers) ?? (isFields(answer) ? waitOf(answer) : undefined)) : undefined;
  // A success that isn't an object comes from something in between.
  throw new MatrixError(`${errcode ?? `HTTP ${status}`}: ${said.slice(0, 300)}`, {
    ...{ status: ok ? 502 : status, errcode, retryAfterMs },
  });
}

/** https://spec.matrix.org/latest/client-server-api/#rate-limiting: seconds, or a date. */
function waitIn(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

const waitOf = (answer: Fields): number | undefined => {
  const ms = integer(answer, 'retry_after_ms');
  return ms === undefined ? undefined : Math.max(0, ms);
};

/** Parses JSON; undefined for anything else. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function reason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it took too long';
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCode(cause) ?? errorCode(error) ?? errorMessage(error);
}

/** Returns the event's content, or an empty one. */
export const contentOf = (event: Fields): Fields => fields(event, 'content') ?? {};
