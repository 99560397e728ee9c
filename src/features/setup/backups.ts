/** Makes and lists backups beside the home, and checks for updates, with the code of the commands of `viber`. */
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { RequestError } from '../../board/respond.ts';
import { errorCode, UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { parseJson } from '../../lib/json.ts';
import { serialise } from '../../lib/locks.ts';
import { scrub } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import type { BoardProgram } from '../../runtime/contract/board.ts';
import type { Gateway } from '../gateway.ts';

const NAME = /^viber-\d{8}-\d{6}\.tar\.gz$/;
/** If there are this many, some must be removed by hand first, so that nobody fills the disk. */
const MAX_KEPT = 20;
const BACKUP_MS = 10 * 60_000;
const CHECK_MS = 60_000;

const made = z.object({ files: z.number(), size: z.number(), secrets: z.array(z.string()) });

const backupFolder = ({ home }: Gateway): string => `${home.root.replace(/\/+$/, '')}-backups`;

export function listBackups({ run }: BoardProgram, gw: Gateway): object {
  const folder = backupFolder(gw);
  return {
    folder,
    backups: backupsIn(folder),
    canRun: run !== undefined,
    commands: [viberCommand('backup FILE'), viberCommand('update --check')],
  };
}

function backupsIn(folder: string): { name: string; size: number; at: string }[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && NAME.test(entry.name))
      .map(({ name }) => {
        const { size, mtimeMs } = fs.statSync(path.join(folder, name));
        return { name, size, at: new Date(mtimeMs).toISOString() };
      })
      .sort((a, b) => (a.name < b.name ? 1 : -1));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Makes a backup without secrets; one at a time. */
export async function makeBackup({ run }: BoardProgram, gw: Gateway): Promise<object> {
  const folder = backupFolder(gw);
  if (!run) throw notHere();
  return serialise(folder, async () => {
    if (backupsIn(folder).length >= MAX_KEPT)
      throw new RequestError(409, 'too_many', say('boardSetup.manyBackups', { n: MAX_KEPT, folder }));
    const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, `viber-${stamp}.tar.gz`);
    const { code, output } = await run(['backup', file, '--json'], BACKUP_MS);
    const found = made.safeParse(parseJson(output)).data;
    if (code !== 0 || !found) throw commandFailed(output);
    return { name: path.basename(file), files: found.files, size: found.size, secrets: found.secrets };
  });
}

/** Returns what `viber update --check` says. */
export async function checkUpdate({ run }: BoardProgram): Promise<object> {
  if (!run) throw notHere();
  const { code, output } = await run(['update', '--check'], CHECK_MS);
  if (code !== 0) throw commandFailed(output);
  return { said: scrub(output).trim() };
}

const notHere = () =>
  new RequestError(409, 'no_command', say('boardSetup.noCommand', { command: viberCommand('start') }));

const commandFailed = (output: string) =>
  new UserError(say('common.asItIs', { text: scrub(output).trim().slice(0, 500) }));
