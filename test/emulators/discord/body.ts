/** Reads a request's body: JSON, or a form with `payload_json` and `files[n]`. */
import type { IncomingMessage } from 'node:http';
import { readText } from '../base/http.ts';
import { FormError, type FormOptions, readForm, type Upload } from '../base/multipart.ts';
import { ApiError, refuse } from './errors.ts';
import { type Fields, isObject } from './fields.ts';

export interface Body {
  /** The JSON, an object or a list. */
  json: unknown;
  /** The same as an object; empty if it isn't one. */
  fields: Fields;
  /** Files by the number in `files[n]`. */
  uploads: Map<string, Upload>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse(50_109);
    throw error;
  }
}

function bodyOf(json: unknown, uploads: Map<string, Upload>): Body {
  return { json, fields: isObject(json) ? json : {}, uploads };
}

const invalidForm = () => new ApiError(400, 50_035, 'Invalid Form Body');

function refuseForm(error: unknown): never {
  if (!(error instanceof FormError)) throw error;
  throw error.isTooLarge ? refuse(40_005) : invalidForm();
}

/** Throws 50109 for invalid JSON, 40005 if a file is too large. */
export async function readRequest(request: IncomingMessage, options: FormOptions): Promise<Body> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) {
    const text = await readText(request);
    if (text === '') return bodyOf(undefined, new Map());
    if (!type.startsWith('application/json')) throw invalidForm();
    return bodyOf(parse(text), new Map());
  }
  const form = await readForm(request, options).catch(refuseForm);
  const uploads = new Map([...form.files].map(([name, file]) => [/^files?\[?(\d*)\]?$/.exec(name)?.[1] ?? name, file]));
  const payload = form.values.payload_json;
  return bodyOf(typeof payload === 'string' ? parse(payload) : form.values, uploads);
}
