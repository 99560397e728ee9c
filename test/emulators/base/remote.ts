/**
 * Drives an emulator from another process: every function of its control object is available as `POST /control/<name>`
 * with a JSON array of arguments (or one object), or `GET /control/<name>?key=value`. Answers are `{ok: true, result}`
 * or `{ok: false, error}` with status 400.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { type Listener, listen, readText, sendJson } from './http.ts';

/** The same object from another process: every function returns a promise. */
export type Remote<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

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
  const text = await readText(request);
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
  sendJson(response, answer.ok ? 200 : 400, answer);
}

/** A server for control requests only, so that the platform's own port can be down while this one answers. */
export function listenControl(api: object, port = 0): Promise<Listener> {
  return listen((request, response) => handleControl(api, request, response), { port });
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

/** Returns an object whose functions call the emulator at `base`. */
export function remote<T extends object>(base: string): Remote<T> {
  // `then` must stay absent, or awaiting the object would call it.
  const get = (_target: object, name: string | symbol) =>
    typeof name === 'symbol' || name === 'then' ? undefined : (...args: unknown[]) => callControl(base, name, args);
  return new Proxy({}, { get }) as Remote<T>;
}

export interface Spawned {
  /** The address to which the client under test connects. */
  url: string;
  /** The base of the control API. */
  control: string;
  pid: number;
  /** Ends the process and waits until it has ended. */
  kill(): Promise<void>;
}

/** Starts `file` (an emulator) as a separate process. It ends with us, because its standard input is a pipe from us. */
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

/** The main function of every emulator: prints where it listens, and runs until it is told to end. */
export async function serveProcess(started: { url: string }, api: object, controlPort: number): Promise<void> {
  const { url: base } = await listenControl(api, controlPort);
  process.stdout.write(`${JSON.stringify({ url: started.url, control: base, pid: process.pid })}\n`);
  process.on('SIGTERM', () => process.exit(0));
  process.on('SIGINT', () => process.exit(0));
  if (process.argv.includes('--until-stdin-ends')) process.stdin.resume().on('end', () => process.exit(0));
}

/** Returns the value after `--name` on the command line, or the fallback. */
export function argument(name: string, fallback: string): string {
  const at = process.argv.indexOf(`--${name}`);
  return (at === -1 ? undefined : process.argv[at + 1]) ?? fallback;
}

/** Microseconds of CPU time that this process has used. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The control functions, together with the facts of the process. */
export function withProcess<T extends object, P extends object>(control: T, facts: P): T & P {
  return new Proxy(facts, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : Reflect.get(control, name)),
  }) as T & P;
}

interface Changing<M> {
  changesSince(since: number, timeoutMs?: number): Promise<{ seq: number; messages: M[] }>;
  file(id: string): Promise<string>;
}

/** What can't be sent as JSON, for a platform in another process: a condition that is a function, and bytes. */
export function beyondJson<M>(far: Changing<M>) {
  return {
    /** Resolves with the first message that matches, whether it exists already or comes later. */
    async waitFor(fits: (message: M) => boolean, timeoutMs = 60_000): Promise<M> {
      const end = Date.now() + timeoutMs;
      for (let since = 0; ; ) {
        const left = end - Date.now();
        if (left <= 0) throw new Error(`no message that fits within ${timeoutMs} ms`);
        const { seq, messages } = await far.changesSince(since, left);
        const found = messages.find(fits);
        if (found) return found;
        since = seq;
      }
    },
    bytes: async (fileId: string) => Buffer.from(await far.file(fileId), 'base64'),
  };
}

/** Returns a file whose bytes JSON can carry. */
export function portable<F extends { bytes?: Uint8Array; base64?: string }>({ bytes, ...file }: F) {
  return (bytes ? { ...file, base64: Buffer.from(bytes).toString('base64') } : file) as F;
}
