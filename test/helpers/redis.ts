/**
 * A Redis server for one test: Debian's program, on a free port, with its data in a temporary folder. If the program
 * isn't installed, those tests are skipped by name; in CI they fail.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { PROGRAM } from './redis-installed.ts';
import { tempFolder } from './temp.ts';

export { hasCopies, hasRedis, WITHOUT_REDIS } from './redis-installed.ts';

export interface RedisServer {
  port: number;
  url: string;
  pid: number;
  /** Kills it with SIGKILL, as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again on the same folder and port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

// biome-ignore format: a list is filled
export const SAFE = [
  '--databases', '64', '--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction', '--save',
  '',
];

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** @param settings to use instead of safe ones */
export async function startRedis(
  settings: readonly string[] = SAFE,
  atEnd: (end: () => Promise<void> | void) => void = onTestFinished,
): Promise<RedisServer> {
  const folder = tempFolder(atEnd);
  const port = await freePort();
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'exit');
    child.kill(signal);
    await over;
  };
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return child?.pid ?? 0;
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    async start() {
      const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no'];
      child = spawn(PROGRAM, [...place, ...settings], { stdio: 'ignore' });
      for (let n = 0; !(await answers(port)); n++) {
        if (n > 200 || child.exitCode !== null) throw new Error('redis-server does not start');
        // It looks now and then.
        await sleep(25);
      }
    },
  };
  atEnd(() => end('SIGKILL'));
  await server.start();
  return server;
}

async function answers(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [reply]: unknown[] = await once(socket, 'data');
    // A server with a password answers this as well.
    return /^(\+PONG|-NOAUTH)/.test(String(reply));
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
