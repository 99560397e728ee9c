/**
 * Creates Bolt's app. Invariant: nothing is acknowledged before `take` has resolved, whereas Bolt by default
 * acknowledges events before any listener runs. Bolt never asks who the bot is, since its own `auth.test` would leave
 * events unacknowledged while that call fails. Only what is used is imported: the package's main file loads a web
 * framework.
 */
import type { Receiver } from '@slack/bolt';
import app from '@slack/bolt/dist/App.js';
import type { Logger } from '../../../log.ts';
import { createLibraryLog } from './api.ts';
import { unwrap } from './unwrap.ts';

const BoltApp = unwrap(app);

/** The immediate answer to a command; undefined for a bare acknowledgement. */
export type Acknowledgement = { response_type: 'ephemeral'; text: string } | { options: [] } | undefined;

export interface BoltOptions {
  botToken: string;
  receiver: Receiver;
  log: Logger;
  /** Rejects when the event could not be stored; it is not acknowledged then, and Slack sends it again. */
  take: (body: unknown) => Promise<Acknowledgement>;
  /** Called for an event of a kind that Bolt doesn't know. */
  onUnknown: () => void;
}

/** Makes the receiver pass events on. */
export function startBolt({ botToken, receiver, log, take, onUnknown }: BoltOptions): void {
  const bolt = new BoltApp({
    receiver,
    logger: createLibraryLog(log),
    authorize: async () => ({ botToken }),
    // Own messages are filtered in decoding, because Bolt lets edits and deletions of them through.
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
}
