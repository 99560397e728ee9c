/**
 * Explains why a run failed, in one plain sentence for the person and one line for the log. Invariant: neither contains
 * a prompt, a response body or a key (an excerpt of the provider's words is for `viber trace` only); SDK errors carry
 * whole requests, so they are never passed on as a cause.
 */
import { ConfigError, errorCode } from '../../errors.ts';
import { messagesIn, say, type Wording } from '../../messages/messages.ts';
import { betterAddress, keySetting, knownProvider, splitModelName } from './providers.ts';
import { field, isWord, type Refusal, readRefusal } from './read-refusal.ts';
import { type About, aboutIn, mostFilesIn, mostTokensIn, refusalReason } from './refusals.ts';
import { isWebPage } from './web-page.ts';

export type RunErrorKind =
  | 'provider'
  | 'overloaded'
  | 'timeout'
  | 'unreachable'
  | 'key'
  | 'quota'
  | 'too-long'
  | 'refused'
  | 'cut-off'
  | 'empty'
  | 'stopped'
  /** The model said nothing about it. */
  | 'tool'
  /** Our own cap for the day. */
  | 'cap'
  | 'config'
  /** The request needs a language model, but only the built-in one is available. */
  | 'offline';

export interface FailedTurn {
  words: string;
  hasSteps: boolean;
}

/** `message` is for logs; `userMessage` may be shown in a chat and names what the person can do. */
export class RunError extends Error {
  override name = 'RunError';
  readonly kind: RunErrorKind;
  readonly userMessage: string;
  /** Shown in a chat; undefined if there is nothing to say. */
  readonly said: Wording | undefined;
  /** Lets the person ask for the same again. */
  turn: FailedTurn | undefined;
  readonly #providerSaid: string | undefined;
  constructor(
    kind: RunErrorKind,
    said: Wording | string,
    options: { detail?: string; cause?: unknown; providerSaid?: string | undefined } = {},
  ) {
    const userMessage = typeof said === 'string' ? said : messagesIn('en').said(said);
    super(options.detail ?? userMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.userMessage = userMessage;
    this.#providerSaid = options.providerSaid;
    this.said = typeof said !== 'string' ? said : said === '' ? undefined : say('common.asItIs', { text: said });
  }

  /** What the provider said, if we don't know what it means. Private, so that no log has it. */
  get providerSaid(): string | undefined {
    return this.#providerSaid;
  }
}

export interface ModelFailure {
  error: RunError;
  retry: boolean;
  retryAfterMs?: number;
  /** Another form of the request may work. */
  badRequest?: boolean;
  about?: About | 'unsaid';
  mostTokens?: number;
  mostFiles?: number;
}

/** It took too long, conflicted with another one, or came too early. */
const TRANSIENT = new Set([408, 409, 425]);

/** Only network errors, 429, 5xx and similar, and broken answers may be retried. */
export function describeFailure(error: unknown, model: string): ModelFailure {
  if (error instanceof RunError) return { error, retry: error.kind === 'cut-off' || error.kind === 'empty' };
  if (error instanceof ConfigError) {
    const { provider } = splitModelName(model);
    const isKey = error.problems.some(({ path }) => path === `providers.${provider}.apiKey`);
    const said = isKey
      ? say('failures.noKey', { provider, setting: keySetting(provider) })
      : say('failures.settings', { problem: error.message });
    return { error: new RunError('config', said, { cause: error }), retry: false };
  }
  const refusal = readRefusal(error);
  const { status, code } = refusal;
  if (status !== undefined && status >= 300) return describeStatus(error, refusal, status, model);
  if (isWebPage(error)) return { error: webPage(model), retry: false };
  const system = systemError(error);
  if (system && status === undefined) return { error: unreachable(model, system), retry: true };
  const name = error instanceof Error ? error.name : 'error event';
  if (name === 'AI_UnsupportedFunctionalityError') {
    const text = say('failures.content', { model });
    const refused = new RunError('refused', text, { detail: `${model}: ${name}` });
    return { error: refused, retry: false, badRequest: true, about: 'files' };
  }
  if (name.startsWith('AI_')) return { error: cutOff(model, false, error), retry: true };
  const detail = `${model}: ${name} ${code}`.trim();
  const isEvent = !(error instanceof Error);
  const refused = isEvent ? describeRefusal({ ...refusal, status: undefined }, model, detail) : undefined;
  if (refused) return refused;
  const text = say('failures.model', { model });
  const providerSaid = isEvent ? refusal.excerpt : undefined;
  return { error: new RunError('provider', text, { detail, providerSaid }), retry: true };
}

/** An answer without its finish event is never shown as complete (promise 9). */
export function cutOff(model: string, received: boolean, cause?: unknown): RunError {
  const { provider } = splitModelName(model);
  const text = received
    ? say('failures.brokeOff', { model })
    : say('failures.unreadable', { model, setting: `providers.${provider}.baseURL` });
  return new RunError('cut-off', text, {
    detail: `${model}: the stream ended without a finish event`,
    cause: systemError(cause),
  });
}

/** @param reason the provider's word for it */
export function endedEarly(model: string, reason: string | undefined): RunError {
  const detail = `${model}: the answer was ended as ${isWord(reason) ? reason : 'broken'}`;
  return new RunError('cut-off', say('failures.brokeOff', { model }), { detail });
}

/** Longer than any real answer. Another model may do better; the same one would not. */
export function endless(model: string, detail: string): RunError {
  return new RunError('provider', say('failures.endless', { model }), { detail: `${model}: ${detail}` });
}

export function tooSlow(model: string, what: 'first' | 'idle', ms: number): RunError {
  const given = { model, wait: waitText(Math.round(ms / 100) / 10) };
  const text = what === 'first' ? say('failures.slowStart', given) : say('failures.slow', given);
  return new RunError('timeout', text, { detail: `${model}: ${what} timeout, ${ms} ms` });
}

function unreachable(model: string, cause: Error): RunError {
  const { provider } = splitModelName(model);
  const said = say('failures.unreachable', { provider, setting: `providers.${provider}.baseURL` });
  return new RunError('unreachable', said, { detail: `${model}: ${errorCode(cause) ?? cause.message}`, cause });
}

/** The same address answers the same again, so nothing is retried. */
export function webPage(model: string, detail = `${model}: a web page`): RunError {
  const { provider } = splitModelName(model);
  return new RunError('unreachable', say('failures.webPage', { provider, setting: `providers.${provider}.baseURL` }), {
    detail,
  });
}

/** Returns a function that makes failures with this line for the log. */
const failing =
  (detail: string, providerSaid?: string) =>
  (kind: RunErrorKind, text: Wording, more: Partial<ModelFailure> = {}) => {
    const failure: ModelFailure = { error: new RunError(kind, text, { detail, providerSaid }), retry: false, ...more };
    return failure;
  };

function unknownModel(name: string): Wording {
  const { provider, model } = splitModelName(name);
  return say('failures.unknownModel', { provider, model, setting: `providers.${provider}.baseURL` });
}

/** Returns undefined if the provider's words say no more than its status. */
function describeRefusal(refusal: Refusal, name: string, detail: string): ModelFailure | undefined {
  const { provider, model } = splitModelName(name);
  const told = failing(detail);
  const badRequest = true;
  switch (refusalReason(refusal)) {
    case 'credit':
      return told('quota', noCredit(provider));
    case 'used-up':
      return told('quota', say('failures.usedUp', { provider }));
    case 'busy':
      return told('overloaded', say('failures.overloaded', { provider }), { retry: true, ...waits(refusal) });
    case 'limited':
      return told('provider', limited(provider, refusal.retryAfterMs), { retry: true, ...waits(refusal) });
    case 'call':
      return told('provider', say('failures.model', { model: name }), { retry: true });
    case 'no-tools':
      return told('refused', say('failures.noTools', { model: name }));
    case 'too-long':
      return told('too-long', say('failures.tooLong', { provider, model }), { badRequest });
    case 'place':
      return told('refused', say('failures.place', { provider }));
    case 'flagged':
      return told('refused', say('failures.refused', { provider }), { badRequest });
    case 'no-memory':
      return told('refused', say('failures.noMemory', { model: name }));
    case 'key':
      return told('key', say('failures.key', { provider, setting: keySetting(provider) }));
    case 'not-pulled':
      return told('refused', say('failures.notPulled', { provider, model }));
    case 'unknown-model':
      return told('refused', unknownModel(name), { badRequest });
    case undefined:
      return undefined;
  }
}

function describeStatus(error: unknown, refusal: Refusal, status: number, name: string): ModelFailure {
  const { provider } = splitModelName(name);
  const detail = `${name}: HTTP ${status} ${refusal.code}`.trim();
  const told = failing(detail);
  const quoting = failing(detail, refusal.excerpt);
  const address = `providers.${provider}.baseURL`;
  const badRequest = true;
  const mostTokens = status === 400 || status === 422 ? mostTokensIn(refusal) : undefined;
  const mostFiles = status === 400 || status === 422 ? mostFilesIn(refusal) : undefined;
  const wrong = status === 404 || status === 405 ? wrongAddress(provider, error) : undefined;
  if (!wrong && isWebPage(error)) return { error: webPage(name, `${detail}, a web page`), retry: false };
  const refused = describeRefusal(refusal, name, detail);
  if (refused) return mostTokens === undefined ? refused : { ...refused, mostTokens };
  if (status === 401 || status === 403)
    return told('key', say('failures.key', { provider, setting: keySetting(provider) }));
  if (status === 429)
    return told('provider', limited(provider, refusal.retryAfterMs), { retry: true, ...waits(refusal) });
  if (status === 503 || status === 529)
    return told('overloaded', say('failures.overloaded', { provider }), { retry: true });
  if (status >= 500 || TRANSIENT.has(status)) {
    // llama.cpp reports a chat template that fails as a server error.
    const isOrder = aboutIn(refusal) === 'order';
    const more = isOrder ? { badRequest, about: 'order' as const } : {};
    return quoting('provider', say('failures.inTrouble', { provider }), { retry: true, ...more });
  }
  if (status < 400) return told('refused', say('failures.elsewhere', { provider, setting: address }));
  if (status === 404 || status === 405) {
    const text = wrong ? say('failures.wrongAddress', { provider, ...wrong, setting: address }) : unknownModel(name);
    return told('refused', text, { badRequest });
  }
  return quoting('refused', say('failures.refused', { provider }), {
    badRequest,
    about: aboutIn(refusal) ?? ('unsaid' as const),
    ...(mostTokens !== undefined && { mostTokens }),
    ...(mostFiles !== undefined && { mostFiles }),
  });
}

function noCredit(provider: string): Wording {
  const where = knownProvider(provider)?.billing;
  return where ? say('failures.noCreditAt', { provider, where }) : say('failures.noCredit', { provider });
}

const waits = ({ retryAfterMs }: Refusal) => (retryAfterMs === undefined ? {} : { retryAfterMs });

const limited = (provider: string, ms: number | undefined): Wording =>
  ms === undefined
    ? say('failures.limited', { provider })
    : say('failures.limitedFor', { provider, wait: waitText(Math.ceil(ms / 1000)) });

function waitText(seconds: number): Wording {
  if (seconds < 100) return say('failures.seconds', { n: seconds });
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100
    ? say('failures.minutes', { n: minutes })
    : say('failures.hours', { n: Math.ceil(minutes / 60) });
}

/** The requested address without the path of the request, and the correct one if it can be derived. */
function wrongAddress(provider: string, error: unknown): { address: string; right: string } | undefined {
  const asked = field(error, 'url');
  if (typeof asked !== 'string' || !URL.canParse(asked)) return undefined;
  const { origin, pathname } = new URL(asked);
  const address = `${origin}${pathname.replace(/\/(chat\/completions|responses|messages)$/, '')}`;
  const right = betterAddress(address);
  return right && !knownProvider(provider)?.baseURL?.startsWith(address) ? { address, right } : undefined;
}

/** Returns the innermost error with a system code (`ECONNREFUSED`); its text names at most host and port. */
function systemError(error: unknown): Error | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 6; current = current.cause, depth += 1) {
    if (/^[A-Z][A-Z0-9_]+$/.test(errorCode(current) ?? '')) return current;
  }
  return undefined;
}

/** Wraps an unexpected error. The SDK's own errors may quote a prompt, so only their name is kept. */
export function toRunError(error: unknown): RunError {
  if (error instanceof RunError) return error;
  const name = error instanceof Error ? error.name : typeof error;
  return new RunError('provider', say('failures.noAnswer'), {
    detail: `the run failed: ${name}`,
    ...(!name.startsWith('AI_') && { cause: error }),
  });
}
