/** The private folder of one run of a script, outside the folder it works in: `script`, `home`, `tmp`, and who it is (`passwd`, `group`). */
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { errorCode } from '../errors.ts';

const PREFIX = 'viber-script-';
/** No run takes that long: what is older was left by a gateway that was killed. */
const ABANDONED_MS = 3 * 60 * 60 * 1000;

let swept: Promise<void> | undefined;

/** Creates it for one user alone, and says where. The first call of a process removes what others left behind. */
export async function createRunFolder(script: string, cwd: string): Promise<string> {
  const base = await realpath(os.tmpdir());
  swept ??= sweep(base);
  await swept;
  const run = await mkdtemp(path.join(base, PREFIX));
  const home = path.join(run, 'home');
  const { uid, gid } = os.userInfo();
  await Promise.all([mkdir(home, { mode: 0o700 }), mkdir(path.join(run, 'tmp'), { mode: 0o700 })]);
  await Promise.all([
    writeFile(path.join(run, 'script'), script, { mode: 0o600 }),
    writeFile(
      path.join(run, 'passwd'),
      `viber:x:${uid}:${gid}:viber:${home}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n`,
    ),
    writeFile(path.join(run, 'group'), `viber:x:${gid}:\nnogroup:x:65534:\n`),
    writeFile(path.join(home, '.gitconfig'), gitConfig(cwd)),
  ]);
  return run;
}

/** What a script made unreadable, so that it cannot be removed, is left to the system: it is no reason to fail. */
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
 * What git finds where neither the repository nor a granted variable says otherwise. The folder may belong to somebody else:
 * that is no reason to refuse it, the script was sent there by us.
 */
function gitConfig(cwd: string): string {
  const folder = JSON.stringify(cwd);
  return `[user]\n\tname = Viber\n\temail = viber@localhost\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = ${folder}\n`;
}
