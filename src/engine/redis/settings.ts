/**
 * Checks whether a server keeps its data, at the start and in the doctor. Each problem names the setting and its fix.
 */
import { Redis } from 'ioredis';
import { ConfigError, type ConfigProblem, errorMessage } from '../../errors.ts';
import { hostAndPort, parseServerUrl } from './connection.ts';

const SETTINGS = {
  appendonly: { want: 'yes', why: 'what was accepted would be lost with the server' },
  appendfsync: { want: 'always', why: 'the newest messages would be lost in a power cut' },
  'maxmemory-policy': { want: 'noeviction', why: 'messages would be thrown away when memory is short' },
} as const;

const LEAST = [7, 0];
const LEAST_FOR_REPLICAS = [7, 2];
const ANSWER_MS = 5_000;

export interface ServerCheck {
  url: string;
  replicas: number;
  /** Whether scripts can reach the server: it must then require a password. */
  reachedByScripts?: boolean;
}

/**
 * Returns one sentence for each thing that is right.
 * @throws ConfigError with everything that is wrong
 */
export async function checkServer({ url, replicas, reachedByScripts = false }: ServerCheck): Promise<string[]> {
  const address = hostAndPort(url);
  const client = new Redis({
    ...parseServerUrl(url),
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: unknown;
  client.on('error', (error) => {
    reason = error;
  });
  try {
    await client.connect();
    const version = versionIn(await client.info('server'));
    const wrong = [...oldVersion(version, replicas), ...(await unsafeSettings(client, address))];
    if (reachedByScripts && (await isOpen(url))) wrong.push(openProblem(address));
    if (wrong.length > 0) throw new ConfigError(wrong);
    return [`the server at ${address} (version ${version}) keeps its data safely`];
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const message = `the server at ${address} cannot be used: ${errorMessage(reason ?? error)}`;
    throw new ConfigError([{ path: 'engine.url', message }], { cause: error });
  } finally {
    client.disconnect();
  }
}

/**
 * Returns whether the server accepts connections without a password, even if our address has one: a password it doesn't
 * require protects nothing.
 */
async function isOpen(url: string): Promise<boolean> {
  const { username: _, password: __, ...stranger } = parseServerUrl(url);
  const client = new Redis({
    ...stranger,
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    // The check would be refused and retried.
    enableReadyCheck: false,
  });
  let reason: unknown;
  client.on('error', (error) => {
    reason = error;
  });
  try {
    await client.connect();
    await client.get('viber');
    return true;
  } catch (error) {
    // The handshake is already refused, and the library reports that only on the connection.
    if (/NOAUTH|NOPERM|DENIED|WRONGPASS/.test(errorMessage(reason ?? error))) return false;
    throw error;
  } finally {
    client.disconnect();
  }
}

function openProblem(address: string): ConfigProblem {
  const why = `accepts connections without a password, and scripts of this gateway can reach it, so each of them could act as the gateway`;
  const fix = `run "CONFIG SET requirepass ..." there, put the line into its redis.conf, write redis://:PASSWORD@HOST:PORT here, and let scripts run in a sandbox (install bubblewrap)`;
  return { path: 'engine.url', message: `the server at ${address} ${why}: ${fix}` };
}

/** Valkey reports the Redis version it is compatible with. */
const versionIn = (info: string): string => /^redis_version:(\S+)/m.exec(info)?.[1] ?? '0';

function oldVersion(version: string, replicas: number): ConfigProblem[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isBelow = ([a = 0, b = 0]: readonly number[]) => major < a || (major === a && minor < b);
  if (isBelow(LEAST))
    return [{ path: 'engine.url', message: `the server has version ${version}; at least 7.0 is needed` }];
  if (replicas === 0 || !isBelow(LEAST_FOR_REPLICAS)) return [];
  const message = `needs WAITAOF, which a server has from version 7.2 on; this one has ${version}. Set it to 0, or use a newer server`;
  return [{ path: 'engine.replicas', message }];
}

async function unsafeSettings(client: Redis, address: string): Promise<ConfigProblem[]> {
  const found: ConfigProblem[] = [];
  for (const [name, { want, why }] of Object.entries(SETTINGS)) {
    const value = await settingOf(client, name);
    if (value === want) continue;
    const is = value === undefined ? 'cannot be read' : `is ${value}`;
    const fix = `run "CONFIG SET ${name} ${want}" there, and put "${name} ${want}" into its redis.conf`;
    found.push({ path: 'engine.url', message: `${name} of the server at ${address} ${is}: ${why}; ${fix}` });
  }
  return found;
}

async function settingOf(client: Redis, name: string): Promise<string | undefined> {
  const pair: unknown = await client.config('GET', name);
  const [, value]: unknown[] = Array.isArray(pair) ? pair : [];
  return typeof value === 'string' ? value : undefined;
}
