/**
 * The parameters of one call. A JSON body brings numbers and objects, a form brings strings: the Bot API takes both, so
 * every value is read through these.
 */
import { badRequest } from './errors.ts';

/** A file sent in a multipart body. Its bytes are kept only when the emulator keeps files. */
export interface Upload {
  name: string;
  mimeType: string;
  size: number;
  sha256: string;
  /** The first bytes, enough to tell what it is. */
  head: Buffer;
  bytes: Buffer | undefined;
}

export interface Params {
  values: Record<string, unknown>;
  files: Map<string, Upload>;
}

/** A string; numbers are written out. Undefined when absent. */
export function text(params: Params, key: string): string | undefined {
  const value = params.values[key];
  if (value === undefined || value === null) return undefined;
  const string = typeof value === 'string' ? value : JSON.stringify(value);
  if (!string.isWellFormed()) throw badRequest('strings must be encoded in UTF-8');
  return string;
}

export function integer(params: Params, key: string): number | undefined {
  const value = params.values[key];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'number' ? value : Number(value);
  if (!Number.isSafeInteger(number)) throw badRequest(`field "${key}" must be a valid Number`);
  return number;
}

/** An integer that must be there. */
export function requiredInteger(params: Params, key: string): number {
  const value = integer(params, key);
  if (value === undefined) throw badRequest(`parameter "${key}" is required`);
  return value;
}

export function flag(params: Params, key: string): boolean {
  const value = params.values[key];
  return (
    value === true || value === 1 || value === '1' || (typeof value === 'string' && value.toLowerCase() === 'true')
  );
}

/** An object or array, sent as such or as JSON text. Undefined when absent or empty. */
export function json<T>(params: Params, key: string): T | undefined {
  const value = params.values[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'object') return value as T;
  try {
    return JSON.parse(String(value)) as T;
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`can't parse ${key} JSON object`);
    throw error;
  }
}

/** A list of objects; anything else is refused. */
export function list<T>(params: Params, key: string): T[] | undefined {
  const value = json<T[]>(params, key);
  if (value !== undefined && !Array.isArray(value)) throw badRequest(`expected an Array of ${key}`);
  return value;
}
