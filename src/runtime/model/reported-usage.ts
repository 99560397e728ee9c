/**
 * What a provider says a call has used, in the one form that is read: numbers that can be, and nothing else. A count that nobody can
 * read must not cost the answer it stands beside. Pure.
 */
import { isRecord } from '../../lib/json.ts';
import { parseJson } from '../../lib/read-json.ts';

/** An event that reports something; most say `"usage":null`, or do not speak of it. */
const REPORTS = /"usage"\s*:\s*[^n\s]/;
/** No call uses as many. */
const MAX_COUNT = 100_000_000;

/** An event's data, with its usage as it can be read. */
export function withReadableUsage(data: string): string {
  if (!REPORTS.test(data)) return data;
  const chunk = parseJson(data);
  if (!isRecord(chunk) || !('usage' in chunk)) return data;
  return JSON.stringify({ ...chunk, usage: readableUsage(chunk.usage) });
}

/** Null for what says nothing. */
export function readableUsage(given: unknown): Record<string, unknown> | null {
  if (!isRecord(given) || Array.isArray(given)) return null;
  const numbers = (of: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(of).flatMap(([key, value]) => (countOf(value) === undefined ? [] : [[key, countOf(value)]])),
    );
  const flat = numbers(given);
  const details = Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) =>
      isRecord(value) && !Array.isArray(value) ? [[key, numbers(value)]] : [],
    ),
  );
  const cached = flat.prompt_cache_hit_tokens ?? flat.cached_tokens;
  const ofPrompt = details.prompt_tokens_details ?? {};
  return {
    ...flat,
    ...details,
    prompt_tokens: flat.prompt_tokens ?? flat.input_tokens ?? null,
    completion_tokens: flat.completion_tokens ?? flat.output_tokens ?? null,
    ...(cached !== undefined && ofPrompt.cached_tokens === undefined
      ? { prompt_tokens_details: { ...ofPrompt, cached_tokens: cached } }
      : {}),
  };
}

/** Some write their numbers as text; none uses less than nothing. */
function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && count >= 0 && count <= MAX_COUNT ? Math.ceil(count) : undefined;
}
