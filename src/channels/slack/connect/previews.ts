/**
 * Holds messages with links to other messages until Slack shows those below them, which takes about a second and
 * arrives as a change of the message. Later messages of the same place wait too; a preview that comes too late follows
 * as a message of its own. Invariant: every caller learns whether its message is durable, even if its preview became
 * part of another event.
 */
import { createKeyedMutex } from '../../../lib/locks.ts';
import { createLru } from '../../../lib/lru.ts';
import type { InboundMessage, InboundOutcome } from '../../channel.ts';

/** Rejects when the message could not be stored. */
type Accept = (message: InboundMessage) => Promise<InboundOutcome>;

export interface Previews {
  /** Accepts a message once it is complete or has waited long enough. */
  whole(message: InboundMessage, accept: Accept): Promise<InboundOutcome>;
  /** Handles a message with the previews of its links so far. */
  shown(message: InboundMessage, accept: Accept): Promise<void>;
}

export interface PreviewsOptions {
  /** How long a message is held, in ms; Slack repeats what isn't acknowledged within three seconds. */
  waitMs: number;
  /** Aborts when the channel is disconnected. */
  signal: AbortSignal;
}

interface HeldMessage {
  /** The version with the most previews. */
  newest: InboundMessage;
  taken: Promise<unknown>;
  release: () => void;
}

const LINK = /https:\/\/[\w.-]+\.slack(?:-gov)?\.com\/archives\/[A-Z0-9]{2,24}\/p\d{16}/g;
const LATE = 'What is quoted stands behind a link in the message before; Slack showed it only now.';
const MAX_HELD = 200;
const MAX_TAKEN = 2000;

export function createPreviews({ waitMs, signal }: PreviewsOptions): Previews {
  const held = new Map<string, HeldMessage>();
  /** How many previews an accepted message had. */
  const taken = createLru<number>(MAX_TAKEN);
  const places = createKeyedMutex();

  function mayGrow(message: InboundMessage): boolean {
    const { isDirect, isMention, isThread, kind } = message;
    const isPerhapsOurs = isDirect || isMention || isThread === true;
    const isRepeated = kind !== 'edit' && taken.has(previewKey(message));
    return isPerhapsOurs && !isRepeated && held.size < MAX_HELD && linksIn(message) > shownIn(message);
  }

  async function hold(message: InboundMessage, accept: Accept): Promise<InboundOutcome> {
    const waited = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<unknown>();
    const release = () => waited.resolve();
    const entry: HeldMessage = { newest: message, taken: stored.promise, release };
    const key = previewKey(message);
    held.set(key, entry);
    const timer = setTimeout(release, waitMs);
    signal.addEventListener('abort', release, { once: true });
    try {
      if (signal.aborted) release();
      await waited.promise;
      const { quotes, files, facts } = entry.newest;
      const outcome = await accept({ ...message, quotes, files, facts });
      taken.set(key, shownIn(entry.newest));
      stored.resolve(undefined);
      return outcome;
    } catch (error) {
      // A caller that waits for this with a preview gets the error as well; there may be none.
      stored.promise.catch(() => undefined);
      stored.reject(error);
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', release);
      held.delete(key);
    }
  }

  return {
    async whole(message, accept) {
      const place = JSON.stringify([message.address.chat, message.address.thread]);
      for (let ahead = places.pending(place); ahead; ahead = places.pending(place)) await ahead;
      return mayGrow(message) ? places.run(place, () => hold(message, accept)) : accept(message);
    },

    async shown(message, accept) {
      const key = previewKey(message);
      const waiting = held.get(key);
      if (waiting) {
        if (shownIn(message) > shownIn(waiting.newest)) waiting.newest = message;
        if (shownIn(message) >= linksIn(message)) waiting.release();
        await waiting.taken;
        return;
      }
      const known = taken.get(key);
      if (known !== undefined && shownIn(message) <= known) return;
      // The change may have overtaken the message, which is then a duplicate when it arrives.
      const outcome = known === undefined ? await accept(message) : 'duplicate';
      if (outcome === 'duplicate') await accept(late(message, known ?? 0));
      taken.set(key, shownIn(message));
    },
  };
}

const previewKey = ({ address, messageId }: InboundMessage): string => `${address.chat} ${messageId}`;
const linksIn = ({ text }: InboundMessage): number => new Set(text.match(LINK) ?? []).size;
const shownIn = ({ quotes }: InboundMessage): number => quotes.filter(({ kind }) => kind === 'quote').length;

/** Returns the new previews as a message, without the sender's text, which was accepted before. */
function late(message: InboundMessage, known: number): InboundMessage {
  const { command: _command, sequence: _sequence, files: _files, ...rest } = message;
  const quotes = message.quotes.filter(({ kind }) => kind === 'quote').slice(known);
  return {
    ...rest,
    id: `p:${message.messageId}:${shownIn(message)}`,
    kind: 'message',
    text: '',
    files: [],
    facts: [LATE],
    quotes,
  };
}
