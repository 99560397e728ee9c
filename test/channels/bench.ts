/** What the benches of all adapters share: what an adapter hands over is written down, and what it sends is remembered. */
import fs from 'node:fs';
import path from 'node:path';
import type {
  Attachment,
  ChannelCallbacks,
  InboundMessage,
  InboundOutcome,
  OutboundMessage,
  PartAttempt,
  PartLedger,
  Suggestion,
  SuggestQuery,
} from '../../src/channels/channel.ts';
import { DeliveryError } from '../../src/errors.ts';
import { eventually } from '../helpers/eventually.ts';
import { tempFolder } from '../helpers/temp.ts';

type Store = (message: InboundMessage) => Promise<InboundOutcome>;

export interface Heard {
  /** What was handed over, in order. */
  got: { message: InboundMessage; raw: unknown }[];
  texts(): string[];
  dropped: string[];
  asked: SuggestQuery[];
  states: string[];
  /** Replaces what `onMessage` does after writing down; may reject. */
  storing(action: Store): void;
  suggesting(action: (query: SuggestQuery) => Promise<Suggestion[]>): void;
  /** The next message handed over that fits. */
  takes(fits: (message: InboundMessage) => boolean): Promise<InboundMessage>;
}

/** Returns what an adapter is connected with. `state` is its state when that changes. */
export function hear(state: () => string): { heard: Heard; callbacks: ChannelCallbacks } {
  let store: Store = async ({ command, button, interaction }) =>
    interaction === undefined || command || button ? 'accepted' : 'begun';
  let suggest: (query: SuggestQuery) => Promise<Suggestion[]> = async () => [];
  const heard: Heard = {
    ...{ got: [], dropped: [], asked: [], states: [] },
    texts: () => heard.got.map(({ message }) => message.text),
    storing: (action) => {
      store = action;
    },
    suggesting: (action) => {
      suggest = action;
    },
    async takes(fits) {
      const found = () => heard.got.find(({ message }) => fits(message))?.message;
      await eventually(() => found() !== undefined, fits.toString());
      return found() as InboundMessage;
    },
  };
  const callbacks: ChannelCallbacks = {
    onMessage: (message, raw) => {
      heard.got.push({ message, raw });
      return store(message);
    },
    onInterrupt: async () => undefined,
    onSuggest: (query) => {
      heard.asked.push(query);
      return suggest(query);
    },
    onDropped: (kind) => void heard.dropped.push(kind),
    onStatus: () => void heard.states.push(state()),
  };
  return { heard, callbacks };
}

export interface TestLedger extends PartLedger {
  sent: Map<number, string>;
  /** The parts that were posted, in order. */
  calls: number[];
  attempts: PartAttempt[];
  /** Since when it isn't known whether a part was sent. */
  unsure: Map<number, number>;
}

/** A ledger that remembers as the real one does. */
export function createLedger(key = 'out'): TestLedger {
  const ledger: TestLedger = {
    ...{ sent: new Map(), calls: [], attempts: [], unsure: new Map() },
    async part(index, post) {
      const known = ledger.sent.get(index);
      if (known !== undefined) return known;
      const since = ledger.unsure.get(index);
      const attempt = { key: `${key}:${index}`, ...(since !== undefined && { uncertainSince: since }) };
      ledger.calls.push(index);
      ledger.attempts.push(attempt);
      const startedAt = Date.now();
      try {
        const id = await post(attempt);
        ledger.sent.set(index, id);
        return id;
      } catch (error) {
        if (!(error instanceof DeliveryError) || error.ambiguous) ledger.unsure.set(index, since ?? startedAt);
        throw error;
      }
    },
  };
  return ledger;
}

export type Answer = Partial<OutboundMessage> & { chat?: string | number; thread?: string };

/** Returns an answer to a chat; `place` is the rest of its address. */
export function answerTo(
  place: { channel: string; account: string; workspace?: string },
  chat: string | number,
  { chat: _chat, thread, ...rest }: Answer,
): OutboundMessage {
  const address = { ...place, chat: String(chat), ...(thread !== undefined && { thread }) };
  return { id: 'o1', address, text: 'Hello', files: [], ...rest };
}

export function attachment(stored: string, name: string, mimeType: string, size: number): Attachment {
  return { path: stored, name, mimeType, size, sha256: '0'.repeat(64) };
}

/** Stores a file, to be sent. */
export function file(name: string, content: string | Buffer, mimeType = 'text/plain'): Attachment {
  const stored = path.join(tempFolder(), 'stored');
  fs.writeFileSync(stored, content);
  return attachment(stored, name, mimeType, Buffer.byteLength(content));
}
