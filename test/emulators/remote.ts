/**
 * Driving an emulator from another process: every function of its control object is reachable as
 * `POST /control/<name>` with a JSON array of arguments (or one object), or `GET /control/<name>?key=value`.
 * Answers are `{ok: true, result}` or `{ok: false, error}` with status 400.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/** The same object seen from another process: every function answers with a promise. */
export type Remote<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

/** Hands on the body piece by piece and resolves at its end. Rejects when the client goes away or `take` throws. */
export function eachChunk(request: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  // Listeners cost a third of what an async iterator does, which counts when a benchmark runs against us.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        reject(error);
      }
    });
    request.on('end', resolve);
    request.on('error', reject);
  });
}

/** The whole body of a request as one buffer. Rejects when the client goes away. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await eachChunk(request, (chunk) => void chunks.push(chunk));
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function queryArguments(url: URL): unknown[] {
  if (url.searchParams.size === 0) return [];
  const values = [...url.searchParams].map(([key, value]) => [key, /^-?\d+$/.test(value) ? Number(value) : value]);
  return [Object.fromEntries(values)];
}

async function control(api: object, request: IncomingMessage, url: URL): Promise<unknown> {
  const name = url.pathname.slice('/control/'.length);
  const method: unknown = Object.hasOwn(api, name) ? Reflect.get(api, name) : undefined;
  if (typeof method !== 'function') throw new Error(`no control named "${name}"`);
  if (request.method === 'GET') return method(...queryArguments(url));
  const text = (await readBody(request)).toString();
  const body: unknown = text === '' ? [] : JSON.parse(text);
  return Array.isArray(body) ? method(...body) : method(body);
}

/** Answers one control request; never rejects. */
export async function handleControl(api: object, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://control');
  const answer = await control(api, request, url).then(
    (result) => ({ ok: true, result: result ?? null }),
    (error: unknown) => ({ ok: false, error: error instanceof Error ? error.message : String(error) }),
  );
  response.writeHead(answer.ok ? 200 : 400, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
}

/** A server for control requests alone, so that the platform's own port may go down while this one answers. */
export async function listenControl(api: object, port = 0): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => void handleControl(api, request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${portOf(server)}`, server };
}

/** The port of a listening server. */
export function portOf(server: Server): number {
  const address = server.address() as AddressInfo | null;
  if (!address) throw new Error('the server does not listen');
  return address.port;
}

/** Calls one control function of an emulator in another process. */
export async function callControl(base: string, name: string, args: unknown[], signal?: AbortSignal): Promise<unknown> {
  const response = await fetch(`${base}/control/${name}`, {
    method: 'POST',
    body: JSON.stringify(args),
    signal: signal ?? null,
  });
  const answer = (await response.json()) as { ok: boolean; result?: unknown; error?: string };
  if (!answer.ok) throw new Error(`${name}: ${answer.error}`);
  return answer.result ?? undefined;
}

/** A stand-in whose functions call the emulator at `base`. */
export function remote<T extends object>(base: string): Remote<T> {
  // `then` must stay absent, or awaiting the stand-in would call it.
  const get = (_target: object, name: string | symbol) =>
    typeof name === 'symbol' || name === 'then' ? undefined : (...args: unknown[]) => callControl(base, name, args);
  return new Proxy({}, { get }) as Remote<T>;
}

export interface Spawned {
  /** Where the client under test connects. */
  url: string;
  /** Base of the control API. */
  control: string;
  pid: number;
  /** Ends the process and waits for its end. */
  kill(): Promise<void>;
}

/** Starts `file` (an emulator) as its own process. It ends with us: its standard input is our end of a pipe. */
export async function spawnEmulator(file: string, args: string[]): Promise<Spawned> {
  const child = spawn(process.execPath, [file, '--until-stdin-ends', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`${file} ended with ${code} before it listened`)));
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), failed])) as [string];
  failed.catch(() => 'ended after it listened, as asked');
  const { url, control: base } = JSON.parse(line) as { url: string; control: string };
  const kill = async () => {
    child.kill();
    await exited;
  };
  return { url, control: base, pid: child.pid ?? 0, kill };
}

/** What an emulator's own main does: prints where it listens and stays until it is told to end. */
export async function serveProcess(started: { url: string }, api: object, controlPort: number): Promise<void> {
  const { url: base } = await listenControl(api, controlPort);
  process.stdout.write(`${JSON.stringify({ url: started.url, control: base, pid: process.pid })}\n`);
  process.on('SIGTERM', () => process.exit(0));
  process.on('SIGINT', () => process.exit(0));
  if (process.argv.includes('--until-stdin-ends')) process.stdin.resume().on('end', () => process.exit(0));
}

/** The value after `--name` on the command line, or the fallback. */
export function argument(name: string, fallback: string): string {
  const at = process.argv.indexOf(`--${name}`);
  return (at === -1 ? undefined : process.argv[at + 1]) ?? fallback;
}
