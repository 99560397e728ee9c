/**
 * A server of tools as a process of ours, one JSON message a line. Not the transport of the library: that one takes each note, each
 * stray line and each late answer for a failure, gathers a message without bound in quadratic time, and ends one process only.
 * Here what is no message is passed over, what is too much ends the server, and it ends with all that it started.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import type { MCPTransport } from '@ai-sdk/mcp';
import { errorCode } from '../../../errors.ts';
import { firstToGo, memoryLimitMb, watchMemory } from '../../../lib/memory-watch.ts';
import { killMarked } from '../../../skills/run-process.ts';
import { clip, visibleText } from '../../context/turn.ts';
import { Tokens } from './progress.ts';
import { readable } from './readable.ts';

export interface StdioOptions {
  command: string;
  args: readonly string[];
  /** What it is given beside the few variables that every program needs. */
  env: Readonly<Record<string, string>>;
  /** For all its processes together; 4 GiB by default, and never more than half of the machine. */
  memoryMb?: number;
  /** A message that wants no answer. */
  onNote(method: string): void;
  /** It has ended, and not because it was closed. Called once. */
  onEnd(why: Error): void;
}

/** The program has ended by itself. */
class EndedError extends Error {
  override name = 'EndedError';
}

/** Nothing of the message has reached the program. */
class UnsentError extends Error {
  override name = 'UnsentError';
}

type Message = Parameters<NonNullable<MCPTransport['onmessage']>>[0];

const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
/** Bytes of one message; two pictures of 10 MB fit. */
const MAX_LINE = 32 * 1024 * 1024;
/** Notes and stray lines in a while; nothing a person waits for needs as many. */
const MAX_NOTES = 5_000;
const NOTES_MS = 10_000;
/** Bytes of what it writes for people, and characters of it that they are told. */
const MAX_SAID = 4_096;
const MAX_LINE_SAID = 200;
/** Between asking it to end and ending it. */
const GRACE_MS = 500;
/** A browser fits. */
const MEMORY_MB = 4096;

export async function openStdio(options: StdioOptions): Promise<MCPTransport> {
  const { validateJSONRPCMessage } = await import('@ai-sdk/mcp');
  return new StdioTransport(options, validateJSONRPCMessage);
}

class StdioTransport implements MCPTransport {
  readonly supportsProtocolVersionDiscovery = true;
  onmessage?: NonNullable<MCPTransport['onmessage']>;
  onclose?: NonNullable<MCPTransport['onclose']>;
  onerror?: NonNullable<MCPTransport['onerror']>;
  readonly #options: StdioOptions;
  readonly #validate: (value: unknown) => Message;
  #child: ChildProcess | undefined;
  #isClosed = false;
  #parts: Buffer[] = [];
  #length = 0;
  #notes = { count: 0, since: 0 };
  readonly #tokens = new Tokens();
  /** In the environment of it and of all that it starts, and of nobody else. */
  readonly #marker = randomUUID();
  #unwatch: () => void = () => undefined;
  /** The end of what it wrote for people. */
  #said: Buffer = Buffer.alloc(0);

  constructor(options: StdioOptions, validate: (value: unknown) => Message) {
    this.#options = options;
    this.#validate = validate;
  }

  async start(): Promise<void> {
    const { command, args, env: own } = this.#options;
    const inherited = INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
    const env = { ...Object.fromEntries(inherited), ...own, OPENVIBER_SERVER: this.#marker };
    const running = spawn(command, args, { env, stdio: 'pipe', detached: true });
    this.#child = running;
    const ended = (error: Error) => this.#ended(error);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    running.once('spawn', resolve);
    running.on('error', (error) => {
      reject(error);
      ended(error);
    });
    running.stderr?.on('error', ended).on('data', (chunk: Buffer) => {
      this.#said = Buffer.concat([this.#said, chunk.subarray(-MAX_SAID)]).subarray(-MAX_SAID);
    });
    this.#boundMemory(running.pid);
    running.once('exit', (code, signal) => {
      this.#unwatch();
      // What it said last is read before its end is told.
      setImmediate(() => ended(new EndedError(`it has ended (${signal ?? code})${lastOf(this.#said)}`)));
    });
    // What cannot be written any more is a server that has ended, which is told by its end.
    running.stdin?.on('error', () => undefined);
    running.stdout?.on('error', ended).on('data', (chunk: Buffer) => this.#onData(chunk));
    await promise;
  }

  #boundMemory(pid: number | undefined): void {
    if (pid === undefined) return;
    this.#unwatch = watchMemory({
      pid,
      marker: this.#marker,
      limitMb: memoryLimitMb(this.#options.memoryMb ?? MEMORY_MB),
      isServer: true,
      onOver: (used) => this.#ended(new Error(`it ${used} and was stopped`)),
    });
    firstToGo(pid);
  }

  async send(message: Message): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (this.#isClosed || !stdin?.writable) throw new UnsentError('The connection is closed.');
    if (!stdin.write(`${JSON.stringify(this.#tokens.ask(message))}\n`)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      stdin.once('drain', resolve).once('close', resolve);
      await promise;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#kill();
  }

  #ended(why: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#kill();
    this.#options.onEnd(why);
    this.onclose?.();
  }

  /** Resolves once the process has ended, or has been given up. */
  async #kill(): Promise<void> {
    const running = this.#child;
    this.#parts = [];
    if (!running?.pid || running.exitCode !== null || running.signalCode !== null) {
      killGroup(running, 'SIGKILL');
      return killMarked(this.#marker);
    }
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    running.once('exit', () => resolve());
    running.stdin?.end();
    killGroup(running, 'SIGTERM');
    const timer = setTimeout(() => {
      killGroup(running, 'SIGKILL');
      resolve();
    }, GRACE_MS);
    await gone;
    clearTimeout(timer);
    // What it started may not have heard, or not obeyed.
    killGroup(running, 'SIGKILL');
    // Nor stayed in its group.
    await killMarked(this.#marker);
    running.stdout?.destroy();
    running.stderr?.destroy();
  }

  #onData(chunk: Buffer): void {
    for (let rest = chunk; !this.#isClosed; ) {
      const end = rest.indexOf(10);
      const part = end < 0 ? rest : rest.subarray(0, end);
      this.#length += part.length;
      if (this.#length > MAX_LINE) {
        this.#ended(new Error(`it sent a message larger than ${MAX_LINE / 1024 / 1024} MB`));
        return;
      }
      this.#parts.push(part);
      if (end < 0) return;
      const line = Buffer.concat(this.#parts).toString();
      this.#parts = [];
      this.#length = 0;
      this.#onLine(line);
      rest = rest.subarray(end + 1);
    }
  }

  #onLine(line: string): void {
    const message = this.#read(line);
    if (message === undefined) {
      this.#noted();
      return;
    }
    if ('method' in message && !('id' in message)) {
      this.#options.onNote(message.method);
      this.#tokens.note(message.method, message.params);
      this.#noted();
      return;
    }
    if ('id' in message) this.#tokens.end(message.id);
    try {
      this.onmessage?.(message);
    } catch (error) {
      // The client throws for an answer that nobody waits for any more.
      if (!(error instanceof Error && error.message.startsWith('Protocol error'))) throw error;
      this.#noted();
    }
  }

  #noted(): void {
    const now = performance.now();
    if (now - this.#notes.since > NOTES_MS) this.#notes = { count: 0, since: now };
    if (++this.#notes.count > MAX_NOTES)
      this.#ended(new Error(`it sent more than ${MAX_NOTES} messages that nobody asked for`));
  }

  /** Undefined for a line that is no message. */
  #read(line: string): Message | undefined {
    try {
      return this.#validate(readable(JSON.parse(line)));
    } catch (error) {
      if (error instanceof Error && /^(SyntaxError|\$?ZodError)$/.test(error.name)) return undefined;
      throw error;
    }
  }
}

/** The last line that says something: why a server does not start stands there. */
function lastOf(said: Buffer): string {
  const line = visibleText(stripVTControlCharacters(said.toString())).trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${clip(line, MAX_LINE_SAID, ' ')}`;
}

/** It leads a group of its own; ESRCH: none of it is left, EPERM: macOS says so of one that has ended. */
function killGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}
