/**
 * Calls the Web API: Slack's own client with our connections and errors. Invariant: no error from this file
 * contains a token or a request's contents. https://docs.slack.dev/apis/web-api/
 */
import { LogLevel, WebClient, type WebClientOptions } from '@slack/web-api';
import { errorCode } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { TransportError } from '../../shared/connection.ts';
import { type Fields, fields, integer, isFields, string } from '../../shared/read.ts';
import { createFetch } from './fetch.ts';
import type { Transport } from './transport.ts';

export interface SlackApi {
  /** Calls a Web API method once and returns its answer. Throws SlackError and nothing else. */
  call(method: string, params?: Readonly<Record<string, unknown>>): Promise<Fields>;
}

/**
 * `refused`: Slack rejected the call. `unreachable`: nothing was sent. `lost`: the call may have been executed, but no
 * answer came, or the answer says that something broke midway.
 */
export type FailureKind = 'refused' | 'unreachable' | 'lost';

export class SlackError extends Error {
  override name = 'SlackError';
  readonly kind: FailureKind;
  /** Slack's `error` (`channel_not_found`), `http_503`, or the system's code. */
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  /** The scope that a refused call needs. */
  readonly needed: string | undefined;
  constructor(
    kind: FailureKind,
    message: string,
    details: { code: string; retryAfterMs?: number | undefined; needed?: string | undefined },
  ) {
    super(message);
    this.kind = kind;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
    this.needed = details.needed;
  }
}

/**
 * Refusals after which part of the work may have been done: https://docs.slack.dev/reference/methods/chat.postMessage
 */
const BROKEN = new Set(['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable']);
const LIMITED = new Set(['ratelimited', 'rate_limited']);

interface ClientOptions {
  apiRoot: string;
  transport: Transport;
  log: Logger;
}

/** The library's own retries are off: delivery retries, and only it knows what may be repeated. */
export const clientOptions = ({ apiRoot, transport, log }: ClientOptions): WebClientOptions => ({
  slackApiUrl: apiRoot,
  fetch: createFetch(transport),
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  logger: createLibraryLog(log),
});

/** Returns a logger for Slack's libraries; what matters in its lines is logged where it is handled. */
export function createLibraryLog(log: Logger) {
  const write = (...words: unknown[]) => log.debug({ library: 'slack' }, words.map(String).join(' ').slice(0, 500));
  const ignore = () => undefined;
  return {
    // These lines contain whole requests and answers.
    debug: ignore,
    info: ignore,
    warn: write,
    error: write,
    setLevel: ignore,
    setName: ignore,
    getLevel: () => LogLevel.INFO,
  };
}

export function createApi(token: string, options: ClientOptions): SlackApi {
  const client = new WebClient(token, clientOptions(options));
  return {
    async call(method, params = {}) {
      try {
        const answer: unknown = await client.apiCall(method, { ...params });
        return isFields(answer) ? answer : {};
      } catch (error) {
        throw toSlackError(method, error);
      }
    },
  };
}

function toSlackError(method: string, error: unknown): SlackError {
  const body = isFields(error) ? error : {};
  switch (errorCode(error)) {
    case 'slack_webapi_rate_limited_error':
      return limited(method, integer(body, 'retryAfter'));
    case 'slack_webapi_platform_error':
      return slackError(method, fields(body, 'data') ?? {});
    case 'slack_webapi_http_error': {
      const status = integer(body, 'statusCode') ?? 0;
      // Slack itself refuses with 200, so this is a server in between, which didn't pass the call on.
      const kind = status >= 500 ? 'lost' : status === 413 ? 'refused' : 'unreachable';
      return new SlackError(kind, `${method}: Slack answered ${status}`, { code: `http_${status}` });
    }
    default:
      return broken(method, body.original ?? error);
  }
}

function slackError(method: string, data: Fields): SlackError {
  const code = string(data, 'error') ?? 'unknown_error';
  const details = fields(data, 'response_metadata') ?? {};
  if (LIMITED.has(code)) return limited(method, integer(details, 'retryAfter'));
  const needed = string(data, 'needed');
  const why = Array.isArray(details.messages) ? details.messages.filter((line) => typeof line === 'string') : [];
  const scope = code === 'missing_scope' && needed !== undefined ? ` (the app needs the scope ${needed})` : '';
  const text = `${method}: ${[code + scope, ...why.slice(0, 2)].join('; ')}`;
  return new SlackError(BROKEN.has(code) ? 'lost' : 'refused', text.slice(0, 500), { code, needed });
}

function limited(method: string, seconds = 1): SlackError {
  return new SlackError('refused', `${method}: too many requests`, {
    code: 'ratelimited',
    retryAfterMs: seconds * 1000,
  });
}

function broken(method: string, cause: unknown): SlackError {
  if (!(cause instanceof TransportError))
    return new SlackError('lost', `${method}: the answer was lost (${errorCode(cause) ?? 'unknown'})`, {
      code: 'lost',
    });
  const code = cause.code ?? 'lost';
  if (cause.sent) return new SlackError('lost', `${method}: the answer was lost (${cause.message})`, { code });
  return new SlackError('unreachable', `${method}: Slack cannot be reached (${cause.message})`, { code });
}
