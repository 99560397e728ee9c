/** Reads the arguments of a call: from a form (every value is text), JSON, or the query. */
import { ApiError, explained } from './errors.ts';
import { isRecord, type Json } from './state.ts';

export type Args = Json;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Throws ApiError `invalid_json`, `json_not_object` or `invalid_post_type`. */
export function readArgs(contentType: string, body: string, query: URLSearchParams): Args {
  const [type = ''] = contentType.split(';', 1);
  const fromQuery = Object.fromEntries(query);
  if (body === '') return fromQuery;
  if (type === 'application/json') {
    const value = parse(body);
    if (value === undefined) throw new ApiError('invalid_json');
    if (!isRecord(value)) throw new ApiError('json_not_object');
    return { ...fromQuery, ...value };
  }
  if (type !== 'application/x-www-form-urlencoded') throw new ApiError('invalid_post_type');
  return { ...fromQuery, ...Object.fromEntries(new URLSearchParams(body)) };
}

/** Returns the text of an argument; undefined if it is missing or empty. */
export function text(args: Args, name: string): string | undefined {
  const value = args[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Throws ApiError `invalid_arguments` if it is missing. */
export function required(args: Args, name: string): string {
  const value = text(args, name);
  if (value === undefined) throw explained('invalid_arguments', `missing required field: ${name}`);
  return value;
}

/** Returns undefined if it is missing. */
export function flag(args: Args, name: string): boolean | undefined {
  const value = text(args, name);
  return value === undefined ? undefined : value === 'true' || value === '1';
}

/** Throws ApiError `invalid_arguments` if it isn't a whole number. */
export function integer(args: Args, name: string): number | undefined {
  const value = text(args, name);
  if (value === undefined) return undefined;
  if (!/^-?\d+$/.test(value)) throw explained('invalid_arguments', `must be a valid integer: ${name}`);
  return Number(value);
}

/** Reads a structure, sent as such or as JSON text. Throws ApiError `error` if it is neither. */
export function structure(args: Args, name: string, error = 'invalid_arguments'): unknown {
  const value = args[name];
  if (typeof value !== 'string') return value ?? undefined;
  if (value === '') return undefined;
  const parsed = parse(value);
  if (parsed === undefined) throw explained(error, `not valid JSON: ${name}`);
  return parsed;
}
