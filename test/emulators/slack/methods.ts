/** The table of methods: who may call each, how often, and what it does. */
import type { Args } from './args.ts';
import { ApiError } from './errors.ts';
import { CHAT_METHODS } from './methods-chat.ts';
import { FILE_METHODS } from './methods-files.ts';
import { INFO_METHODS } from './methods-info.ts';
import { STREAM_METHODS } from './methods-stream.ts';
import type { Platform } from './platform.ts';
import type { Json } from './state.ts';

export interface Method {
  /** The scope that the bot token needs; if there are several, one is enough. */
  scope?: string | string[];
  /** The rate limit tier; absent for methods with their own rules. */
  tier?: 1 | 2 | 3 | 4;
  /** The required token; the bot's by default. */
  token?: 'bot' | 'app' | 'none';
  /** Returns the fields of the answer besides `ok`. Throws ApiError. */
  run(platform: Platform, args: Args): Json;
}

export const METHODS: Record<string, Method> = { ...INFO_METHODS, ...CHAT_METHODS, ...STREAM_METHODS, ...FILE_METHODS };

/** Throws ApiError `not_authed`, `invalid_auth`, `not_allowed_token_type` or `missing_scope`. */
export function authorise(platform: Platform, method: Method, token: string | undefined): void {
  const kind = method.token ?? 'bot';
  if (kind === 'none') return;
  if (token === undefined) throw new ApiError('not_authed');
  const { botToken, appToken } = platform;
  if (token !== botToken && token !== appToken) throw new ApiError('invalid_auth');
  if (token !== (kind === 'app' ? appToken : botToken)) throw new ApiError('not_allowed_token_type');
  if (kind === 'app' || method.scope === undefined) return;
  const needed = Array.isArray(method.scope) ? method.scope : [method.scope];
  const provided = platform.scopes();
  if (needed.some((scope) => provided.has(scope))) return;
  throw new ApiError('missing_scope', { needed: needed.join(','), provided: [...provided].join(',') });
}
