/** Reads the parameters of a call from its query and body, whichever of the four ways the client chose. */
import type { IncomingMessage } from 'node:http';
import { eachChunk, readBody } from '../remote.ts';
import { badRequest, entityTooLarge } from './errors.ts';
import { createMultipartReader } from './multipart.ts';
import type { Params } from './params.ts';

export interface BodyOptions {
  keepFiles: boolean;
  /** Bytes of one uploaded file. */
  maxFileBytes: number;
}

// Room for the other fields of an upload.
const FORM_OVERHEAD = 1024 * 1024;

function fromQuery(query: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(query);
}

function fromJson(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badRequest("can't parse JSON object");
}

async function fromMultipart(request: IncomingMessage, type: string, options: BodyOptions): Promise<Params> {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  if (!boundary) throw badRequest('boundary not found');
  const reader = createMultipartReader(boundary[1] ?? boundary[2] ?? '', options.keepFiles, options.maxFileBytes);
  let size = 0;
  // A body that is too large is read to its end all the same: a client that is still writing would miss the answer.
  await eachChunk(request, (chunk) => {
    size += chunk.length;
    if (size <= options.maxFileBytes + FORM_OVERHEAD) reader.push(chunk);
  });
  if (size > options.maxFileBytes + FORM_OVERHEAD || reader.largest() > options.maxFileBytes) throw entityTooLarge();
  return reader.end();
}

/** Throws ApiError 400 for a body that cannot be read, 413 for one that is too large. */
export async function readParams(request: IncomingMessage, query: URLSearchParams | undefined, options: BodyOptions) {
  const files = new Map();
  const values = query ? fromQuery(query) : {};
  if (request.method === 'GET') return { values, files };
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) {
    const form = await fromMultipart(request, type, options);
    return { values: { ...values, ...form.values }, files: form.files };
  }
  const body = (await readBody(request)).toString();
  if (body === '') return { values, files };
  if (type.startsWith('application/json')) return { values: { ...values, ...fromJson(body) }, files };
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return { values: { ...values, ...fromQuery(new URLSearchParams(body)) }, files };
  }
  return { values, files };
}
