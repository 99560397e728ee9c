/** JSON as a type, and what a value that was read is. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Whether a value is an object with keys: no list, not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same for what was read from JSON, whose values are JSON too. */
export function isJsonRecord(value: Json | undefined): value is { [key: string]: Json } {
  return isRecord(value);
}

/** Whether a text is JSON, whatever it holds. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
