/** A command of the program, run to its end as a process of its own. */
import { execFile } from 'node:child_process';
import { PROGRAM } from './program.ts';

export interface Ran {
  code: number;
  out: string;
  err: string;
  /** What has killed it. */
  signal?: NodeJS.Signals;
}

export function runProgram(args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], { env, timeout: 110_000 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err, ...(error?.signal && { signal: error.signal }) }),
    );
    child.stdin?.end(input);
  });
}
