/** Starts a sandbox: it names its first process, which waits until we have checked it. */
import type { ChildProcess } from 'node:child_process';
import { Duplex, Readable } from 'node:stream';
import { killGroup } from '../lib/process-group.ts';
import { SandboxFailure } from './gate.ts';

interface Gate {
  gate?(first: number): Promise<void>;
  signal: AbortSignal | undefined;
}

export interface FirstInside {
  pid(): number | undefined;
  /** Undefined if the sandbox ends first. */
  known: Promise<number | undefined>;
}

/**
 * Finds the process that the sandbox names on descriptor 3. Only the first message counts; others wouldn't be its own.
 */
export function firstInside(child: ChildProcess): FirstInside {
  let said = '';
  const known = Promise.withResolvers<number | undefined>();
  const pid = () => {
    const [, digits] = /^\s*\{\s*"child-pid":\s*(\d+)\D/.exec(said) ?? [];
    return digits === undefined ? undefined : Number(digits);
  };
  const stream = child.stdio[3];
  if (stream instanceof Readable) {
    stream.on('data', (chunk: Buffer) => {
      if (said.length < 1000) said += chunk.toString('latin1');
      if (pid() !== undefined) known.resolve(pid());
    });
  }
  for (const event of ['exit', 'error']) child.once(event, () => known.resolve(pid()));
  return { pid, known: known.promise };
}

/** Returns why it didn't start; undefined if it did, or if we ended it. */
export async function passGate(
  child: ChildProcess,
  { gate, signal }: Gate,
  first: FirstInside,
  state: { hasBegun: boolean },
): Promise<string | undefined> {
  if (!gate) return undefined;
  const { stdio, stderr } = child;
  let said = '';
  stderr?.on('data', (chunk: Buffer) => {
    if (said.length < 1000) said += chunk.toString();
  });
  const wait = stdio[4];
  if (!(wait instanceof Duplex)) throw new Error('a process without a gate');
  wait.on('error', () => wait.destroy());
  const pid = await first.known;
  try {
    if (pid === undefined) throw new SandboxFailure('the sandbox has ended');
    await gate(pid);
    state.hasBegun = true;
    wait.end('.');
    return undefined;
  } catch (error) {
    killGroup(child, 'SIGKILL');
    if (!(error instanceof SandboxFailure)) throw error;
    return signal?.aborted ? undefined : said.trim().split('\n')[0] || error.message;
  }
}
