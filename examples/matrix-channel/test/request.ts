/** Requests as the homeserver takes them, and its answers about files. */
import type http from 'node:http';
import { isJson, type Json, Refused, SERVER, type Store } from './store.ts';

const MAX_UPLOAD = 5 * 1024 * 1024;
const MAX_BODY = 20 * 1024 * 1024;

export interface Request {
  method: string;
  path: string[];
  query: URLSearchParams;
  body: Buffer;
  headers: http.IncomingHttpHeaders;
  isGone(): boolean;
}

export type Answer = { status?: number; json: Json } | { bytes: Buffer; type: string };

/** @throws Refused for anything but an object */
export function jsonOf({ body }: Request): Json {
  try {
    const json: unknown = JSON.parse(body.toString());
    if (isJson(json)) return json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Refused(400, 'M_NOT_JSON', 'Content not JSON.');
}

export async function readAll(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= MAX_BODY) chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Answers the calls about files: uploads, and downloads with the token. */
export function mediaAnswer(store: Store, { method, path, query, body, headers }: Request): Answer | undefined {
  const joined = path.join('/');
  if (method === 'POST' && joined === '_matrix/media/v3/upload') {
    if (body.length > MAX_UPLOAD) throw new Refused(413, 'M_TOO_LARGE', 'Upload request body is too large');
    const uri = `mxc://${SERVER}/media${store.media.size + 1}`;
    const type = headers['content-type'] ?? 'application/octet-stream';
    store.media.set(uri, { bytes: body, type, name: query.get('filename') ?? undefined });
    return { json: { content_uri: uri } };
  }
  if (method !== 'GET') return undefined;
  if (joined === '_matrix/client/v1/media/config') return { json: { 'm.upload.size': MAX_UPLOAD } };
  const [, server, id] = /^_matrix\/client\/v1\/media\/download\/([^/]+)\/([\w-]+)$/.exec(joined) ?? [];
  const found = store.media.get(`mxc://${server}/${id}`);
  if (id !== undefined && !found) throw new Refused(404, 'M_NOT_FOUND', 'Media not found');
  return found;
}
