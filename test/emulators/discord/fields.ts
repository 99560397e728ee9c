/** Reads fields of a request's body and refuses wrong types as Discord does. Lengths are in code points. */
import { badLength, invalid, required, tooLong } from './errors.ts';

export type Fields = Record<string, unknown>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function lengthOf(text: string): number {
  // Counting is only needed where surrogates can change the answer.
  return /[\uD800-\uDFFF]/.test(text) ? [...text].length : text.length;
}

/** Returns a string of at most `max` code points; null if it is absent or null. */
export function text(fields: Fields, key: string, max: number, path = key): string | null {
  const value = fields[key];
  if (value === undefined || value === null) return null;
  const kind = typeof value;
  if (kind !== 'string' && kind !== 'number') {
    throw invalid(path, 'STRING_TYPE_CONVERT', 'Could not interpret this value as string.');
  }
  if (lengthOf(String(value)) > max) throw tooLong(path, max);
  return String(value);
}

/** Returns a required string, between `min` and `max` long. */
export function textBetween(fields: Fields, key: string, min: number, max: number, path = key): string {
  const value = fields[key];
  if (value === undefined || value === null) throw required(path);
  if (typeof value !== 'string') {
    throw invalid(path, 'STRING_TYPE_CONVERT', 'Could not interpret this value as string.');
  }
  const length = lengthOf(value);
  if (length < min || length > max) throw badLength(path, min, max);
  return value;
}

export function integer(fields: Fields, key: string, path = key): number | null {
  const value = fields[key];
  if (value === undefined || value === null) return null;
  if (!Number.isInteger(Number(value)) || typeof value === 'object') {
    throw invalid(path, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`);
  }
  return Number(value);
}

/** Returns a list of at most `max`; empty if it is absent. */
export function list(fields: Fields, key: string, max: number, path = key): Fields[] {
  const value = fields[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    throw invalid(path, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
  }
  if (value.length > max) throw tooLong(path, max);
  return value.map((each, index) => {
    if (!isObject(each)) throw invalid(`${path}.${index}`, 'MODEL_TYPE_CONVERT', 'Only dictionaries may be used here.');
    return each;
  });
}

export function flag(fields: Fields, key: string): boolean | null {
  const value = fields[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'boolean') throw invalid(key, 'BOOLEAN_TYPE_CONVERT', 'Must be either true or false.');
  return value;
}
