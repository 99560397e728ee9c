/** Opens the connections to the server, and names it for people: never with its password. */
import { Redis, type RedisOptions } from 'ioredis';
import { addSecret } from '../../log.ts';

/** Returns `host:port` of a `redis://` address. */
export function hostAndPort(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? '6379' : port}`;
}

/** Options that keep the library's own form of replies. */
type ServerOptions = Omit<RedisOptions, 'replyMapping'>;

/** Parses the server's address into options. Registers its password with the log. */
export function parseServerUrl(url: string): ServerOptions {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  addSecret(decodeURIComponent(password));
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 6379 : Number(port),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(/^\/\d+$/.test(pathname) ? { db: Number(pathname.slice(1)) } : {}),
    ...(protocol === 'rediss:' ? { tls: { servername: hostname } } : {}),
  };
}

/** A command without a reply for this long lost its connection, whatever the system reports. */
const SILENT_MS = 5_000;
/** BullMQ blocks for up to 10 seconds in one command. */
const SILENT_WAIT_MS = 15_000;
const CONNECT_MS = 5_000;

export interface Connections {
  /** Runs scripts. */
  own: Redis;
  /** Serves BullMQ, which opens its blocking connections itself. */
  bull: Redis;
  /** Only subscribes. */
  ears: Redis;
  /** Waits for replicas; opened on first use. */
  copies: Redis;
  /** Ends them all at once. */
  cut(): void;
  /** Ends them after pending replies. */
  close(): Promise<void>;
}

/** Commands sent while the server is away wait for it, and are sent again if their reply was lost. */
const connectionOptions = (url: string, socketTimeout: number): ServerOptions => ({
  ...parseServerUrl(url),
  connectTimeout: CONNECT_MS,
  socketTimeout,
  maxRetriesPerRequest: null,
  keepAlive: 10_000,
  // The subscriber does it itself, to get failures.
  autoResubscribe: false,
  retryStrategy: (times) => Math.min(times * 50, 500),
});

export function connectRedis(url: string, onError: (error: unknown) => void): Connections {
  const open = (socketTimeout: number, lazyConnect = false) => {
    const client = new Redis({ ...connectionOptions(url, socketTimeout), lazyConnect });
    client.on('error', onError);
    return client;
  };
  const [own, bull, ears] = [open(SILENT_MS), open(SILENT_WAIT_MS), open(SILENT_MS)];
  const copies = open(SILENT_MS, true);
  const all = [own, bull, ears, copies];
  return {
    own,
    bull,
    ears,
    copies,
    cut: () => {
      for (const client of all) client.disconnect();
    },
    async close() {
      // A connection that is away has nothing pending.
      await Promise.all(all.map((client) => (client.status === 'ready' ? client.quit() : client.disconnect())));
    },
  };
}
