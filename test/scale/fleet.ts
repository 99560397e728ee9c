/** Several gateways on one home and one server of Redis, in this process or each in one of its own, between the emulated platforms. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { type App, startApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { type Llm, startLlm } from '../emulators/llm.ts';
import { PROGRAM } from '../helpers/program.ts';
import { type RedisServer, startRedis } from '../helpers/redis.ts';
import { tempFolder } from '../helpers/temp.ts';
import type { Platform } from '../platforms/platform.ts';
import { PLATFORMS, type PlatformName } from '../platforms/world.ts';

export type Role = 'ingress' | 'work' | 'deliver';

export interface Node {
  /** Undefined where it is a process of its own. */
  app?: App;
  child?: ChildProcess;
  port: number;
  logs: Record<string, unknown>[];
  stop(): Promise<void>;
  /** A signal to its process. */
  signal(signal: NodeJS.Signals): Promise<void>;
}

export interface FleetOptions {
  /** One unless told, Telegram. */
  on?: readonly PlatformName[];
  engine?: Record<string, unknown>;
  config?: Record<string, unknown>;
  /** What is known of the platforms once they are there. */
  configOf?: (platforms: readonly Platform[]) => Record<string, unknown>;
  channel?: Record<string, unknown>;
  /** Where Redis is reached, for those between whom and it something stands. */
  redis?: RedisServer;
}

export interface StartOptions {
  process?: boolean;
  url?: string;
  /** Settings of the engine in the place of the usual ones. */
  engine?: Record<string, unknown>;
  env?: Record<string, string>;
  /** Its process ids, its host's name and its mounts are its own, as on another machine: only the home is shared, by another path. */
  machine?: string;
}

export interface Fleet {
  platforms: Platform[];
  llm: Llm;
  home: string;
  redis: RedisServer;
  env: Record<string, string>;
  /** Starts one more; here unless `process`. */
  start(roles: readonly Role[], how?: StartOptions): Promise<Node>;
}

export async function openFleet(options: FleetOptions = {}): Promise<Fleet> {
  const redis = options.redis ?? (await startRedis());
  const llm = await startLlm();
  const home = tempFolder();
  const run = tempFolder();
  const names = options.on ?? (['telegram'] as const);
  const platforms: Platform[] = await Promise.all(names.map((name) => PLATFORMS[name]()));
  // biome-ignore format: a row is a line
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'sk-test-model-key-123' } },
    channels: Object.fromEntries(platforms.map(({ name, section }) => [name, { ...section, live: 'off', injection: 'followup', ...options.channel }])),
    people: [{ name: 'alex', role: 'owner', ids: platforms.map((platform) => platform.identity('alex')) }],
    limits: { freeBytes: 0, messagesPerMinute: 1000 },
    http: { port: 0 },
    log: { level: 'debug' },
    ...options.config,
    ...options.configOf?.(platforms),
  };
  const env = { XDG_RUNTIME_DIR: run };
  const nodes: Node[] = [];
  let count = 0;
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => (node.child ? node.signal('SIGKILL') : node.stop())));
    await Promise.all([...platforms.map((platform) => platform.close()), llm.close()]);
  });
  return {
    ...{ platforms, llm, home, redis, env },
    async start(roles, how = {}) {
      const file = path.join(home, `config-${++count}.json`);
      const engine = { kind: 'redis', url: how.url ?? redis.url, roles, ...options.engine, ...how.engine };
      fs.writeFileSync(file, JSON.stringify({ ...config, engine }));
      const own = { ...env, ...how.env };
      const isProcess = how.process || how.machine !== undefined;
      const node = isProcess ? await startProcess(home, file, own, how.machine) : await startHere(home, file, own);
      nodes.push(node);
      return node;
    },
  };
}

async function startHere(home: string, file: string, env: Record<string, string>): Promise<Node> {
  const logs: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', pretty: false, write: (line) => void logs.push(JSON.parse(line)) });
  const { config } = await loadConfig({ home, file, env });
  const app = await startApp({ config, homeRoot: home, log, env, terminal: false });
  await app.connected;
  const stop = () => app.stop();
  return { app, port: app.port ?? 0, logs, stop, signal: stop };
}

/** What a machine sees of the home: where it is mounted there. The rest of its folders are empty. */
const MACHINE = `hostname "$1" && mount --bind "$2" "$3" && mount -t tmpfs none "$2" && mount -t tmpfs none "$XDG_RUNTIME_DIR" && shift 3 && exec "$@"`;
const APART = ['--mount', '--uts', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'];

/** Why those tests are left out; '' where they run. */
export const WITHOUT_MACHINES =
  spawnSync('unshare', [...APART, 'true'], { stdio: 'ignore' }).status === 0 ? '' : ' (skipped: no namespaces here)';

function commandOf(home: string, file: string, machine: string | undefined): [string, string[]] {
  const start = (root: string) => [PROGRAM, 'start', '--home', root, '--config', path.join(root, path.basename(file))];
  if (machine === undefined) return [process.execPath, start(home)];
  const mounted = tempFolder();
  return [
    'unshare',
    [...APART, 'sh', '-c', MACHINE, 'sh', machine, home, mounted, process.execPath, ...start(mounted)],
  ];
}

async function startProcess(home: string, file: string, env: Record<string, string>, machine?: string): Promise<Node> {
  const [command, args] = commandOf(home, file, machine);
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  const logs: Record<string, unknown>[] = [];
  const told: string[] = [];
  const ready = Promise.withResolvers<number>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      told.push(line);
      if (!line.startsWith('{')) return;
      const said = JSON.parse(line) as Record<string, unknown>;
      logs.push(said);
      if (said.msg === 'ready') ready.resolve(Number(said.port));
    });
  const port = await Promise.race([
    ready.promise,
    exited.then(() => {
      throw new Error(`the gateway ended:\n${told.slice(-20).join('\n')}`);
    }),
  ]);
  const signal = async (name: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(name);
    if (name === 'SIGKILL' || name === 'SIGTERM') await exited;
  };
  return { child, port, logs, stop: () => signal('SIGTERM'), signal };
}
