/**
 * `viber restore FILE`: a home out of a backup. Invariant: the home is there as it was or as the backup has it, never half; what stood
 * in its place is moved aside, not removed. A backup may come from anywhere: it writes below the home and nowhere else.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { acquireLock } from '../../engine/local/lock.ts';
import { errorCode, UserError } from '../../errors.ts';
import { syncFolder } from '../../lib/files.ts';
import { type CliContext, EXIT } from '../command.ts';
import type { readHead } from './format.ts';
import { unpack } from './unpack.ts';

/** Bytes of the disk that stay free. */
const SPARE = 100_000_000;

export async function run({ args, home, json, print, switches }: CliContext): Promise<number> {
  const file = path.resolve(args[0] ?? '');
  if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UserError(`There is no file ${file}.`);
  const target = realHome(home);
  const isEmpty = !fs.existsSync(target) || fs.readdirSync(target).length === 0;
  if (!isEmpty && !switches.has('replace'))
    throw new UserError(`${target} is not empty. --replace moves what is there aside; or choose another with --home.`);
  const lock = fs.existsSync(path.join(target, 'run')) ? acquireLock(path.join(target, 'run')) : undefined;
  try {
    const stage = makeStage(target);
    try {
      const { statfs } = fs.promises;
      const { bavail, bsize } = await statfs(stage);
      const { head, files } = await unpack(file, stage, Math.max(0, bavail * bsize - SPARE));
      const aside = isEmpty ? undefined : `${target}.before-${stamp()}`;
      await putInPlace(stage, target, aside);
      report({ head, files, target, aside }, json, print);
      return EXIT.ok;
    } finally {
      fs.rmSync(stage, { recursive: true, force: true });
    }
  } finally {
    lock?.release();
  }
}

const stamp = () => new Date().toISOString().replace(/[-:]|\.\d+/g, '');

/** Behind a link the folder itself is replaced, and the link goes on leading there. */
function realHome(home: string): string {
  return fs.existsSync(home) ? fs.realpathSync(home) : home;
}

/** Beside the home, so that one rename puts it in place. */
function makeStage(target: string): string {
  const parent = path.dirname(target);
  fs.mkdirSync(parent, { recursive: true });
  if (fs.existsSync(target) && fs.statSync(target).dev !== fs.statSync(parent).dev)
    throw new UserError(
      `${target} is a disk of its own and cannot be exchanged: restore into a folder in it, with --home.`,
    );
  const stage = `${target}.restoring-${randomBytes(4).toString('hex')}`;
  fs.mkdirSync(stage, { mode: 0o700 });
  return stage;
}

async function putInPlace(stage: string, target: string, aside: string | undefined): Promise<void> {
  if (aside !== undefined) fs.renameSync(target, aside);
  try {
    // Takes the place of nothing, or of an empty folder.
    fs.renameSync(stage, target);
  } catch (error) {
    if (aside !== undefined) fs.renameSync(aside, target);
    if (errorCode(error) === 'ENOTEMPTY') throw new UserError(`${target} was empty and is not any more.`);
    throw error;
  }
  await syncFolder(path.dirname(target));
}

interface Restored {
  head: NonNullable<ReturnType<typeof readHead>>;
  files: number;
  target: string;
  aside: string | undefined;
}

function report({ head, files, target, aside }: Restored, json: boolean, print: CliContext['print']): void {
  if (json) {
    print(JSON.stringify({ home: target, files, createdAt: head.createdAt, aside }));
    return;
  }
  print(`${files} files of ${head.createdAt} (viber ${head.version}) are in ${target}.`);
  if (aside !== undefined) print(`What was there is in ${aside}; remove it when you do not miss it.`);
  if (!head.hasSecrets) print('Secrets were not in it: set tokens and keys again, then viber doctor.');
  print(
    head.onServer
      ? 'What was under way at that time stood on a server (engine.url) and was not in it: it is answered only if that has it still.'
      : 'Messages that were in work at that time are answered again after the start.',
  );
}
