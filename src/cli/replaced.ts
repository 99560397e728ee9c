/**
 * Another program in the place of this one: npm and builds put new files there while a gateway runs. Parts that are loaded late would then be
 * missing or those of another version, so it stops in order and starts anew, in the same process, as soon as the new one is whole.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Asks a gateway to do so at once (`viber update`). */
export const REPLACED_SIGNAL = 'SIGUSR2';

/** How often it is looked at, and for how many looks nothing may have changed: what is still being installed is not started. */
const LOOK_MS = 2_000;
const STEADY_LOOKS = 3;

/** `main.js` as it stands there; undefined while it is missing. Copies keep times, so the file itself counts too. */
function stampOf(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

/**
 * Calls back once when the built program at `main` was replaced and has not changed for some seconds. A program that is run from
 * its sources is edited all the time and not watched. Returns what ends it.
 */
export function watchProgram(main: string, onReplaced: () => void, lookMs: number = LOOK_MS): () => void {
  if (!main.endsWith('.js')) return () => undefined;
  const first = stampOf(main);
  let last = '';
  let looks = 0;
  const timer = setInterval(() => {
    const now = stampOf(main);
    const whole = now === undefined || now === first ? '' : `${now} ${stampOf(path.dirname(main))}`;
    looks = whole !== '' && whole === last ? looks + 1 : 0;
    last = whole;
    if (looks < STEADY_LOOKS) return;
    clearInterval(timer);
    onReplaced();
  }, lookMs).unref();
  return () => clearInterval(timer);
}

/** The same command in the same process, with the program that stands there now. Returns where the system cannot do that. */
export function startAnew(main: string): void {
  // A failed one ends the process at once, without a word.
  if (!process.execve || !fs.existsSync(process.execPath) || !fs.existsSync(main)) return;
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, main, ...process.argv.slice(2)],
    process.env,
  );
}
