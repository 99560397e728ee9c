/** Runs another program on this terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import { errorCode, UserError } from '../errors.ts';
import { killGroup } from '../lib/process-group.ts';
import { say } from '../messages/messages.ts';
import { EXIT } from '../runtime/contract/cli.ts';

interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** The program must not read this terminal, and ends with everything it started when this process is told to end. */
  isDeaf?: boolean;
}

const ENDING = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** Returns the exit code of this command: above 128 if a signal has ended it, as shells count. */
export function runHere(
  [program = '', ...args]: readonly string[],
  { isDeaf = false, ...options }: RunOptions = {},
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let child: ChildProcess | undefined;
  let ended: (typeof ENDING)[number] | undefined;
  const end = (signal: (typeof ENDING)[number]) => {
    // Whoever asks twice doesn't want to wait.
    if (child) killGroup(child, ended === undefined ? signal : 'SIGKILL');
    ended ??= signal;
  };
  const forget = () => {
    for (const signal of ENDING) process.off(signal, end);
  };
  // Before the program starts, so that no signal ends this process alone.
  if (isDeaf) for (const signal of ENDING) process.on(signal, end);
  // In a group of its own, a signal reaches what the program started too.
  const running = spawn(program, args, {
    ...options,
    detached: isDeaf,
    stdio: [isDeaf ? 'ignore' : 'inherit', 'inherit', 'inherit'],
  });
  child = running;
  running
    .on('error', (error) => {
      forget();
      reject(errorCode(error) === 'ENOENT' ? new UserError(say('cli.noProgram', { program })) : error);
    })
    .on('exit', (code) => {
      forget();
      if (ended !== undefined) killGroup(running, 'SIGKILL');
      resolve(ended !== undefined ? 128 + os.constants.signals[ended] : code === 0 ? EXIT.ok : EXIT.failed);
    });
  return promise;
}
