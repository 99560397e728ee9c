/** Runs a command in a project, in the sandbox if there is one, in the foreground or the background. */
import path from 'node:path';
import type { LinkedRepository } from '../../../skills/repositories.ts';
import type { ProcessOutcome } from '../../../skills/run-process.ts';
import { startScript } from '../../../skills/script.ts';
import type { Reach } from '../../../skills/script-proxy.ts';
import type { SharedNetwork } from '../../../skills/shared-network.ts';
import type { ProjectCache } from './cache.ts';
import { type CommandOutput, createCommandOutput } from './output.ts';
import { findToolchains } from './toolchains.ts';

export interface CommandOrder {
  /** The project's folder. */
  folder: string;
  /** The path of the folder to start in, below the project's. */
  names: readonly string[];
  /** The project's repository, if it is outside that folder. */
  repository?: LinkedRepository | undefined;
  /** A bash text. */
  command: string;
  isSandboxed: boolean;
  /** The cache for its tools; only used in the sandbox. */
  cache?: ProjectCache | undefined;
  /** The network to join; by default, one of its own. */
  joins?: SharedNetwork | undefined;
  /** What it may reach there; nothing by default. */
  reach?: Reach;
  /** How long it may run. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Whether it can be written to while it runs. */
  takesInput?: boolean;
  onOutput?(chunk: Buffer): void;
}

export interface CommandEnd {
  /** Undefined if a signal ended it. */
  exit?: number;
  /** Why it was ended, as a sentence for the model. */
  why?: string;
  seconds: number;
  /** Hooks and settings of new repositories that were disabled. */
  disarmed?: readonly string[];
}

export interface RunningCommand {
  readonly output: CommandOutput;
  /** Resolves when nothing that it started is running any more. Rejects if it can't be started. */
  readonly ended: Promise<CommandEnd>;
  write(text: string | undefined): void;
}

/** A command is ended if it writes more than this, in bytes. */
const MAX_WRITTEN = 64 * 1024 * 1024;
const MEMORY_MB = 4096;

/** @throws UserError if it can't be started */
export async function startCommand(order: CommandOrder): Promise<RunningCommand> {
  const { folder, names, repository, command, isSandboxed, cache, joins, reach } = order;
  const { timeoutMs, signal, takesInput = false } = order;
  const started = performance.now();
  const output = createCommandOutput();
  const tools = isSandboxed ? findToolchains() : undefined;
  const script = await startScript({
    script: { shell: 'bash', text: `${command}\n` },
    variables: { ...tools?.variables, ...cache?.variables },
    cwd: folder,
    sandbox: isSandboxed,
    ...(reach && { network: true, reach }),
    timeoutMs,
    signal,
    memoryMb: MEMORY_MB,
    command: {
      chdir: path.join(folder, ...names),
      repository,
      mounts: [...(tools?.mounts ?? []), ...(cache?.mounts ?? [])],
      writes: cache ? [cache.folder] : [],
      programs: tools?.programs ?? [],
      // `output` keeps it instead.
      maxOutput: 0,
      maxWritten: MAX_WRITTEN,
      takesInput,
      joins,
      onOutput(chunk) {
        output.add(chunk);
        order.onOutput?.(chunk);
      },
    },
  });
  const ended = script.ended.then((outcome) => {
    const why = whyEnded(outcome, timeoutMs);
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    return {
      ...(outcome.code !== null && { exit: outcome.code }),
      ...(why && { why }),
      ...(script.disarmed.length > 0 && { disarmed: script.disarmed }),
      seconds,
    };
  });
  return { output, ended, write: script.write };
}

function whyEnded({ endedBy, usedMemory, signal, code }: ProcessOutcome, timeoutMs: number): string | undefined {
  const rest = 'what it did before that may have taken effect.';
  switch (endedBy) {
    case 'memory':
      return `It ${usedMemory ?? 'used too much memory'} and was ended; ${rest}`;
    case 'timeout':
      return `It ran for ${Math.round(timeoutMs / 1000)} seconds and was ended; ${rest}`;
    case 'output':
      return `It wrote more than ${MAX_WRITTEN / 1024 / 1024} MB of output and was ended; ${rest}`;
    case 'abort':
      return `It was stopped; ${rest}`;
    case undefined:
      // The sandbox turns a signal into an exit code.
      return signal === null && code !== 137 ? undefined : `It was killed by ${signal ?? 'SIGKILL'}.`;
  }
}
