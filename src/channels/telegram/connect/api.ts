/**
 * The one way to the Bot API: grammY's client with our connections and time limits, and errors that say what is known. It is
 * grammY's build for platforms that bring their own fetch: it loads in a sixth of the time of the one that brings node-fetch.
 * Invariant: no error that leaves this file carries the token, which stands in the URL of every call, nor a request's contents.
 * https://core.telegram.org/bots/api#making-requests
 */
import { Api, GrammyError, HttpError } from 'grammy/web';
import { errorCode } from '../../../errors.ts';
import { createFetch, TransportError } from './transport.ts';

export interface CallOptions {
  /** Milliseconds for the whole call; 30,000 unless told. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface TelegramApi {
  /** Calls a Bot API method and gives its `result`. Throws TelegramError and nothing else. */
  call(method: string, params: object, options?: CallOptions): Promise<unknown>;
  /** Where a file of `getFile` is fetched from. Holds the token: never to be shown. */
  fileUrl(filePath: string): string;
}

/**
 * `refused`: Telegram answered no. `unreachable`: nothing was sent. `lost`: it may have been taken, the answer did not
 * come. `unreadable`: the file to upload could not be read, so nothing whole was sent. `aborted`: by the caller's signal.
 */
export type FailureKind = 'refused' | 'unreachable' | 'lost' | 'unreadable' | 'aborted';

export class TelegramError extends Error {
  override name = 'TelegramError';
  readonly kind: FailureKind;
  /** Telegram's `error_code`, the system's code, or `http_502` where something in between answered. */
  readonly code: number | string | undefined;
  readonly retryAfterMs: number | undefined;
  /** The chat has become this one. */
  readonly migratedTo: number | undefined;
  constructor(
    kind: FailureKind,
    message: string,
    details: {
      code?: number | string | undefined;
      retryAfterMs?: number | undefined;
      migratedTo?: number | undefined;
    } = {},
  ) {
    super(message);
    this.kind = kind;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
    this.migratedTo = details.migratedTo;
  }
}

type RawCall = (...args: (object | AbortSignal)[]) => Promise<unknown>;

const isCall = (value: unknown): value is RawCall => typeof value === 'function';

const DEFAULT_TIMEOUT_MS = 30_000;
/** These take the signal first. */
const WITHOUT_PARAMS = new Set(['getMe', 'getWebhookInfo']);
const FILE_CODES = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'EIO']);

/** `apiRoot` without a slash at its end. */
export function createApi({ token, apiRoot }: { token: string; apiRoot: string }): TelegramApi {
  const api = new Api(token, { apiRoot, timeoutSeconds: 600, fetch: createFetch(apiRoot) });
  // Parts are checked where they are made, by name of method; and grammY's types ask for the signal of a polyfill.
  const rawCall = (method: string): RawCall => {
    const found: unknown = Reflect.get(api.raw, method);
    if (!isCall(found)) throw new TypeError(`grammY has no method ${method}`);
    return found;
  };

  async function call(method: string, params: object, options: CallOptions = {}): Promise<unknown> {
    const controller = new AbortController();
    const { signal } = options;
    let late = false;
    const abort = () => controller.abort();
    const timer = setTimeout(() => {
      late = true;
      abort();
    }, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    try {
      return await rawCall(method)(...(WITHOUT_PARAMS.has(method) ? [] : [params]), controller.signal);
    } catch (error) {
      if (late) throw new TelegramError('lost', `${method}: no answer in time`, { code: 'ETIMEDOUT' });
      if (signal?.aborted) throw new TelegramError('aborted', `${method}: given up`);
      throw toTelegramError(method, error, token);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  return {
    call,
    fileUrl: (filePath) => `${apiRoot}/file/bot${token}/${filePath.split('/').map(encodeURIComponent).join('/')}`,
  };
}

function toTelegramError(method: string, error: unknown, token: string): TelegramError {
  if (error instanceof GrammyError) {
    const { retry_after: seconds, migrate_to_chat_id: migratedTo } = error.parameters;
    const retryAfterMs = typeof seconds === 'number' ? seconds * 1000 : undefined;
    const message = `${method}: ${error.description} (${error.error_code})`.replaceAll(token, '[token]');
    return new TelegramError('refused', message, { code: error.error_code, retryAfterMs, migratedTo });
  }
  const cause = error instanceof HttpError ? error.error : error;
  if (cause instanceof TransportError) {
    const { code, retryAfterMs } = cause;
    const why = code ?? cause.message;
    // The server in between takes no request of this size, however often it is sent.
    if (code === 'http_413') return new TelegramError('refused', `${method}: too large (413)`, { code: 413 });
    if (code === 'http_429') {
      const details = { code: 429, retryAfterMs: retryAfterMs ?? 1000 };
      return new TelegramError('refused', `${method}: too many requests (429)`, details);
    }
    if (cause.sent) return new TelegramError('lost', `${method}: the answer was lost (${why})`, { code });
    return new TelegramError('unreachable', `${method}: Telegram cannot be reached (${why})`, { code, retryAfterMs });
  }
  const code = errorCode(cause);
  if (FILE_CODES.has(code ?? ''))
    return new TelegramError('unreadable', `${method}: the file cannot be read (${code})`, { code });
  return new TelegramError('lost', `${method}: the answer was lost (${code ?? 'unknown'})`, { code });
}
