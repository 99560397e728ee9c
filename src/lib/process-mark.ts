/**
 * Marks a program, so that everything it starts can be found, also what leaves its group, its session and its parents.
 * Linux only.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../errors.ts';

export interface ProcessMark {
  /** A text in the environment of its processes, unless they clear it. */
  text: string;
  /**
   * Their limit of resident memory, in KB (`ulimit -m`). All descendants inherit it, and Linux doesn't enforce it.
   * https://man7.org/linux/man-pages/man2/getrlimit.2.html
   */
  kilobytes?: number;
}

/** More than any machine has, so that the limit is one nowhere. */
const LEAST_KB = 2 ** 40;

/** Returns a mark that no other program has. */
export const newMark = (): Required<ProcessMark> => ({
  text: randomUUID(),
  kilobytes: LEAST_KB + randomInt(LEAST_KB),
});

/** Returns false for processes that have ended or belong to other users. */
export async function bearsMark(pid: number, { text, kilobytes }: ProcessMark): Promise<boolean> {
  const isLimited =
    kilobytes !== undefined &&
    new RegExp(`^Max resident set +${kilobytes * 1024} `, 'm').test(await readOf(pid, 'limits'));
  return isLimited || (await readOf(pid, 'environ')).includes(text);
}

/** Kills every process with this mark. Repeats until none is found, since one may have been starting during the search. */
export async function killMarked(mark: ProcessMark): Promise<void> {
  if (process.platform !== 'linux') return;
  for (let round = 0; round < 10; round++) {
    let found = 0;
    for (const name of await readdir('/proc')) {
      const pid = Number(name);
      if (!/^\d+$/.test(name) || pid === process.pid || !(await bearsMark(pid, mark))) continue;
      found++;
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if (errorCode(error) !== 'ESRCH') throw error;
      }
    }
    if (found === 0) return;
    await sleep(5);
  }
}

async function readOf(pid: number, what: 'environ' | 'limits'): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${what}`, 'latin1');
  } catch (error) {
    if (errorCode(error)) return '';
    throw error;
  }
}
