/**
 * Reads a provider's refusal, whatever its shape. Invariant: its sentence, which may quote a prompt or a key, is only
 * interpreted (`refusals.ts`); of it, only an excerpt (`excerpt.ts`) is kept, for the trace.
 */
import { excerptOf } from './excerpt.ts';

export interface Refusal {
  status: number | undefined;
  /** `context_length_exceeded`; empty unless it has the form of a code. */
  code: string;
  retryAfterMs: number | undefined;
  words: readonly string[];
  sentence: string;
  /** What the provider says, for owners; undefined if it says nothing. */
  excerpt: string | undefined;
}

/** The number of characters read; the beginning holds what matters. */
const READ = 2_000;

/** A month. Whoever names a longer wait means something else. */
const LONGEST_WAIT_MS = 31 * 86_400_000;

export function readRefusal(error: unknown): Refusal {
  // The SDK's own `data` lacks every field that its schema doesn't name.
  const body = parseErrorBody(field(error, 'responseBody')) ?? field(error, 'data') ?? error;
  // Google's OpenAI interface writes its error as a list.
  const data: unknown = Array.isArray(body) ? body[0] : body;
  // OpenAI's Responses API reports errors as a `response` in the stream.
  const inner = field(data, 'error') ?? field(field(data, 'response'), 'error') ?? data;
  const details = field(inner, 'details');
  const raw = field(field(inner, 'metadata'), 'raw');
  const words = [...namesIn(inner), field(data, 'code'), ...reasonsIn(details), ...namesOfRaw(raw)].filter(isWord);
  const sentences = [inner, field(inner, 'message'), field(data, 'detail'), raw, field(error, 'message')];
  const sentence = sentences.map((said) => textIn(said).slice(0, READ)).join('\n');
  const wait = retryAfter(error, details) ?? waitIn(sentence);
  const retryAfterMs = wait !== undefined && wait <= LONGEST_WAIT_MS ? wait : undefined;
  const excerpt = [messageOfRaw(raw), inner, field(inner, 'message'), field(data, 'detail')]
    .filter((said) => typeof said === 'string')
    .map(excerptOf)
    .find((said) => said !== '');
  return { status: statusOf(error, inner), code: words[0] ?? '', retryAfterMs, words, sentence, excerpt };
}

const namesIn = (said: unknown): unknown[] => ['code', 'type', 'status'].map((name) => field(said, name));

/** OpenRouter passes on what the provider behind it answered, as a text. */
function namesOfRaw(raw: unknown): unknown[] {
  const answer = parseErrorBody(raw);
  return namesIn(field(answer, 'error') ?? answer);
}

function messageOfRaw(raw: unknown): unknown {
  const answer = parseErrorBody(raw);
  return field(field(answer, 'error') ?? answer, 'message');
}

/** Google names reasons, and the quotas that are used up. */
function reasonsIn(details: unknown): unknown[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((detail: unknown) => {
    const violations = field(detail, 'violations');
    const quotas = Array.isArray(violations) ? violations.map((one: unknown) => field(one, 'quotaId')) : [];
    return [field(detail, 'reason'), ...quotas];
  });
}

/** Mistral, and others that use its library, return a list of faults: `[{"loc":["body","messages",1],"msg":"…"}]`. */
function textIn(said: unknown): string {
  if (typeof said === 'string') return said;
  const faults = Array.isArray(said) ? said : field(said, 'detail');
  return Array.isArray(faults) ? JSON.stringify(faults.slice(0, 10)) : '';
}

export const isWord = (word: unknown): word is string => typeof word === 'string' && /^[\w.:-]{1,64}$/.test(word);

function parseErrorBody(body: unknown): unknown {
  if (typeof body !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function statusOf(error: unknown, inner: unknown): number | undefined {
  const named = [field(error, 'statusCode'), field(error, 'code'), field(inner, 'status_code')];
  return named.find((status): status is number => typeof status === 'number' && status >= 100 && status < 600);
}

/** Reads `retry-after-ms`, `retry-after` (seconds or a date, RFC 9110) or Google's `retryDelay` ("34s"). */
function retryAfter(error: unknown, details: unknown): number | undefined {
  const headers = field(error, 'responseHeaders');
  const ms = Number.parseFloat(String(field(headers, 'retry-after-ms') ?? ''));
  if (ms >= 0 && Number.isFinite(ms)) return ms;
  const delays: unknown[] = Array.isArray(details) ? details.map((detail: unknown) => field(detail, 'retryDelay')) : [];
  const value = String(field(headers, 'retry-after') ?? delays.find((delay) => delay !== undefined) ?? '');
  const seconds = Number(value.replace(/s$/, ''));
  const wait = value !== '' && Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return wait >= 0 ? wait : undefined;
}

const UNITS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Reads "Please try again in 11.054s", "in 900ms" or "in 7m12s": an error in a stream has no headers. */
function waitIn(sentence: string): number | undefined {
  const [, wait] = /(?:try again|retry) in ((?:\d{1,9}(?:\.\d{1,9})?(?:ms|[smh]))+)(?![a-z])/i.exec(sentence) ?? [];
  const parts = [...(wait ?? '').toLowerCase().matchAll(/([\d.]+)(ms|[smh])/g)];
  if (parts.length === 0) return undefined;
  return Math.ceil(parts.reduce((ms, [, n, unit]) => ms + Number(n) * (UNITS.get(unit ?? '') ?? 0), 0));
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
