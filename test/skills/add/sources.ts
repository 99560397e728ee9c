/** Where skills come from in tests: folders, zips and archives as programs write them, git over HTTP, and a registry of packages. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { putAll, tempFolder } from '../../helpers/temp.ts';

export type Given = Record<string, string | Buffer>;

export const skillText = (name: string, more = '', body = 'Do it well.'): string =>
  `---\nname: ${name}\ndescription: Does ${name} for people.\nlicense: MIT\n${more}---\n# ${name}\n\n${body}\n`;

/** Writes files into a folder, by default a new one. */
export function folderOf(files: Given, folder = tempFolder()): string {
  putAll(folder, files);
  return folder;
}

export interface ZipEntry {
  name: string;
  content?: string | Buffer;
  /** Unix mode with the kind of file in it. */
  mode?: number;
  /** What the directory says instead of the truth. */
  size?: number;
}

/** A zip, byte by byte: also as no program would write it. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const [bodies, heads]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const { name, content = '', mode = 0o100644, size } of entries) {
    const [raw, title] = [Buffer.from(content), Buffer.from(name)];
    const packed = deflateRawSync(raw);
    const common = Buffer.alloc(22);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(raw), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? raw.length, 18);
    const names = Buffer.alloc(4);
    names.writeUInt16LE(title.length, 0);
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.from([20, 0]), common.subarray(2), names]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    heads.push(
      Buffer.concat([
        Buffer.from('504b0102', 'hex'),
        Buffer.from([20, 3, 20, 0]),
        common.subarray(2),
        names,
        rest,
        title,
      ]),
    );
    bodies.push(local, title, packed);
    at += local.length + title.length + packed.length;
  }
  const directory = Buffer.concat(heads);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, directory, end]);
}

export const zipOfFiles = (files: Given): Buffer =>
  zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));

export interface TarEntry {
  name: string;
  content?: string | Buffer;
  /** `0`: a file, `1`: a hard link, `2`: a link, `5`: a folder. */
  type?: string;
  link?: string;
}

/** A compressed tar, block by block. */
export function tgzOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, content = '', type = '0', link = '' }) => {
    const body = Buffer.from(content);
    const head = Buffer.alloc(512);
    head.write(name, 0, 100);
    head.write('0000644\x000000000\x000000000\0', 100);
    head.write(`${body.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124);
    head.write('        ', 148);
    head.write(type, 156);
    head.write(link, 157, 100);
    head.write('ustar\x0000', 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [head, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

export const tgzOfFiles = (files: Given): Buffer =>
  tgzOf(Object.entries(files).map(([name, content]) => ({ name: `package/${name}`, content })));

export interface Served {
  origin: string;
  /** Paths that were asked for. */
  asked: string[];
}

export async function serve(listener: RequestListener, tls?: { key: string; cert: string }): Promise<Served> {
  const asked: string[] = [];
  const heard: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    listener(request, response);
  };
  const server = tls ? createTlsServer(tls, heard) : createServer(heard);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, origin: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export const gitIn = (folder: string, ...args: string[]): string => {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...who, '-c', 'protocol.file.allow=always', ...args], { cwd: folder, env, stdio: 'pipe' })
    .toString()
    .trim();
};

/** A repository with one commit of these files. */
export function repositoryOf(files: Given): string {
  const folder = folderOf(files);
  gitIn(folder, 'init', '-q');
  commit(folder);
  return folder;
}

export function commit(folder: string, files: Given = {}): string {
  folderOf(files, folder);
  gitIn(folder, 'add', '-A');
  gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'it');
  return gitIn(folder, 'rev-parse', 'HEAD');
}

/** Repositories by name, served as a forge serves them: by git's own program for HTTP. */
export function serveGit(
  repositories: Record<string, string>,
  tls?: { key: string; cert: string },
  before: (url: string) => string | undefined = () => undefined,
): Promise<Served> {
  const root = tempFolder();
  for (const [name, folder] of Object.entries(repositories)) fs.symlinkSync(folder, path.join(root, name));
  return serve((request, response) => {
    const elsewhere = before(request.url ?? '');
    if (elsewhere) return void response.writeHead(301, { location: elsewhere }).end();
    const { pathname, search } = new URL(request.url ?? '/', 'http://x');
    // biome-ignore format: a row is a line
    const env = {
      ...{ PATH: process.env.PATH, GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
      ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
      ...{ PATH_INFO: pathname, QUERY_STRING: search.slice(1), REQUEST_METHOD: request.method },
      ...{ CONTENT_TYPE: request.headers['content-type'] ?? '', REMOTE_ADDR: '127.0.0.1' },
      ...{ HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '' },
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    };
    const child = spawn('git', ['http-backend'], { env });
    request.pipe(child.stdin);
    child.stdin.on('error', () => undefined);
    const pieces: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    child.on('close', () => {
      const all = Buffer.concat(pieces);
      const end = all.indexOf('\r\n\r\n');
      const headers = all
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string]);
      const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
      for (const [name, value] of headers) if (name !== 'Status') response.setHeader(name, value);
      response.writeHead(Number(status.slice(0, 3))).end(all.subarray(end + 4));
    });
  }, tls);
}

export interface Published {
  version: string;
  archive: Buffer;
  /** Instead of the right sum. */
  integrity?: string;
}

/** A registry of npm: newest first. */
export function serveRegistry(packages: Record<string, Published[]>): Promise<Served> {
  let origin = '';
  const served = serve((request, response) => {
    const [, name = '', wanted = '', file] = /^\/([^/]+)\/([^/]+)(?:\/(.*))?$/.exec(request.url ?? '') ?? [];
    const versions = packages[decodeURIComponent(name)] ?? [];
    const found = versions.find(({ version }) => wanted === 'latest' || version === (file ?? wanted));
    if (!found) return void response.writeHead(404).end('{}');
    if (wanted === '-') return void response.end(found.archive);
    const sum = `sha512-${createHash('sha512').update(found.archive).digest('base64')}`;
    const dist = { tarball: `${origin}/${name}/-/${found.version}`, integrity: found.integrity ?? sum };
    // As packages are that would run something at their installation.
    const scripts = { install: 'touch /tmp/never', postinstall: 'touch /tmp/never' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: decodeURIComponent(name), version: found.version, scripts, dist }));
  });
  return served.then((each) => {
    origin = each.origin;
    return each;
  });
}
