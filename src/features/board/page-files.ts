/**
 * Locates the page's files: in dist/board beside the program or, in a checkout that is newer than its build, built at
 * the first request. A separate process builds them; the program contains none of the build tools.
 */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
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

/** Returns when a file or a folder last changed. A folder changes itself when a file is moved away. */
function newestTime(file: string): number {
  // A link may lead nowhere, as the locks of Emacs do.
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return Math.max(stat.mtimeMs, ...readdirSync(file).map((name) => newestTime(path.join(file, name))));
}

const CHECKOUT = path.join(import.meta.dirname, '..', '..', '..');
const MAKING = 'board-making-';
/** A build takes seconds; one that is older was killed, in ms. */
const KILLED_MS = 3_600_000;

let building: Promise<string | undefined> | undefined;

/** The state of the sources that could not be built. */
let failed: number | undefined;

/**
 * Returns undefined if there is no build and no build tool.
 * @param onOlder called with the reason if the build fails and an older one is returned instead
 */
export function pageFolder(onOlder: (reason: unknown) => void, root = CHECKOUT): Promise<string | undefined> {
  const beside = path.join(import.meta.dirname, 'board');
  if (existsSync(path.join(beside, 'index.html'))) return Promise.resolve(beside);
  building ??= inCheckout(root, onOlder).finally(() => {
    building = undefined;
  });
  return building;
}

async function inCheckout(root: string, onOlder: (reason: unknown) => void): Promise<string | undefined> {
  const built = path.join(root, 'dist', 'board');
  const program = path.join(root, 'node_modules', 'rolldown', 'bin', 'cli.mjs');
  const changed = Math.max(...SOURCES.map((name) => newestTime(path.join(root, name))));
  if (madeAt(built) > changed) return built;
  // Each state of the sources has its own folder, so that two processes never write to the same one.
  const folder = path.join(root, 'node_modules', '.cache', `board-${Math.round(changed)}`);
  if (madeAt(folder) > 0) return folder;
  const hasOlder = madeAt(built) > 0;
  if (!existsSync(program)) return hasOlder ? built : undefined;
  if (hasOlder && failed === changed) return built;
  try {
    await buildPage(root, program, folder);
  } catch (error) {
    if (!hasOlder) throw error;
    failed = changed;
    onOlder(error);
    return built;
  }
  return folder;
}

/** Builds the page beside its folder and moves it there, so that the folder is never half full. */
async function buildPage(root: string, program: string, folder: string): Promise<void> {
  const cache = path.dirname(folder);
  // The build also writes beside its folder, so even that is this process's own.
  const making = path.join(cache, `${MAKING}${randomBytes(8).toString('hex')}`);
  const page = path.join(making, 'board');
  try {
    mkdirSync(making, { recursive: true });
    removeKilled(cache);
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
}

/** Removes what builds left behind that were killed. */
function removeKilled(cache: string): void {
  for (const name of readdirSync(cache).filter((each) => each.startsWith(MAKING))) {
    const making = path.join(cache, name);
    const stat = statSync(making, { throwIfNoEntry: false });
    if (stat && stat.mtimeMs < Date.now() - KILLED_MS) rmSync(making, { recursive: true, force: true });
  }
}
