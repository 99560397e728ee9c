/** The gateway as a channel sees it, for tests of the channel by itself. */
import type { ChannelCallbacks, ChannelHost, InboundMessage, Logger, PartLedger } from 'openviber-gateway/plugin';

/**
 * Returns a host that keeps what a channel stores in memory, writes no log and leads at once. Given to a second channel,
 * it is what a restart finds.
 * @example
 * const channel = await kind.open(settings, memoryHost());
 */
export function memoryHost(): ChannelHost {
  const kept = new Map<string, string>();
  const marks = new Map<string, string>();
  const write = () => undefined;
  const log = { fatal: write, error: write, warn: write, info: write, debug: write, trace: write, silent: write };
  return {
    log: log as unknown as Logger,
    ...{ live: 'off', commands: [], nameOf: () => undefined, isShared: false },
    cache: { get: async (key) => kept.get(key), set: async (key, value) => void kept.set(key, value) },
    cursors: () => ({ all: () => marks, set: (chat, mark) => void marks.set(chat, mark) }),
    lead(_name, run) {
      const ending = new AbortController();
      const done = run({ over: ending.signal, isOurs: () => true });
      return () => {
        ending.abort();
        return done;
      };
    },
  };
}

export interface Heard extends ChannelCallbacks {
  /** What was accepted, in order, repetitions included. */
  readonly messages: InboundMessage[];
  readonly dropped: string[];
}

/**
 * Returns callbacks that keep what they hear; `refuse` makes a message one that could not be stored.
 * @example
 * await channel.connect(hearing());
 */
export function hearing(refuse: (message: InboundMessage) => boolean = () => false): Heard {
  const messages: InboundMessage[] = [];
  const dropped: string[] = [];
  return {
    ...{ messages, dropped },
    async onMessage(message) {
      if (refuse(message)) throw new Error('the disk is full');
      messages.push(message);
      return 'accepted';
    },
    onInterrupt: async () => undefined,
    onSuggest: async () => [],
    onDropped: (kind) => void dropped.push(kind),
    onStatus: () => undefined,
  };
}

/**
 * Returns a ledger in memory. Given to a second `send`, it knows what the first has sent.
 * @example
 * await channel.send(answer, memoryLedger());
 */
export function memoryLedger(message = 'answer'): PartLedger & { sent: Map<number, string>; uncertainSince?: number } {
  const sent = new Map<number, string>();
  return {
    sent,
    async part(index, post) {
      const known = sent.get(index);
      if (known !== undefined) return known;
      const { uncertainSince } = this;
      const id = await post({ key: `${message}:${index}`, ...(uncertainSince !== undefined && { uncertainSince }) });
      sent.set(index, id);
      return id;
    },
  };
}
