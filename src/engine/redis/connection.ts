/** The connections to the server, and what it is called where people read it: never with its password. */
import { Redis, type RedisOptions } from 'ioredis';
import { addSecret } from '../../log.ts';

/** `host:port` of a `redis://` address. */
export function addressOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? '6379' : port}`;
}

/** In the library's own form of replies. */
type ServerOptions = Omit<RedisOptions, 'replyMapping'>;

/** What its text says of where it is. Registers its password with the log. */
export function partsOf(url: string): ServerOptions {
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

/** A command that waits longer for its reply has lost its connection, whatever the system says of it. */
const SILENT_MS = 5_000;
/** BullMQ waits for as long as 10 seconds in one command. */
const SILENT_WAIT_MS = 15_000;
const CONNECT_MS = 5_000;

export interface Connections {
  /** For scripts. */
  own: Redis;
  /** For BullMQ, which makes those it waits with by itself. */
  bull: Redis;
  /** Only listens. */
  ears: Redis;
  /** Waits for replicas; opened when it is asked something. */
  copies: Redis;
  /** Ends them all at once. */
  cut(): void;
  /** Ends them when what was asked is answered. */
  close(): Promise<void>;
}

/** What is asked while the server is away waits for it, and is asked again where its reply was lost. */
const optionsOf = (url: string, socketTimeout: number): ServerOptions => ({
  ...partsOf(url),
  connectTimeout: CONNECT_MS,
  socketTimeout,
  maxRetriesPerRequest: null,
  keepAlive: 10_000,
  // Done by whoever listens, who hears of a failure.
  autoResubscribe: false,
  retryStrategy: (times) => Math.min(times * 50, 500),
});

export function connect(url: string, onError: (error: unknown) => void): Connections {
  const open = (socketTimeout: number, lazyConnect = false) => {
    const client = new Redis({ ...optionsOf(url, socketTimeout), lazyConnect });
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
      // One that is away has nothing to say any more.
      await Promise.all(all.map((client) => (client.status === 'ready' ? client.quit() : client.disconnect())));
    },
  };
}
