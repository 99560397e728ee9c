/** Reads the parameters of a call from its query and body, in any of the four ways that a client can choose. */
import type { IncomingMessage } from 'node:http';
import { readText } from '../base/http.ts';
import { type Form, FormError, type FormOptions, readForm } from '../base/multipart.ts';
import { badRequest, entityTooLarge } from './errors.ts';

// Room for an upload's other fields.
const FORM_OVERHEAD = 1024 * 1024;

function fromJson(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badRequest("can't parse JSON object");
}

function refuse(error: unknown): never {
  if (!(error instanceof FormError)) throw error;
  throw error.isTooLarge ? entityTooLarge() : badRequest(error.message);
}

/** Throws ApiError 400 for a body that can't be read, 413 for one that is too large. */
export async function readParams(
  request: IncomingMessage,
  query: URLSearchParams | undefined,
  options: FormOptions,
): Promise<Form> {
  const files = new Map();
  const values = query ? Object.fromEntries(query) : {};
  if (request.method === 'GET') return { values, files };
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) {
    const maxBytes = options.maxFileBytes + FORM_OVERHEAD;
    const form = await readForm(request, { ...options, maxBytes }).catch(refuse);
    return { values: { ...values, ...form.values }, files: form.files };
  }
  const body = await readText(request);
  if (body === '') return { values, files };
  if (type.startsWith('application/json')) return { values: { ...values, ...fromJson(body) }, files };
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return { values: { ...values, ...Object.fromEntries(new URLSearchParams(body)) }, files };
  }
  return { values, files };
}
