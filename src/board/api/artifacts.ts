/**
 * `GET /api/artifacts/{taskId}/{file}`: serves a task's file from disk, in whole or in part (RFC 9110, sections 13 and
 * 14). Invariant: no file is ever rendered as a page of this origin; only raster images are shown inline, everything
 * else is downloaded.
 */
import type fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type http from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Principal } from '../../access/principal.ts';
import { errorCode, UserError } from '../../errors.ts';
import { openKept } from '../../lib/files/below.ts';
import { say } from '../../messages/messages.ts';
import type { BoardRoute, Caller } from '../../runtime/contract/board.ts';
import { type Home, isId } from '../../workspace/home.ts';
import { type ArtifactMeta, cleanType, openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { RequestError } from '../respond.ts';

export interface ArtifactParts {
  home: Home;
  /** Returns whether the principal may see the task in direct messages, whichever viber works on it. */
  maySee(principal: Principal, task: TaskRecord): boolean;
}

export interface OpenArtifact {
  meta: ArtifactMeta;
  file: FileHandle;
  /** Bytes on disk, whatever the index says. */
  size: number;
  etag: string;
}

/** Formats that contain pixels only; an SVG may also contain scripts. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const REF = /^artifacts\/([^/]+)\/([^/]+)$/;

/**
 * Opens the artifact `ref` if the caller may see it. Returns undefined for a file that is gone or was never an
 * artifact.
 */
export async function openArtifact(
  { home, maySee }: ArtifactParts,
  { principal }: Caller,
  ref: string,
): Promise<OpenArtifact | undefined> {
  const [, taskId = ''] = REF.exec(ref) ?? [];
  const task = isId(taskId) ? openTask(home, taskId).record() : undefined;
  if (!task || !maySee(principal, task)) return undefined;
  const meta = openTask(home, taskId)
    .artifacts.list()
    .findLast((one) => one.ref === ref);
  if (!meta) return undefined;
  let file: FileHandle;
  try {
    // Doesn't follow a link that replaced the file or its folder after the check.
    file = await openKept(openTask(home, taskId).artifacts.pathOf(meta));
  } catch (error) {
    if (error instanceof UserError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const { size, mtimeMs, ino } = await file.stat();
  return { meta, file, size, etag: `"${[size, mtimeMs, ino].map((one) => Math.trunc(one).toString(36)).join('-')}"` };
}

export const artifactRoute = (parts: ArtifactParts): BoardRoute => ({
  method: 'GET',
  path: '/api/artifacts/:task/:file',
  asks: 'caller',
  async handle({ request, response, caller, params }) {
    const found = await openArtifact(parts, caller, `artifacts/${params.task}/${params.file}`);
    if (!found) throw new RequestError(404, 'not_found', say('requests.noFile'));
    try {
      await sendArtifact(request, response, found);
    } finally {
      await found.file.close();
    }
  },
});

async function sendArtifact(
  { method, headers }: http.IncomingMessage,
  response: http.ServerResponse,
  { meta, file, size, etag }: OpenArtifact,
): Promise<void> {
  const always = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    vary: 'cookie, authorization',
    'content-disposition': disposition(meta),
    'content-type': cleanType(meta.type),
  };
  if (matchesEtag(headers['if-none-match'], etag)) {
    response.writeHead(304, always).end();
    return;
  }
  const wanted = headers['if-range'] === undefined || headers['if-range'] === etag ? headers.range : undefined;
  const part = rangeOf(wanted, size);
  if (part === 'none') {
    response.writeHead(416, { ...always, 'content-range': `bytes */${size}`, 'content-length': 0 }).end();
    return;
  }
  const { start, end } = part ?? { start: 0, end: size - 1 };
  response.writeHead(part ? 206 : 200, {
    ...always,
    'content-length': end - start + 1,
    ...(part && { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (method === 'HEAD' || size === 0) response.end();
  else await pour(file.createReadStream({ start, end, autoClose: false }), response, end - start + 1);
}

/** Destroys the connection if the file shrank in between, so that a partial file never looks complete. */
async function pour(bytes: fs.ReadStream, response: http.ServerResponse, size: number): Promise<void> {
  try {
    await pipeline(bytes, response, { end: false });
  } catch (error) {
    // The client has disconnected.
    if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
  if (bytes.bytesRead === size) response.end();
  else response.destroy();
}

const matchesEtag = (given: string | undefined, etag: string): boolean =>
  (given ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === '*' || one === etag);

/**
 * Returns one byte range, undefined for the whole file (no range, several ranges or an unknown unit), or `none` if the
 * range can't be satisfied.
 */
export function rangeOf(header: string | undefined, size: number): { start: number; end: number } | 'none' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to));
  if (from !== '' && to !== '' && Number(to) < start) return undefined;
  return start > end ? 'none' : { start, end };
}

/** RFC 6266: an ASCII name for old clients, and the real one. */
function disposition({ name, type }: ArtifactMeta): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const coded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${SHOWN.has(type) ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${coded}`;
}
