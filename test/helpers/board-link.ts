/** The link that `viber board` prints. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PROGRAM } from './program.ts';

export async function viberLink(home: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'board', '--no-open', '--home', home]);
  return stdout;
}
