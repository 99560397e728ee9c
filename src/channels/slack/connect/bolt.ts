/**
 * Bolt's app as this gateway uses it. Invariant: nothing is acknowledged before `take` has resolved, whereas Bolt on its own
 * acknowledges events before any listener runs; and Bolt is never made to ask who we are (its own `auth.test` would leave
 * events unacknowledged while that call is down). Only what is used is imported: the package's main file brings a web framework.
 */
import type { Receiver } from '@slack/bolt';
import app, { LogLevel } from '@slack/bolt/dist/App.js';
import type { WebClientOptions } from '@slack/web-api';
import type { Logger } from '../../../log.ts';
import { unwrap } from './unwrap.ts';

const BoltApp = unwrap(app);

export type App = InstanceType<typeof BoltApp>;
/** What answers a command at once; undefined for a bare acknowledgement. */
export type Acknowledgement = { response_type: 'ephemeral'; text: string } | { options: [] } | undefined;

export interface BoltOptions {
  botToken: string;
  receiver: Receiver;
  client: WebClientOptions;
  log: Logger;
  /** Rejects when what came could not be stored: it is then not acknowledged, and Slack sends it again. */
  take: (body: unknown) => Promise<Acknowledgement>;
  /** Of a kind that Bolt knows nothing of. */
  onUnknown: () => void;
}

export function createBolt({ botToken, receiver, client, log, take, onUnknown }: BoltOptions): App {
  const bolt = new BoltApp({
    receiver,
    clientOptions: { ...client, headers: { Authorization: `Bearer ${botToken}` } },
    logger: createBoltLog(log),
    authorize: async () => ({ botToken }),
    // Own messages are told apart where events are decoded: Bolt lets edits and deletions of them through.
    ignoreSelf: false,
    convoStore: false,
  });
  const taken = new WeakMap<object, Acknowledgement>();
  bolt.use(async ({ body }) => {
    const acknowledgement = await take(body);
    taken.set(body, acknowledgement);
  });
  bolt.error(async (error) => {
    throw error;
  });
  const dispatch = bolt.processEvent.bind(bolt);
  bolt.processEvent = async (event) => {
    await dispatch({ ...event, ack: async () => undefined });
    if (!taken.has(event.body)) onUnknown();
    await event.ack(taken.get(event.body));
  };
  return bolt;
}

/** The library's own lines; what matters in them is logged where it is handled. */
export function createBoltLog(log: Logger) {
  const write = (...words: unknown[]) => log.debug({ library: 'slack' }, words.map(String).join(' ').slice(0, 500));
  const ignore = () => undefined;
  return {
    // Whole requests and answers stand in these.
    debug: ignore,
    info: ignore,
    warn: write,
    error: write,
    setLevel: ignore,
    setName: ignore,
    getLevel: () => LogLevel.INFO,
  };
}
