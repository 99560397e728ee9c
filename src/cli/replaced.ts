/**
 * Restarts the gateway when npm or a build replaces its program. Parts that load late would be missing or of another
 * version, so the gateway stops gracefully and restarts in the same process once the new program is complete.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Asks a gateway to restart at once (`viber update`). */
export const REPLACED_SIGNAL = 'SIGUSR2';

/** How often to look, and how many looks must find no change: an installation may still be running. */
const LOOK_MS = 2_000;
const STEADY_LOOKS = 3;

/**
 * Identifies the version of `main.js`; undefined while it is missing. Includes the inode, because copies keep their
 * times.
 */
function programStamp(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

/**
 * Calls back once after the built program at `main` was replaced and has not changed for some seconds. Doesn't watch a
 * program that runs from its sources, which change all the time. Returns a function that stops watching.
 */
export function watchProgram(main: string, onReplaced: () => void): () => void {
  if (!main.endsWith('.js')) return () => undefined;
  const first = programStamp(main);
  let last = '';
  let looks = 0;
  const timer = setInterval(() => {
    const now = programStamp(main);
    const whole = now === undefined || now === first ? '' : `${now} ${programStamp(path.dirname(main))}`;
    looks = whole !== '' && whole === last ? looks + 1 : 0;
    last = whole;
    if (looks < STEADY_LOOKS) return;
    clearInterval(timer);
    onReplaced();
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** Runs the same command in the same process, with the new program. Returns if the system can't do that. */
export function startAnew(main: string): void {
  // A failed `execve` ends the process at once, without an error message.
  if (!process.execve || !fs.existsSync(process.execPath) || !fs.existsSync(main)) return;
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, main, ...process.argv.slice(2)],
    process.env,
  );
}
