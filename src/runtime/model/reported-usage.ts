/** Converts the usage that servers report to the names and types that the libraries read. */
import { isRecord, parseJson } from '../../lib/json.ts';

/** An event that reports usage; most say `"usage":null` or don't mention it. */
const REPORTS = /"usage"\s*:\s*[^n\s]/;
/** The largest plausible count of a call. */
const MAX_COUNT = 100_000_000;

export function withReadableUsage(data: string): string {
  if (!REPORTS.test(data)) return data;
  const chunk = parseJson(data);
  if (!isRecord(chunk) || !('usage' in chunk)) return data;
  return JSON.stringify({ ...chunk, usage: readableUsage(chunk.usage) });
}

/** Returns null for a value without information. */
function readableUsage(given: unknown): Record<string, unknown> | null {
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

/** Some providers write numbers as text; negative counts are ignored. */
function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && count >= 0 && count <= MAX_COUNT ? Math.ceil(count) : undefined;
}
