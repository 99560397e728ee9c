/**
 * A server of tools as a process of ours, one JSON message a line. Not the transport of the library: that one takes each note, each
 * stray line and each late answer for a failure, gathers a message without bound in quadratic time, and ends one process only.
 * Here what is no message is passed over, what is too much ends the server, and it ends with all that it started.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { MCPTransport } from '@ai-sdk/mcp';
import { errorCode } from '../../../errors.ts';
import { clip, visibleText } from '../../context/turn.ts';

export interface StdioOptions {
  command: string;
  args: readonly string[];
  /** What it is given beside the few variables that every program needs. */
  env: Readonly<Record<string, string>>;
  /** A message that wants no answer. */
  onNote(method: string): void;
  /** It has ended, and not because it was closed. Called once. */
  onEnd(why: Error): void;
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

export async function openStdio(options: StdioOptions): Promise<MCPTransport> {
  const { validateJSONRPCMessage } = await import('@ai-sdk/mcp');
  let child: ChildProcess | undefined;
  let isClosed = false;
  let parts: Buffer[] = [];
  let length = 0;
  let notes = { count: 0, since: 0 };
  /** The end of what it wrote for people. */
  let said: Buffer = Buffer.alloc(0);

  function ended(why: Error): void {
    if (isClosed) return;
    isClosed = true;
    void kill();
    options.onEnd(why);
    transport.onclose?.();
  }

  /** Resolves once the process has ended, or has been given up. */
  async function kill(): Promise<void> {
    const running = child;
    parts = [];
    if (!running?.pid || running.exitCode !== null || running.signalCode !== null) {
      killGroup(running, 'SIGKILL');
      return;
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
    running.stdout?.destroy();
    running.stderr?.destroy();
  }

  function onData(chunk: Buffer): void {
    for (let rest = chunk; !isClosed; ) {
      const end = rest.indexOf(10);
      const part = end < 0 ? rest : rest.subarray(0, end);
      length += part.length;
      if (length > MAX_LINE) {
        ended(new Error(`it sent a message larger than ${MAX_LINE / 1024 / 1024} MB`));
        return;
      }
      parts.push(part);
      if (end < 0) return;
      const line = Buffer.concat(parts).toString();
      parts = [];
      length = 0;
      onLine(line);
      rest = rest.subarray(end + 1);
    }
  }

  function onLine(line: string): void {
    const message = read(line);
    if (message === undefined) {
      noted();
      return;
    }
    if ('method' in message && !('id' in message)) {
      options.onNote(message.method);
      noted();
      return;
    }
    try {
      transport.onmessage?.(message);
    } catch (error) {
      // The client throws for an answer that nobody waits for any more.
      if (!(error instanceof Error && error.message.startsWith('Protocol error'))) throw error;
      noted();
    }
  }

  function noted(): void {
    const now = performance.now();
    if (now - notes.since > NOTES_MS) notes = { count: 0, since: now };
    if (++notes.count > MAX_NOTES) ended(new Error(`it sent more than ${MAX_NOTES} messages that nobody asked for`));
  }

  /** Undefined for a line that is no message. */
  function read(line: string): Message | undefined {
    try {
      return validateJSONRPCMessage(JSON.parse(line));
    } catch (error) {
      if (error instanceof Error && /^(SyntaxError|\$?ZodError)$/.test(error.name)) return undefined;
      throw error;
    }
  }

  const transport: MCPTransport = {
    supportsProtocolVersionDiscovery: true,
    async start() {
      const inherited = INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
      const env = { ...Object.fromEntries(inherited), ...options.env };
      const running = spawn(options.command, options.args, { env, stdio: 'pipe', detached: true });
      child = running;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      running.once('spawn', resolve);
      running.on('error', (error) => {
        reject(error);
        ended(error);
      });
      running.stderr?.on('error', ended).on('data', (chunk: Buffer) => {
        said = Buffer.concat([said, chunk.subarray(-MAX_SAID)]).subarray(-MAX_SAID);
      });
      running.once('exit', (code, signal) => {
        // What it said last is read before its end is told.
        setImmediate(() => ended(new Error(`it has ended (${signal ?? code})${lastOf(said)}`)));
      });
      // What cannot be written any more is a server that has ended, which is told by its end.
      running.stdin?.on('error', () => undefined);
      running.stdout?.on('error', ended).on('data', onData);
      await promise;
    },
    async send(message) {
      const { stdin } = child ?? {};
      if (isClosed || !stdin?.writable) throw new Error('The connection is closed.');
      if (!stdin.write(`${JSON.stringify(message)}\n`)) {
        const { promise, resolve } = Promise.withResolvers<void>();
        stdin.once('drain', resolve).once('close', resolve);
        await promise;
      }
    },
    async close() {
      isClosed = true;
      await kill();
    },
  };
  return transport;
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
