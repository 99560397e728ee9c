/** Starts the programs to measure as users do: in a separate process, from the built files. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createInterface } from 'node:readline';

/** A gateway may take this long to finish its work. */
const END_MS = 30_000;

export interface Started {
  pid: number;
  /** Resolves when the line with `"msg":"ready"` has arrived. */
  ready: Promise<void>;
  exited: Promise<number | null>;
  /** Bytes of resident memory, now and at the peak. */
  memory(): { now: number; peak: number };
  /** Milliseconds of processor time that it has used, in steps of 10. */
  cpu(): number;
  /** Ends it. If it doesn't end by itself it is killed, and this is reported. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Its output on standard error, and its last log lines. */
  output(): string;
}

export interface Target {
  name: string;
  start(): Started;
}

function memoryOf(pid: number): { now: number; peak: number } {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

/** The kernel counts in hundredths of a second. The program's name may contain spaces and ends with a bracket. */
function cpuOf(pid: number): number {
  const [, , , , , , , , , , , user = 0, system = 0] = fs
    .readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number);
  return (user + system) * 10;
}

function started(child: ChildProcess, onLine: (line: string) => void = () => undefined): Started {
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  // Not every caller waits for it.
  ready.promise.catch(() => 'the process ended first');
  const keep = (line: string) => {
    onLine(line);
    lines.push(line);
    if (lines.length > 50) lines.shift();
    if (line.includes('"msg":"ready"')) ready.resolve();
  };
  if (child.stdout) createInterface(child.stdout).on('line', keep);
  if (child.stderr) createInterface(child.stderr).on('line', keep);
  const exited = once(child, 'exit').then(([code]) => {
    ready.reject(new Error(`ended with ${code} before it was ready:\n${lines.join('\n')}`));
    return code as number | null;
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    ready: ready.promise,
    exited,
    memory: () => memoryOf(pid),
    cpu: () => cpuOf(pid),
    async kill(signal = 'SIGTERM') {
      child.kill(signal);
      const late = setTimeout(() => {
        process.stderr.write(`process ${pid} did not end within ${END_MS / 1000} s of ${signal} and is killed\n`);
        child.kill('SIGKILL');
      }, END_MS);
      await exited;
      clearTimeout(late);
    },
    output: () => lines.join('\n'),
  };
}

export interface GatewayOptions {
  home: string;
  token: string;
  apiRoot: string;
  modelUrl: string;
  env?: Record<string, string>;
}

/** Returns a configuration that lets everybody in and uses the given model. */
export function writeConfig({ home, token, apiRoot, modelUrl }: GatewayOptions): string {
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = `${home}/config.yaml`;
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: modelUrl, apiKey: 'none-needed' } },
    channels: {
      telegram: { token, apiRoot, access: { dm: 'open', groups: 'all', chats: ['*'] }, injection: 'followup' },
    },
    limits: { messagesPerMinute: 100_000, runsPerPerson: 32, queue: 100_000 },
    http: { port: 0 },
  };
  fs.writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

export function startProgram(
  args: string[],
  env: Record<string, string> = {},
  onLine?: (line: string) => void,
): Started {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  return started(child, onLine);
}

export function startGateway(options: GatewayOptions, program = 'dist/main.js'): Started {
  return startProgram([program, 'start', '--home', options.home, '--config', writeConfig(options)], options.env);
}

/** @param program the bare bot, or one of the others */
export function startBareBot(
  { token, apiRoot, modelUrl, env }: Omit<GatewayOptions, 'home'>,
  program = 'bench/bare-bot.ts',
): Started {
  const bare = { BARE_TOKEN: token, BARE_API_ROOT: apiRoot, BARE_MODEL_URL: modelUrl };
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  return started(spawn(process.execPath, [program], { stdio, env: { ...process.env, ...bare, ...env } }));
}
