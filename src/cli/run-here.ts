/** Runs another program on this terminal. */
import { spawn } from 'node:child_process';
import { errorCode, UserError } from '../errors.ts';
import { say } from '../messages/messages.ts';
import { EXIT } from '../runtime/contract/cli.ts';

interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** The program must not read this terminal. */
  isDeaf?: boolean;
}

/** Returns the exit code of this command. */
export function runHere(
  [program = '', ...args]: readonly string[],
  { isDeaf = false, ...options }: RunOptions = {},
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  spawn(program, args, { ...options, stdio: [isDeaf ? 'ignore' : 'inherit', 'inherit', 'inherit'] })
    .on('error', (error) =>
      reject(errorCode(error) === 'ENOENT' ? new UserError(say('cli.noProgram', { program })) : error),
    )
    .on('exit', (code) => resolve(code === 0 ? EXIT.ok : EXIT.failed));
  return promise;
}
