/** Bounds how deep a tool and its schema are nested: whatever reads or writes them recurses for each level. */
import { isRecord } from '../../lib/json.ts';

/** A tool with a schema of MAX_DEPTH (in schema.ts), which has two levels for each, is not cut. */
const MAX_LEVELS = 64;

/** Returns a copy in which everything beneath the limit is empty: an empty schema allows anything. */
export function cutNesting(given: Record<string, unknown>, levels = MAX_LEVELS): Record<string, unknown> {
  const entries = levels > 0 ? Object.entries(given).filter(([key]) => key !== '__proto__') : [];
  return Object.fromEntries(entries.map(([key, value]) => [key, cutNestedValue(value, levels - 1)]));
}

function cutNestedValue(value: unknown, levels: number): unknown {
  if (isRecord(value)) return cutNesting(value, levels);
  if (!Array.isArray(value)) return value;
  return levels > 0 ? value.map((each) => cutNestedValue(each, levels - 1)) : [];
}
