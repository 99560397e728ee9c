/**
 * Runs an MCP server as a child process, one JSON message per line. Replaces the library's transport, which treats each
 * notification, stray line and late answer as a failure, collects a message without limit in quadratic time, and ends
 * only one process. This one ignores lines that aren't messages, ends a server that sends too much, and ends everything
 * that the server started.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import type { MCPTransport } from '@ai-sdk/mcp';
import { errorCode } from '../../errors.ts';
import { firstToGo, memoryLimitMb, watchMemory } from '../../lib/memory-watch.ts';
import { killMarked } from '../../lib/process-mark.ts';
import { clip, visibleText } from '../../runtime/context/turn.ts';
import { Inbox, MAX_MESSAGE, type Message } from './inbox.ts';

export interface StdioOptions {
  command: string;
  args: readonly string[];
  cwd?: string;
  /** Variables for the program, besides the few that every program needs. */
  env: Readonly<Record<string, string>>;
  /**
   * The limit for all its processes together, in MB; 4 GiB by default, and never more than half of the machine's
   * memory.
   */
  memoryMb?: number;
  /** Called for a message without an answer. */
  onNote(method: string): void;
  /** Called once, if the server ends without having been closed. */
  onEnd(why: Error): void;
}

/** Thrown when the program has ended by itself. */
class EndedError extends Error {
  override name = 'EndedError';
}

/** Thrown when nothing of the message has reached the program. */
class UnsentError extends Error {
  override name = 'UnsentError';
}

const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
/** Limits on the program's messages for people: bytes to keep, then characters to show. */
const MAX_SAID = 4_096;
const MAX_LINE_SAID = 200;
/** The time between asking the program to end and killing it, in ms. */
const GRACE_MS = 500;
/** Enough for a browser. */
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
  readonly #inbox: Inbox;
  #child: ChildProcess | undefined;
  #isClosed = false;
  #parts: Buffer[] = [];
  #length = 0;
  /** A unique mark in the environment of the program and of everything that it starts. */
  readonly #marker = randomUUID();
  #unwatch: () => void = () => undefined;
  /** The latest part of the program's messages for people. */
  #said: Buffer = Buffer.alloc(0);

  constructor(options: StdioOptions, validate: (value: unknown) => Message) {
    this.#options = options;
    this.#inbox = new Inbox({
      validate,
      onNote: options.onNote,
      onMessage: (message) => this.onmessage?.(message),
      onFlood: (why) => this.#ended(why),
    });
  }

  async start(): Promise<void> {
    const { command, args, cwd, env: own } = this.#options;
    const inherited = INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
    const env = { ...Object.fromEntries(inherited), ...own, OPENVIBER_SERVER: this.#marker };
    const running = spawn(command, args, { env, cwd, stdio: 'pipe', detached: true });
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
      // Its last output is read before its end is reported.
      setImmediate(() => ended(new EndedError(`it has ended (${signal ?? code})${lastOf(this.#said)}`)));
    });
    // A failed write means that the server has ended, which its end reports.
    running.stdin?.on('error', () => undefined);
    running.stdout?.on('error', ended).on('data', (chunk: Buffer) => this.#onData(chunk));
    await promise;
  }

  #boundMemory(pid: number | undefined): void {
    if (pid === undefined) return;
    this.#unwatch = watchMemory({
      pid,
      mark: { text: this.#marker },
      limitMb: memoryLimitMb(this.#options.memoryMb ?? MEMORY_MB),
      isServer: true,
      onOver: (used) => this.#ended(new Error(`it ${used} and was stopped`)),
    });
    firstToGo(pid);
  }

  async send(message: Message): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (this.#isClosed || !stdin?.writable) throw new UnsentError('The connection is closed.');
    if (!stdin.write(`${JSON.stringify(this.#inbox.tokens.ask(message))}\n`)) {
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

  /** Resolves once the process has ended, or is abandoned. */
  async #kill(): Promise<void> {
    const running = this.#child;
    this.#parts = [];
    if (!running?.pid || running.exitCode !== null || running.signalCode !== null) {
      killGroup(running, 'SIGKILL');
      return killMarked({ text: this.#marker });
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
    // Its child processes may have missed or ignored the signal.
    killGroup(running, 'SIGKILL');
    // They may also have left its process group.
    await killMarked({ text: this.#marker });
    running.stdout?.destroy();
    running.stderr?.destroy();
  }

  #onData(chunk: Buffer): void {
    for (let rest = chunk; !this.#isClosed; ) {
      const end = rest.indexOf(10);
      const part = end < 0 ? rest : rest.subarray(0, end);
      this.#length += part.length;
      if (this.#length > MAX_MESSAGE) {
        this.#ended(new Error(`it sent a message larger than ${MAX_MESSAGE / 1024 / 1024} MB`));
        return;
      }
      this.#parts.push(part);
      if (end < 0) return;
      const line = Buffer.concat(this.#parts).toString();
      this.#parts = [];
      this.#length = 0;
      this.#inbox.take(line);
      rest = rest.subarray(end + 1);
    }
  }
}

/** Python ends with it; Node prints the stack and its own version below it. */
const CAUSE = /^(\w+\.)*\w*(Error|Exception)\b/;

/** Returns the last error, or else the last line, which usually says why a server doesn't start. */
function lastOf(said: Buffer): string {
  const lines = visibleText(stripVTControlCharacters(said.toString())).trim().split('\n');
  const line = (lines.findLast((each) => CAUSE.test(each)) ?? lines.at(-1) ?? '').trim();
  return line === '' ? '' : `: ${clip(line, MAX_LINE_SAID, ' ')}`;
}

/**
 * Signals the process group that the child leads. ESRCH: no process of it is left; EPERM: macOS reports this for an
 * ended one.
 */
function killGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}
