/**
 * Serves the page: files of `dist/board`, for anybody who uses a permitted Host, because nothing in them is private.
 * Serves only regular files below that folder, without following links. Every other path of the Board returns the
 * shell, which does its own routing.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import type http from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { nothingHere, RequestError } from '../../board/respond.ts';
import { errorCode } from '../../errors.ts';
import { programOf } from '../../lib/invocation.ts';
import { say } from '../../messages/messages.ts';
import type { OpenRoute } from '../../runtime/contract/board.ts';
import { PAGE_POLICY } from './page-files.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(self), payment=(), usb=()',
} as const;

const SHELL = 'index.html';
/** `app-3f9a1c2b.js`: the name changes with the content. */
const HASHED = /-[\w-]{8,}\.[a-z0-9]+$/;
const compress = promisify(gzip);

/** Escapes text for an attribute in double quotes. */
const attribute = (text: () => string) => () => text().replaceAll('&', '&amp;').replaceAll('"', '&quot;');

interface Asset {
  stamp: string;
  bytes: Buffer;
  zipped: Buffer | undefined;
  tag: string;
}

export function createPages(find: () => Promise<string | undefined>): OpenRoute[] {
  const kept = new Map<string, Asset>();
  /** The folder of the shell that was requested last. It also contains the files that the shell refers to. */
  let folder: string | undefined;

  /** Returns undefined for a missing file or one behind a link. */
  async function load(name: string): Promise<Asset | undefined> {
    if (name === SHELL || folder === undefined) folder = await find();
    if (folder === undefined) return undefined;
    try {
      const root = await fs.realpath(folder);
      const file = path.join(root, name);
      if (name.split('/').some((part) => part.startsWith('.')) || (await fs.realpath(file)) !== file) return undefined;
      const stat = await fs.stat(file);
      if (!stat.isFile()) return undefined;
      const stamp = `${stat.size} ${stat.mtimeMs}`;
      const known = kept.get(name);
      if (known?.stamp === stamp) return known;
      const read = await fs.readFile(file);
      const bytes = name === SHELL ? Buffer.from(read.toString().replace('%PROGRAM%', attribute(programOf))) : read;
      const packed = bytes.length > 1024 ? await compress(bytes, { level: 9 }) : undefined;
      const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
      const asset = { stamp, bytes, zipped: packed, tag };
      kept.set(name, asset);
      return asset;
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP') return undefined;
      throw error;
    }
  }

  async function serve(request: http.IncomingMessage, response: http.ServerResponse, name: string): Promise<void> {
    const isFile = path.extname(name) !== '' || /(^|\/)\./.test(name);
    const shown = isFile ? name : SHELL;
    const asset = await load(shown);
    if (!asset && isFile) throw nothingHere();
    if (!asset) throw new RequestError(503, 'not_built', say('requests.notBuilt'));
    const headers = {
      ...PAGE_HEADERS,
      'content-type': TYPES[path.extname(shown)] ?? 'application/octet-stream',
      'cache-control': HASHED.test(shown) ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: asset.tag,
      vary: 'accept-encoding',
    };
    if (request.headers['if-none-match'] === asset.tag) {
      response.writeHead(304, headers).end();
      return;
    }
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(request.headers['accept-encoding'] ?? ''));
    const body = takesGzip && asset.zipped ? asset.zipped : asset.bytes;
    const encoding = body === asset.zipped ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(200, { ...headers, ...encoding, 'content-length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  const toBoard: OpenRoute['handle'] = async ({ response }) => {
    response.writeHead(302, { ...PAGE_HEADERS, location: '/board/', 'content-length': 0 }).end();
  };
  return [
    { method: 'GET', path: '/', handle: toBoard },
    { method: 'GET', path: '/board', handle: toBoard },
    { method: 'GET', path: '/board/', handle: ({ request, response }) => serve(request, response, '') },
    {
      method: 'GET',
      path: '/board/*file',
      handle: ({ request, response, params }) => serve(request, response, params.file ?? ''),
    },
  ];
}
