/** Reads a request's body: JSON, or a form with `payload_json` and `files[n]`. */
import type { IncomingMessage } from 'node:http';
import { eachChunk, readBody } from '../remote.ts';
import { ApiError as FormError } from '../telegram/errors.ts';
import { createMultipartReader } from '../telegram/multipart.ts';
import type { Upload } from '../telegram/params.ts';
import { ApiError, refuse } from './errors.ts';
import { type Fields, isObject } from './fields.ts';

export interface Body {
  /** The JSON, an object or a list. */
  json: unknown;
  /** The same as an object, empty when it is none. */
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

/** Throws 50109 for JSON that is none, 40005 when a file has more than `maxBytes`. */
export async function readRequest(request: IncomingMessage, keepFiles: boolean, maxBytes: number): Promise<Body> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) {
    const text = (await readBody(request)).toString();
    if (text === '') return bodyOf(undefined, new Map());
    if (!type.startsWith('application/json')) throw new ApiError(400, 50_035, 'Invalid Form Body');
    return bodyOf(parse(text), new Map());
  }
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  const reader = createMultipartReader(boundary?.[1] ?? boundary?.[2] ?? '', keepFiles, maxBytes);
  // Read to the end even when it is too large: a client that is still writing would miss the answer.
  const form = await eachChunk(request, (chunk) => reader.push(chunk))
    .then(() => {
      if (reader.largest() > maxBytes) throw refuse(40_005);
      return reader.end();
    })
    .catch((error: unknown) => {
      if (error instanceof FormError) throw new ApiError(400, 50_035, 'Invalid Form Body');
      throw error;
    });
  const uploads = new Map([...form.files].map(([name, file]) => [/^files?\[?(\d*)\]?$/.exec(name)?.[1] ?? name, file]));
  const payload = form.values.payload_json;
  return bodyOf(typeof payload === 'string' ? parse(payload) : form.values, uploads);
}
