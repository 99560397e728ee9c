/**
 * Reads the parameters of a call. A JSON body contains numbers and objects, a form contains strings. The Bot API
 * accepts both, so every value is read by these functions.
 */
import type { Form } from '../base/multipart.ts';
import { badRequest } from './errors.ts';

export type Params = Form;

/** Reads a string, or a number as text. Undefined if absent. */
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

/** Reads a required integer. */
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

/** Reads an object or array, sent as such or as JSON text. Undefined if absent or empty. */
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

/** Reads a list of objects; refuses anything else. */
export function list<T>(params: Params, key: string): T[] | undefined {
  const value = json<T[]>(params, key);
  if (value !== undefined && !Array.isArray(value)) throw badRequest(`expected an Array of ${key}`);
  return value;
}
