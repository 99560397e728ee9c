/**
 * Locates the page's files: in dist/board beside the program or, in a checkout that is newer than its build, built at
 * the first request. A separate process builds them; the program contains none of the build tools.
 */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../errors.ts';

/**
 * The content security policy: scripts and styles from our own files, images and frames also from fetched bytes,
 * requests to this origin, and nothing else.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  // For a PDF in the browser's own viewer, from fetched bytes.
  'frame-src blob:',
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The only name that a service worker may have, `net/shell.ts`.
  'trusted-types viber-worker',
].join('; ');

/** The page's sources in a checkout. */
const SOURCES = [
  'src/board/ui',
  'src/client',
  'src/channels/markdown',
  'rolldown.board.config.ts',
  'rolldown.shell.ts',
  'package-lock.json',
];

const madeAt = (folder: string): number =>
  statSync(path.join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;

function newestTime(file: string): number {
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(...readdirSync(file).map((name) => newestTime(path.join(file, name))));
}

let building: Promise<string | undefined> | undefined;

/** Returns undefined if there is no build and no build tool. */
export function pageFolder(): Promise<string | undefined> {
  const beside = path.join(import.meta.dirname, 'board');
  if (existsSync(path.join(beside, 'index.html'))) return Promise.resolve(beside);
  const root = path.join(import.meta.dirname, '..', '..', '..');
  building ??= inCheckout(root).finally(() => {
    building = undefined;
  });
  return building;
}

async function inCheckout(root: string): Promise<string | undefined> {
  const built = path.join(root, 'dist', 'board');
  const program = path.join(root, 'node_modules', 'rolldown', 'bin', 'cli.mjs');
  const changed = Math.max(...SOURCES.map((name) => newestTime(path.join(root, name))));
  if (madeAt(built) > changed) return built;
  const cache = path.join(root, 'node_modules', '.cache');
  // Each state of the sources has its own folder, so that two processes never write to the same one.
  const folder = path.join(cache, `board-${Math.round(changed)}`);
  if (madeAt(folder) > 0) return folder;
  if (!existsSync(program)) return madeAt(built) > 0 ? built : undefined;
  // The build also writes beside its folder, so even that is this process's own.
  const making = path.join(cache, `board-making-${randomBytes(8).toString('hex')}`);
  const page = path.join(making, 'board');
  try {
    await promisify(execFile)(process.execPath, [program, '-c', 'rolldown.board.config.ts', '-d', page], { cwd: root });
    for (const name of readdirSync(cache))
      if (/^board-\d+$/.test(name) && path.join(cache, name) !== folder)
        rmSync(path.join(cache, name), { recursive: true, force: true });
    renameSync(page, folder);
  } catch (error) {
    // Another process has built the same state.
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}
