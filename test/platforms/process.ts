/** A gateway in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { watchProcess } from '../kit/sources.ts';

export interface Gateway {
  /** Resolves when it has ended by itself. */
  ended: Promise<void>;
  /** `graceMs`: how long runs may take to end; only for one in this process. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>;
}

export interface ProgramOptions {
  program: string;
  home: string;
  /** Used for this start only: its names are removed. */
  env: Record<string, string>;
  /** Options of Node itself. */
  node?: readonly string[];
}

/** Starts a gateway, and waits until it says that it is ready. */
export async function startProcess({ program, home, env, node = [] }: ProgramOptions): Promise<Gateway> {
  const child: ChildProcess = spawn(process.execPath, [...node, program, 'start', '--home', home], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const isToCrash = env.OPENVIBER_CRASH_AT !== undefined;
  for (const name of Object.keys(env)) delete env[name];
  const exited = once(child, 'exit');
  child.once('exit', watchProcess(child.pid ?? 0));
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"ready"')) ready.resolve();
    });
  }
  await Promise.race([
    ready.promise,
    exited.then(() => {
      // Where it is to crash it may do so before it has said that it is ready.
      if (!isToCrash) throw new Error(`the gateway ended:\n${lines.slice(-20).join('\n')}`);
    }),
  ]);
  return {
    ended: exited.then(() => undefined),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}
