/**
 * The private folder of one script run, outside its work folder: `script`, `home`, `tmp`, its user (`passwd`, `group`),
 * and the names of its own machine (`hosts`, `nsswitch.conf`).
 */
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { errorCode } from '../errors.ts';

const PREFIX = 'viber-script-';
/** No run takes this long: an older folder was left by a killed gateway. */
const ABANDONED_MS = 25 * 60 * 60 * 1000;

let swept: Promise<void> | undefined;

/**
 * Creates the folder, accessible to one user only, and returns its path. The first call in a process removes abandoned
 * ones.
 */
export async function createRunFolder(script: string, cwd: string): Promise<string> {
  const run = await createPrivateFolder();
  const home = path.join(run, 'home');
  const { uid, gid } = os.userInfo();
  await Promise.all([mkdir(home, { mode: 0o700 }), mkdir(path.join(run, 'tmp'), { mode: 0o700 })]);
  await Promise.all([
    writeFile(path.join(run, 'script'), script, { mode: 0o600 }),
    writeFile(
      path.join(run, 'passwd'),
      `viber:x:${uid}:${gid}:viber:${home}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n`,
    ),
    writeFile(path.join(run, 'hosts'), '127.0.0.1 localhost viber\n::1 localhost\n'),
    writeFile(path.join(run, 'nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n'),
    writeFile(path.join(run, 'group'), `viber:x:${gid}:\nnogroup:x:65534:\n`),
    writeFile(path.join(home, '.gitconfig'), gitConfig(cwd)),
  ]);
  return run;
}

/** Creates an empty one, for `removeRunFolder`. */
export async function createPrivateFolder(): Promise<string> {
  const base = await realpath(os.tmpdir());
  swept ??= sweep(base);
  await swept;
  return mkdtemp(path.join(base, PREFIX));
}

/** Removes the folder. If a script made it unremovable, that isn't an error: it is left to the system. */
export async function removeRunFolder(run: string): Promise<void> {
  try {
    await rm(run, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EBUSY', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error;
  }
}

async function sweep(base: string): Promise<void> {
  const uid = process.getuid?.();
  const names = (await readdir(base)).filter((name) => name.startsWith(PREFIX));
  for (const run of names.map((name) => path.join(base, name))) {
    try {
      const stats = await stat(run);
      if (stats.uid === uid && Date.now() - stats.mtimeMs > ABANDONED_MS) await removeRunFolder(run);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
}

/**
 * Returns the git settings that apply unless the repository or a granted variable overrides them. The folder may belong
 * to somebody else, which is no reason to refuse it: we sent the script there.
 */
function gitConfig(cwd: string): string {
  const folder = JSON.stringify(cwd);
  return `[user]\n\tname = Viber\n\temail = viber@localhost\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = ${folder}\n`;
}
