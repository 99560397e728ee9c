/** The outbox at its edges: a stop, a chat that is busy, whose language, and what is told of what was sent. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OutboundMessage, PartLedger } from '../../src/channels/channel.ts';
import { openLedger } from '../../src/engine/local/ledger.ts';
import { LocalOutbox } from '../../src/engine/local/outbox.ts';
import { openStore } from '../../src/engine/local/store.ts';
import { DeliveryError } from '../../src/errors.ts';
import { silentLog } from '../../src/log.ts';
import { messagesFor } from '../../src/messages/messages.ts';
import { type DeliveryOptions, openDelivery } from '../../src/runtime/delivery.ts';
import { eventually } from '../helpers/eventually.ts';
import { tempFolder } from '../helpers/temp.ts';
import { quiet } from '../kit/quiet.ts';

const message = (id: string, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  ...{ id, address: { channel: 'test', account: 'bot', chat: 'c1' }, text: id, files: [] },
  ...more,
});

type Send = (message: OutboundMessage, ledger: PartLedger) => Promise<unknown>;

function open(send: Send, { root = tempFolder(), ...options }: Partial<DeliveryOptions> & { root?: string } = {}) {
  const outcomes: [string, string | undefined][] = [];
  const delivery = openDelivery({
    outbox: new LocalOutbox({
      store: openStore({ root, freeBytes: 0 }),
      ledger: openLedger(path.join(root, 'ledger'), 1),
    }),
    ...{ log: silentLog(), timeScale: 0.001 },
    channelOf: () => ({ id: 'test', send: async (given, ledger) => void (await send(given, ledger)) }),
    onOutcome: (outcome, _entry, failure) => outcomes.push([outcome, failure]),
    ...options,
  });
  return { delivery, outcomes, root };
}

const posts =
  (sent: string[]): Send =>
  (given, ledger) =>
    ledger.part(0, async () => {
      sent.push(given.text);
      return `id-${given.text}`;
    });

/** Holds each send until it is let go. */
function held() {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const send: Send = (given, ledger) =>
    ledger.part(0, async () => {
      begun.push(given.text);
      await new Promise<void>((resolve) => gates.set(given.text, resolve));
      return `id-${given.text}`;
    });
  return { begun, send, letGo: (text: string) => gates.get(text)?.() };
}

describe('a stop', () => {
  it('waits for what is on its way, begins nothing more, and the next process sends the rest', async () => {
    const { begun, send, letGo } = held();
    const { delivery, outcomes, root } = open(send);
    await delivery.add(message('a'), 't');
    await delivery.add(message('b'), 't');
    await eventually(() => expect(begun).toEqual(['a']));
    let isClosed = false;
    const closed = delivery.close(30_000).then(() => {
      isClosed = true;
    });
    await quiet();
    expect(isClosed).toBe(false);
    letGo('a');
    await closed;
    expect([begun, outcomes]).toEqual([['a'], [['sent', undefined]]]);
    const sent: string[] = [];
    open(posts(sent), { root });
    await eventually(() => expect(sent).toEqual(['b']));
  });

  it('waits no longer than it was told for a platform that does not answer', async () => {
    const { begun, send } = held();
    const { delivery } = open(send);
    await delivery.add(message('a'), 't');
    await eventually(() => expect(begun).toEqual(['a']));
    const began = performance.now();
    await delivery.close(50);
    const took = performance.now() - began;
    expect([took >= 45, took < 10_000]).toEqual([true, true]);
  });

  it('waits for the last of several that are on their way', async () => {
    const { begun, send, letGo } = held();
    const { delivery, outcomes } = open(send);
    const at = (chat: string) => ({ address: { channel: 'test', account: 'bot', chat } });
    for (const chat of ['a', 'b']) await delivery.add(message(chat, at(chat)), 't');
    await eventually(() => expect(begun.toSorted()).toEqual(['a', 'b']));
    let isClosed = false;
    const closed = delivery.close(60_000).then(() => {
      isClosed = true;
    });
    letGo('a');
    await eventually(() => expect(outcomes).toHaveLength(1));
    await quiet();
    expect(isClosed).toBe(false);
    letGo('b');
    await closed;
    expect(outcomes).toHaveLength(2);
  });

  it('does not wait for the time at which something is tried again, nor where nothing is in hand', async () => {
    const fails = async () => {
      throw new DeliveryError('away', { retryAfterMs: 600_000 });
    };
    const { delivery, outcomes } = open(fails, { timeScale: 1 });
    await delivery.add(message('a'), 't');
    await eventually(() => expect(outcomes).toEqual([['retry', 'unreachable']]));
    const began = performance.now();
    await delivery.close(60_000);
    await open(fails).delivery.close(60_000);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe('a chat', () => {
  it('is busy until the last of its threads has what is for it, and others are not', async () => {
    const { begun, send, letGo } = held();
    const { delivery } = open(send);
    const at = (chat: string, thread: string) => ({ channel: 'test', account: 'bot', chat, thread });
    expect(delivery.isBusy(at('c1', '1'))).toBe(false);
    await delivery.add(message('a', { address: at('c1', '1') }), 't');
    await delivery.add(message('b', { address: at('c1', '2') }), 't');
    await eventually(() => expect(begun.toSorted()).toEqual(['a', 'b']));
    expect([delivery.isBusy(at('c1', '3')), delivery.isBusy(at('c2', '1'))]).toEqual([true, false]);
    letGo('a');
    await eventually(async () => expect((await delivery.stats()).waiting).toBe(1));
    expect(delivery.isBusy(at('c1', '1'))).toBe(true);
    letGo('b');
    await eventually(() => expect(delivery.isBusy(at('c1', '1'))).toBe(false));
  });

  it('whose platform has told us to slow down gets nothing in its other threads, while other chats do', async () => {
    const tried: string[] = [];
    const { delivery, outcomes } = open(
      async ({ text }) => {
        tried.push(text);
        if (text === 'a') throw new DeliveryError('429', { retryAfterMs: 600_000, rateLimited: true });
      },
      { timeScale: 1 },
    );
    await delivery.add(message('a'), 't');
    await eventually(() => expect(outcomes).toHaveLength(1));
    const at = (chat: string) => ({ address: { channel: 'test', account: 'bot', chat, thread: '2' } });
    for (const [text, chat] of [
      ['b', 'c1'],
      ['c', 'c2'],
    ] as const)
      await delivery.add(message(text, at(chat)), 't');
    await eventually(() => expect(tried).toContain('c'));
    await quiet();
    expect(tried).toEqual(['a', 'c']);
    await delivery.close(0);
  });

  it('is busy while its platform has told us to slow down', async () => {
    let isLimited = true;
    const sent: string[] = [];
    const { delivery } = open(
      async (given, ledger) => {
        if (isLimited) throw new DeliveryError('429', { retryAfterMs: 600_000, rateLimited: true });
        return posts(sent)(given, ledger);
      },
      { timeScale: 1 },
    );
    await delivery.add(message('a'), 't');
    await eventually(() => expect(delivery.isBusy(message('a').address)).toBe(true));
    isLimited = false;
    await delivery.close(1_000);
    expect([delivery.isBusy(message('a').address), sent]).toEqual([true, []]);
  });
});

describe('what is sent', () => {
  it('says in which language it is: its own, or that of whoever reads it there', async () => {
    const seen: [string, string | undefined][] = [];
    const { delivery } = open(async (given) => seen.push([given.text, given.language]), {
      messagesAt: () => messagesFor({ language: 'de' }),
    });
    await delivery.add(message('a'), 't');
    await delivery.add(message('b', { language: 'en' }), 't');
    await eventually(() =>
      expect(seen).toEqual([
        ['a', 'de'],
        ['b', 'en'],
      ]),
    );
    const plain: OutboundMessage[] = [];
    await open(async (given) => plain.push(given)).delivery.add(message('c'), 't');
    await eventually(() => expect(plain).toHaveLength(1));
    expect(plain[0]).not.toHaveProperty('language');
  });

  it('is told of a digest alone, part by part, and a note that fails repeats nothing', async () => {
    const noted: string[] = [];
    const sent: string[] = [];
    const { delivery, outcomes } = open(posts(sent), {
      onDigest: async ({ text }, part) => {
        noted.push(`${text} ${part}`);
        throw new Error('no room');
      },
    });
    await delivery.add(message('plain'), 't');
    await delivery.add(
      message('news', { digest: { taskId: '20260101-abcde', viber: 'default', name: 'news', files: [] } }),
      't',
    );
    await eventually(() => expect(outcomes).toHaveLength(2));
    expect([sent, noted]).toEqual([['plain', 'news'], ['news id-news']]);
    expect(outcomes.map(([outcome]) => outcome)).toEqual(['sent', 'sent']);
  });

  it('tells which message its buttons are under', async () => {
    const under: string[] = [];
    const { delivery } = open(async (_given, ledger) => ledger.hasButtons?.('id-9'), {
      onButtons: ({ text }, id) => under.push(`${text} ${id}`),
    });
    await delivery.add(message('a'), 't');
    await eventually(() => expect(under).toEqual(['a id-9']));
  });

  it('is watched from its beginning to its end, with what was in the way', async () => {
    const watched: string[] = [];
    const refusals = [
      new DeliveryError('away', { retryAfterMs: 1 }),
      new DeliveryError('cut', { retryAfterMs: 1, ambiguous: true }),
      new Error('never thrown'),
    ];
    const { delivery } = open(
      async () => {
        const refusal = refusals.shift();
        if (refusal) throw refusal;
      },
      {
        watch: ({ message: { text } }) => {
          watched.push(`begins ${text}`);
          return (failure = 'well') => watched.push(`ends ${failure}`);
        },
      },
    );
    await delivery.add(message('a'), 't');
    await eventually(() => expect(watched.at(-1)).toBe('ends well'));
    expect(watched.filter((each) => each.startsWith('ends'))).toEqual([
      ...['ends unreachable', 'ends cut-off', 'ends broken', 'ends well'],
    ]);
  });

  it('is tried again no sooner than its platform has said', async () => {
    const at: number[] = [];
    const { delivery, outcomes } = open(
      async () => {
        at.push(performance.now());
        if (at.length === 1) throw new DeliveryError('away', { retryAfterMs: 2_000 });
      },
      { timeScale: 0.1 },
    );
    await delivery.add(message('a'), 't');
    await eventually(() => expect(outcomes.map(([outcome]) => outcome)).toEqual(['retry', 'sent']));
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(190);
  });

  it('waits for a channel that is switched off, and is sent once it is on', async () => {
    const sent: string[] = [];
    let isOn = false;
    const channel = { id: 'test', send: async (given: OutboundMessage) => void sent.push(given.text) };
    const { delivery, outcomes } = open(posts(sent), { channelOf: () => (isOn ? channel : undefined) });
    await delivery.add(message('a'), 't');
    await quiet();
    expect(outcomes).toEqual([]);
    isOn = true;
    await eventually(() => expect(sent).toEqual(['a']));
  });
});
