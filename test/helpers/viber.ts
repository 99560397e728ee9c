/**
 * The commands of `viber` on a home of a test. `viber` runs one in this process, which costs a hundredth of a process of
 * its own; `viberProcess` starts the program, for what a process alone has: signals, crashes, `viber start`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import { type Ran, runProgram } from './process.ts';
import { PROGRAM } from './program.ts';

export interface Given {
  input?: string | undefined;
  env?: NodeJS.ProcessEnv | undefined;
}

const environment = (home: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...{ PATH: process.env.PATH, HOME: home, OPENVIBER_HOME: home },
  ...env,
});

export const viberProcess = (home: string, args: readonly string[], { input, env }: Given = {}): Promise<Ran> =>
  runProgram([...args], environment(home, env), input);

/** The environment and the streams belong to the whole process, so commands run one after the other. */
let last: Promise<unknown> = Promise.resolve();

export function viber(home: string, args: readonly string[], { input = '', env }: Given = {}): Promise<Ran> {
  const ran = last.then(() => runAlone(args, environment(home, env), input));
  last = ran.catch(() => undefined);
  return ran;
}

async function runAlone(args: readonly string[], env: NodeJS.ProcessEnv, input: string): Promise<Ran> {
  const written = { out: '', err: '' };
  const putBack = [
    replaceEnvironment(env),
    replaceArguments([process.execPath, PROGRAM, ...args]),
    replaceInput(input),
    collect(process.stdout, (text) => (written.out += text)),
    collect(process.stderr, (text) => (written.err += text)),
    forgetListeners(process.stdout, ['error']),
    forgetListeners(process, ['SIGINT', 'SIGTERM', 'SIGHUP']),
  ];
  try {
    return { code: await runCli([...args]), ...written };
  } finally {
    for (const each of putBack) each();
  }
}

/** Changed in place: modules hold the object itself. */
function replaceEnvironment(env: NodeJS.ProcessEnv): () => void {
  const before = { ...process.env };
  const set = (all: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(process.env)) if (all[name] === undefined) Reflect.deleteProperty(process.env, name);
    for (const [name, value] of Object.entries(all)) if (value !== undefined) process.env[name] = value;
  };
  set(env);
  return () => set(before);
}

function replaceArguments(argv: readonly string[]): () => void {
  const before = process.argv.splice(0, Number.POSITIVE_INFINITY, ...argv);
  return () => void process.argv.splice(0, Number.POSITIVE_INFINITY, ...before);
}

function replaceInput(input: string): () => void {
  const before = Object.getOwnPropertyDescriptor(process, 'stdin');
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  return () => void (before && Object.defineProperty(process, 'stdin', before));
}

function collect(stream: NodeJS.WriteStream, take: (text: string) => void): () => void {
  const { write } = stream;
  stream.write = (bytes: Uint8Array | string) => {
    take(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString());
    return true;
  };
  return () => {
    stream.write = write;
  };
}

/** A command listens until its process ends. */
function forgetListeners(emitter: NodeJS.EventEmitter, names: readonly string[]): () => void {
  const before = names.flatMap((name) => emitter.rawListeners(name));
  return () => {
    for (const name of names)
      for (const listener of emitter.rawListeners(name))
        if (!before.includes(listener)) emitter.off(name, listener as () => void);
  };
}

export interface RunningProgram {
  child: ChildProcess;
  /** The lines of its log so far. */
  lines: string[];
  exited: Promise<unknown[]>;
}

/** A gateway in a process of its own, once it is ready; killed with the test. */
export async function startProgram(home: string, env?: NodeJS.ProcessEnv): Promise<RunningProgram> {
  const child = spawn(process.execPath, [PROGRAM, 'start', '--home', home], {
    ...{ env: environment(home, env), stdio: ['ignore', 'pipe', 'inherit'] },
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('"msg":"ready"')) break;
  }
  child.stdout.resume();
  return { child, lines, exited };
}
