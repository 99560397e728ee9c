/**
 * Reads the files of an npm package: the registry's archive, whose checksum is verified. npm itself isn't started, so
 * no installation script of a package runs, and no dependency is fetched.
 * https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { z } from 'zod';
import { errorCode, UserError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';
import { download, type Network } from './download.ts';
import type { Source } from './source.ts';
import { LIMITS, type Tree, type TreeEntry, tooLarge } from './tree.ts';

const METADATA_BYTES = 2_000_000;
const unzip = promisify(gunzip);

const manifest = z.object({
  version: z.string().max(256),
  dist: z.object({ tarball: z.string(), integrity: z.string().exactOptional() }),
});

/** @throws UserError when there is no such package or version, or when its archive isn't the one that was published */
export async function openPackage(source: Extract<Source, { kind: 'npm' }>, network: Network): Promise<Tree> {
  const base = network.registry.replace(/\/?$/, '/');
  const name = source.name.replace('/', '%2f');
  const url = `${base}${name}/${encodeURIComponent(source.version ?? 'latest')}`;
  const { version, dist } = readManifest(await download(url, network, METADATA_BYTES));
  const archive = await download(dist.tarball, network, LIMITS.packed);
  if (!isWhole(archive, dist.integrity)) throw new UserError(say('adding.notWhole', { name: source.name }));
  const files = await readTarball(archive);
  const entries = [...files.values()].map(({ entry }) => entry);
  return {
    entries,
    version,
    title: source.name.replace(/^@[^/]+\//, ''),
    read: async (names) => new Map(names.map((each) => [each, Buffer.concat(files.get(each)?.pieces ?? [])])),
    close: async () => undefined,
  };
}

function readManifest(body: Buffer): z.infer<typeof manifest> {
  try {
    return manifest.parse(JSON.parse(body.toString()));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw new UserError(say('adding.noRegistry'), { cause: error });
    throw error;
  }
}

/** Returns false for a package without a strong checksum too, since it can't be pinned. */
function isWhole(archive: Buffer, integrity = ''): boolean {
  const sums = integrity.split(/\s+/).filter((each) => each.startsWith('sha512-'));
  const sum = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  return sums.some((each) => each.split('?', 1)[0] === sum);
}

type Files = Map<string, { entry: TreeEntry; pieces: Buffer[] }>;

/** Returns all files of an archive by name, without its top folder. */
export async function readTarball(archive: Buffer): Promise<Files> {
  const { Parser } = await import('tar');
  const room = Math.min(LIMITS.unpacked, Math.max(1_000_000, archive.length * LIMITS.ratio));
  const bytes = await unzip(archive, { maxOutputLength: room }).catch((error: unknown) => {
    throw errorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : damaged(error);
  });
  const files: Files = new Map();
  let failure: unknown;
  const parser = new Parser({
    strict: true,
    onReadEntry(read: ReadEntry) {
      const [name, kind] = [nameIn(read.path), entryKind(read.type)];
      if (read.type === 'Directory') return read.resume();
      if (files.size >= LIMITS.entries) failure ??= tooLarge();
      // The file shown could differ from the one kept if names repeat.
      if (files.has(name)) failure ??= damaged();
      const entry = {
        name,
        kind,
        size: kind === 'file' ? read.size : 0,
        isExecutable: ((read.mode ?? 0) & 0o100) !== 0,
      };
      const pieces: Buffer[] = [];
      files.set(name, { entry, pieces });
      read.on('data', (piece: Buffer) => pieces.push(piece));
    },
  });
  parser.on('error', (error: unknown) => {
    failure ??= damaged(error);
  });
  const ended = new Promise<void>((resolve) => parser.on('end', resolve).on('error', () => resolve()));
  parser.end(bytes);
  await ended;
  if (failure !== undefined) throw failure;
  return files;
}

/** Strips the top folder. An unsafe path is returned unchanged, to be refused where all are checked. */
const nameIn = (path: string): string =>
  /(^|\/)\.\.(\/|$)|^\//.test(path) ? path : path.replace(/^(\.\/)?[^/]*\//, '');

function entryKind(type: string): TreeEntry['kind'] {
  if (type === 'File' || type === 'OldFile' || type === 'ContiguousFile') return 'file';
  return type === 'Link' || type === 'SymbolicLink' ? 'link' : 'other';
}

const damaged = (cause?: unknown): UserError => new UserError(say('adding.notPackage'), { cause });
