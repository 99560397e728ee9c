/**
 * Holds a message that links to other messages until Slack has added their previews, about a second later, by an edit.
 * Later messages of the same place wait too; a preview that comes too late follows as a separate message. Invariant:
 * every caller learns whether its message is durable, even if its preview became part of another event.
 */
import { createKeyedMutex } from '../../../lib/locks.ts';
import { createLru } from '../../../lib/lru.ts';
import type { InboundMessage, InboundOutcome } from '../../channel.ts';
import type { SlackContext } from '../options.ts';

/** Rejects when the message could not be stored. */
type Accept = (message: InboundMessage) => Promise<InboundOutcome>;

export interface Previews {
  /** Accepts a message once it is complete or has waited long enough. */
  whole(message: InboundMessage, accept: Accept): Promise<InboundOutcome>;
  /** Handles a message with the previews of its links so far. */
  shown(message: InboundMessage, accept: Accept): Promise<void>;
}

interface HeldMessage {
  /** The version with the most previews. */
  newest: InboundMessage;
  accepted: Promise<unknown>;
  release: () => void;
}

const LINK = /https:\/\/[\w.-]+\.slack(?:-gov)?\.com\/archives\/[A-Z0-9]{2,24}\/p\d{16}/g;
const LATE = 'The quote is behind a link in the previous message; Slack has only now shown it.';
const MAX_HELD = 200;
const MAX_ACCEPTED = 2000;

export function createPreviews({ timing, signal }: SlackContext): Previews {
  const held = new Map<string, HeldMessage>();
  /** How many previews an accepted message had. */
  const accepted = createLru<number>(MAX_ACCEPTED);
  const places = createKeyedMutex();

  function mayGrow(message: InboundMessage): boolean {
    const { isDirect, isMention, isThread, kind } = message;
    const isPerhapsOurs = isDirect || isMention || isThread === true;
    const isRepeated = kind !== 'edit' && accepted.has(previewKey(message));
    return isPerhapsOurs && !isRepeated && held.size < MAX_HELD && linksIn(message) > shownIn(message);
  }

  async function hold(message: InboundMessage, accept: Accept): Promise<InboundOutcome> {
    const waited = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<unknown>();
    const release = () => waited.resolve();
    const entry: HeldMessage = { newest: message, accepted: stored.promise, release };
    const key = previewKey(message);
    held.set(key, entry);
    const timer = setTimeout(release, timing.previewMs);
    signal.addEventListener('abort', release, { once: true });
    try {
      if (signal.aborted) release();
      await waited.promise;
      const { quotes, files, facts } = entry.newest;
      const outcome = await accept({ ...message, quotes, files, facts });
      accepted.set(key, shownIn(entry.newest));
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
        await waiting.accepted;
        return;
      }
      const known = accepted.get(key);
      if (known !== undefined && shownIn(message) <= known) return;
      // The change may have overtaken the message, which is then a duplicate when it arrives.
      const outcome = known === undefined ? await accept(message) : 'duplicate';
      if (outcome === 'duplicate') await accept(late(message, known ?? 0));
      accepted.set(key, shownIn(message));
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
