/**
 * `viber start`: runs the gateway until a signal or the end of piped input, and restarts when its program is replaced.
 */

import fs from 'node:fs';
import path from 'node:path';
import type { AppOptions } from '../app.ts';
import { unreadLines } from '../config/env-file.ts';
import { keepSchemas } from '../config/schema-file.ts';
import { secretFileProblems } from '../config/secret-files.ts';
import { type Config, loadConfig, terminalEnabled } from '../config.ts';
import { errorCode } from '../errors.ts';
import { createLog, type Logger } from '../log.ts';
import { messagesIn, type Wording } from '../messages/messages.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { noteConfig } from '../workspace/own-files.ts';
import { boundHeap } from './heap.ts';
import { REPLACED_SIGNAL, startAnew, watchProgram } from './replaced.ts';
import { refuseHeld } from './running.ts';
import { noteRestart } from './starting.ts';
import { timezoneNote } from './timezone-variable.ts';

/** A second signal, or this long after the first (in ms), ends the process at once. */
const HARD_STOP_MS = 25_000;

export async function run({ config: file, home, env }: CliContext): Promise<number> {
  await refuseHeld(home);
  const { config, source, warnings, isPortChosen, problems, features } = await loadConfig({ file, home, env });
  if (source !== undefined) noteConfig(path.resolve(home), source);
  let show: ((line: string) => void) | undefined;
  const log = openLog(config, () => show);
  logWarnings(log, source === undefined ? '' : `${source}: `, warnings);
  for (const { path: setting, message } of problems)
    log.error({ setting }, `${setting}: ${message}; continuing without it`);
  const zone = timezoneNote(env);
  logWarnings(log, '', [...unreadLines(home), ...secretFileProblems(env), ...(zone ? [zone] : [])]);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));

  const done = Promise.withResolvers<void>();
  const main = process.argv[1] === undefined ? '' : fs.realpathSync(process.argv[1]);
  let asked = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      asked++;
      if (asked > 1) process.exit(EXIT.failed);
      log.info({ signal }, 'stopping');
      setTimeout(() => process.exit(EXIT.failed), HARD_STOP_MS).unref();
      done.resolve();
    });
  }
  let isReplaced = false;
  const replace = () => {
    if (isReplaced || asked > 0) return;
    isReplaced = true;
    log.info('restarting with the program that is on disk');
    setTimeout(() => restartWith(main, home), HARD_STOP_MS).unref();
    done.resolve();
  };
  const unwatch = watchProgram(main, replace);
  process.on(REPLACED_SIGNAL, replace);
  const { startApp } = await import('../app.ts');
  const onEnd = () => done.resolve();
  const onLogPlace: AppOptions['onLogPlace'] = (place) => {
    show = place;
  };
  const app = await startApp({
    config,
    homeRoot: home,
    log,
    env,
    terminal: true,
    isPortChosen,
    onEnd,
    onLogPlace,
    plugins: features,
    renewedBy: REPLACED_SIGNAL,
    configFile: source,
  });
  boundHeap();
  if (source !== undefined)
    void keepSchemas(source, home).catch((error: unknown) =>
      log.warn({ err: error }, "the schemas for editors weren't written"),
    );
  try {
    await Promise.race([done.promise, app.connected.then(() => done.promise)]);
  } finally {
    unwatch();
    await app.stop();
  }
  if (isReplaced && asked === 0) return restartWith(main, home);
  // SDK sockets may still be closing; all our data is on disk.
  setTimeout(() => process.exit(EXIT.ok), 500).unref();
  return EXIT.ok;
}

function logWarnings(log: Logger, before: string, warnings: readonly Wording[]): void {
  for (const warning of warnings) log.warn(`${before}${messagesIn('en').said(warning)}`);
}

/** Restarts with the new program; if the system can't do that, exits so that the supervisor restarts it. */
function restartWith(main: string, home: string): number {
  noteRestart(home);
  startAnew(main);
  setTimeout(() => process.exit(EXIT.failed), 500).unref();
  return EXIT.failed;
}

/**
 * Opens the log on standard output, or on standard error if somebody talks over this terminal: standard output then has
 * the answers alone.
 * @param shownBy returns what shows lines while a terminal UI is drawn
 */
function openLog(config: Config, shownBy: () => ((line: string) => void) | undefined): Logger {
  const isTalk = terminalEnabled(config) && hasSomebodyAtInput();
  const stream = isTalk ? process.stderr : process.stdout;
  const pretty = stream.isTTY === true;
  // Shows only what needs attention between the lines of a conversation.
  const level = isTalk && pretty && config.log.level === 'info' ? 'warn' : config.log.level;
  if (!isTalk) return createLog({ level, pretty });
  stream.on('error', ignoreEnd);
  const write = (line: string) => {
    const show = pretty ? shownBy() : undefined;
    if (show) show(line);
    else stream.write(line);
  };
  return createLog({ level, pretty, write });
}

/** The reader of our output may close it; the work must finish regardless. */
function ignoreEnd(error: unknown): void {
  if (errorCode(error) !== 'EPIPE') throw error;
}

/** Returns true for a terminal, a pipe or a file; false for /dev/null and a closed input, as services have. */
function hasSomebodyAtInput(): boolean {
  if (process.stdin.isTTY) return true;
  try {
    const input = fs.fstatSync(0);
    return input.isFIFO() || input.isFile() || input.isSocket();
  } catch (error) {
    if (errorCode(error) === 'EBADF') return false;
    throw error;
  }
}
