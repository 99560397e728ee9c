/** JSON types and guards. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Returns whether a value is an object with keys: not an array, not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Like `isRecord`, for parsed JSON. */
export function isJsonRecord(value: Json | undefined): value is { [key: string]: Json } {
  return isRecord(value);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
