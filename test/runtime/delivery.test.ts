import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Address, Channel, OutboundMessage, PartLedger } from '../../src/channels/channel.ts';
import { inspectSpool } from '../../src/engine/local/inspect.ts';
import { openLedger } from '../../src/engine/local/ledger.ts';
import { LocalOutbox } from '../../src/engine/local/outbox.ts';
import { openStore, type SpoolStore } from '../../src/engine/local/store.ts';
import { DeliveryError, StorageError } from '../../src/errors.ts';
import { addSecret, silentLog } from '../../src/log.ts';
import { type DeliveryOptions, openDelivery } from '../../src/runtime/delivery.ts';
import { eventually } from '../helpers/eventually.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

const address = (chat: string): Address => ({ channel: 'test', account: 'bot', chat });
const message = (id: string, chat = 'c1', text = id): OutboundMessage => ({
  id,
  address: address(chat),
  text,
  files: [],
});

/** A platform of one part a character of the text: `behave` may throw before or after it has taken the part. */
function platform(behave: (part: string, take: () => void) => void = (_part, take) => take()) {
  const got: { chat: string; part: string }[] = [];
  const channel = {
    ...{ id: 'test', account: 'bot', limits: { text: 1, uploadBytes: 1, downloadBytes: 1 } },
    status: () => ({ state: 'connected' as const }),
    connect: async () => undefined,
    disconnect: async () => undefined,
    async send({ address: { chat }, text }: OutboundMessage, ledger: PartLedger) {
      for (const [index, part] of [...text].entries()) {
        await ledger.part(index, async () => {
          behave(part, () => got.push({ chat, part }));
          return `id-${part}`;
        });
      }
    },
  } satisfies Channel;
  return {
    channel,
    got,
    text: (chat = 'c1') =>
      got
        .filter((entry) => entry.chat === chat)
        .map((entry) => entry.part)
        .join(''),
  };
}

type Options = Partial<DeliveryOptions> & { store?: SpoolStore };

function open(root: string, channel: Channel, { store = openStore({ root, freeBytes: 0 }), ...options }: Options = {}) {
  const ledger = openLedger(path.join(root, 'ledger'), 1);
  const outcomes: string[] = [];
  const delivery = openDelivery({
    outbox: new LocalOutbox({ store, ledger, ...(options.now ? { now: options.now } : {}) }),
    ...{ log: silentLog(), channelOf: () => channel, timeScale: 0.005 },
    onOutcome: (outcome) => outcomes.push(outcome),
    ...options,
  });
  return { delivery, outcomes, ledger };
}

const names = (root: string, state: string) =>
  inspectSpool(root).flatMap((found) => (found.state === state ? [`${found.key}.json`] : []));
const idle = (delivery: ReturnType<typeof openDelivery>) =>
  eventually(async () => expect((await delivery.stats()).waiting).toBe(0));

describe('the outbox', () => {
  it('sends a lane in order, each part once, and records the platform ids', async () => {
    const root = tempFolder();
    const { channel, text } = platform();
    const { delivery, ledger } = open(root, channel);
    await Promise.all(['ab', 'cd', 'ef'].map((part) => delivery.add(message(part), 't')));
    await idle(delivery);
    expect(text()).toBe('abcdef');
    expect(
      ledger
        .lines('cd')
        .filter((line) => line.what === 'sent')
        .map((line) => line.id),
    ).toEqual(['id-c', 'id-d']);
    expect(names(root, 'out')).toEqual([]);
  });

  it('takes a message of the same id once, also when it was delivered long ago', async () => {
    const root = tempFolder();
    const { channel, text } = platform();
    const first = open(root, channel);
    await first.delivery.add(message('a'), 't');
    await idle(first.delivery);
    await first.delivery.add(message('a'), 't', true);
    await open(root, channel).delivery.add(message('a'), 't', true);
    expect(text()).toBe('a');
  });

  it('waits exactly as long as the platform says and goes on with the part that was refused', async () => {
    let refusals = 2;
    const { channel, text } = platform((part, take) => {
      if (part === 'b' && refusals-- > 0) throw new DeliveryError('429', { retryAfterMs: 40, rateLimited: true });
      take();
    });
    const { delivery, outcomes } = open(tempFolder(), channel, { timeScale: 1 });
    const began = performance.now();
    await delivery.add(message('abc'), 't');
    await idle(delivery);
    expect(text()).toBe('abc');
    expect(outcomes).toEqual(['retry', 'retry', 'sent']);
    expect(performance.now() - began).toBeGreaterThanOrEqual(78);
  });

  it('keeps other lanes going while one waits', async () => {
    const { channel, text } = platform((part, take) => {
      if (part === 'x') throw new DeliveryError('down', { retryAfterMs: 60_000 });
      take();
    });
    const { delivery } = open(tempFolder(), channel, { timeScale: 1 });
    await delivery.add(message('x', 'c1'), 't');
    await delivery.add(message('y', 'c1'), 't');
    await delivery.add(message('z', 'c2'), 't');
    await eventually(() => expect(text('c2')).toBe('z'));
    expect(text('c1')).toBe('');
    await delivery.close(100);
  });

  it('tries an ambiguous part once more and then says that it cannot know', async () => {
    const root = tempFolder();
    const { channel, text } = platform((part, take) => {
      if (part === '?') {
        take();
        throw new DeliveryError('reset', { retryAfterMs: 1, ambiguous: true });
      }
      take();
    });
    const { delivery, outcomes } = open(root, channel);
    await delivery.add(message('q', 'c1', '?'), 'trace-q');
    await eventually(() => expect(outcomes).toContain('sent'));
    expect(text().startsWith('??')).toBe(true);
    expect(text()).toContain("I can't tell");
    expect(names(root, 'unsure')).toEqual(['q.json']);
    expect(outcomes.filter((outcome) => outcome === 'unsure')).toHaveLength(1);
  });

  it('says that it cannot know in one message alone, however long nobody knows whether that arrived', async () => {
    const root = tempFolder();
    const sent: { at: number; text: string }[] = [];
    const channel = {
      ...platform().channel,
      async send({ text }: OutboundMessage, ledger: PartLedger) {
        await ledger.part(0, async () => {
          sent.push({ at: performance.now(), text });
          if (sent.length < 11) throw new DeliveryError('reset', { retryAfterMs: 1, ambiguous: true });
          return 'id';
        });
      },
    };
    const { delivery, outcomes } = open(root, channel);
    await delivery.add(message('q'), 'trace-q');
    await delivery.add(message('r'), 'trace-r');
    await eventually(() => expect(sent.length).toBeGreaterThan(4));
    await delivery.add(message('next'), 't');
    await eventually(() => expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(2));
    const notices = sent.filter(({ text }) => text.startsWith("I can't tell"));
    expect(sent.map(({ text }) => text)).toEqual(['q', 'q', 'r', 'r', ...notices.map(({ text }) => text), 'next']);
    expect(notices).toHaveLength(7);
    expect([names(root, 'unsure'), names(root, 'out')]).toEqual([['q.json', 'r.json'], []]);
    // Whoever reads it each time is not to be annoyed: never within ten seconds (here a two hundredth of that), and ever more rarely.
    const gaps = notices.slice(1).map(({ at }, index) => at - (notices[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(49);
    expect(gaps.at(-1)).toBeGreaterThan(100);
    await delivery.close(100);
  });

  it('gives up what the platform refuses for good, at once, and goes on with the next', async () => {
    const root = tempFolder();
    const { channel, text } = platform((part, take) => {
      if (part === 'x') throw new DeliveryError('bot was blocked');
      take();
    });
    const told: string[] = [];
    const onDead = async ({ id }: OutboundMessage, reason: string) => void told.push(`${id}: ${reason}`);
    const { delivery } = open(root, channel, { onDead });
    await delivery.add(message('x'), 't');
    await delivery.add(message('y'), 't');
    await idle(delivery);
    expect(text()).toBe('y');
    expect(told).toEqual(['x: bot was blocked']);
    expect(JSON.parse(fs.readFileSync(path.join(root, 'dead', 'x.json'), 'utf8'))).toMatchObject({
      reason: 'bot was blocked',
    });
  });

  it('keeps a message when the ledger cannot be written, and sends it once that is possible again', async () => {
    const root = tempFolder();
    const { channel, text } = platform();
    const { delivery, ledger } = open(root, channel);
    const intent = vi
      .spyOn(ledger, 'intent')
      .mockRejectedValueOnce(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    await delivery.add(message('ab'), 't');
    await idle(delivery);
    expect(intent).toHaveBeenCalledTimes(2);
    expect([text(), names(root, 'dead')]).toEqual(['ab', []]);
  });

  it('takes an answer that could not be stored when it is given again', async () => {
    const root = tempFolder();
    const { channel, text } = platform();
    const store = openStore({ root, freeBytes: 0 });
    let isFull = true;
    const put: typeof store.put = async (...given) => {
      if (isFull) throw new Error('disk full');
      return store.put(...given);
    };
    const { delivery } = open(root, channel, { store: { ...store, put } });
    await expect(delivery.add(message('ab'), 't')).rejects.toThrow('disk full');
    isFull = false;
    await delivery.add(message('ab'), 't');
    await idle(delivery);
    expect(text()).toBe('ab');
  });

  it('holds no secret, neither on disk nor where it is sent', async () => {
    const root = tempFolder();
    addSecret('tok-of-the-outbox-1');
    const sent: string[] = [];
    const { channel } = platform();
    const gone = { ...channel, send: async ({ text }: OutboundMessage) => void sent.push(text) };
    const { delivery } = open(root, gone);
    await delivery.add(message('m', 'c1', 'it is tok-of-the-outbox-1'), 't');
    await idle(delivery);
    const kept = Object.values(tree(root)).join('\n');
    for (const text of [kept, sent.join('\n')]) {
      expect(text).toContain('it is [secret]');
      expect(text).not.toContain('tok-of-the-outbox-1');
    }
  });

  it('sends in the order of a lane what an earlier process has left, whatever the files are named', async () => {
    const root = tempFolder();
    const { channel, text } = platform();
    const away = open(root, channel, { channelOf: () => undefined });
    for (const id of ['z', 'a', 'm', 'b', 'y', 'c']) await away.delivery.add(message(id), 't');
    await away.delivery.close(1_000);
    const { delivery } = open(root, channel);
    await idle(delivery);
    expect(text()).toBe('zambyc');
  });

  it.each([
    ['with a code', 'EPIPE'],
    ['like a full disk’s', 'ENOSPC'],
    ['without a code', undefined],
  ])(
    'tries a raw error of the channel (%s) a few times, never sends a part again, and goes on',
    async (_what, code) => {
      const root = tempFolder();
      const { channel, text } = platform((part, take) => {
        if (part === 'x') throw Object.assign(new Error('raw'), code === undefined ? {} : { code });
        take();
      });
      const { delivery, outcomes } = open(root, channel);
      await delivery.add(message('m', 'c1', 'ax'), 'trace-m');
      await delivery.add(message('z'), 't');
      await eventually(() => expect(text()).toContain("I can't tell"));
      await idle(delivery);
      // It may have arrived: the person is told so, and what comes after is sent.
      expect(text().startsWith('az')).toBe(true);
      expect([names(root, 'unsure'), names(root, 'dead'), names(root, 'out')]).toEqual([['m.json'], [], []]);
      expect(outcomes.filter((outcome) => outcome === 'unsure')).toHaveLength(1);
    },
  );

  it('gives up a message that the channel cannot even begin, with its reason, also where parts are exact', async () => {
    const root = tempFolder();
    let calls = 0;
    const { channel } = platform();
    const failing: Channel = {
      ...channel,
      isExact: true,
      async send(sent, ledger) {
        if (sent.text === 'z') return channel.send(sent, ledger);
        calls++;
        throw Object.assign(new Error('cannot render'), { code: 'ERR_X' });
      },
    };
    const told: string[] = [];
    const onDead = async ({ id }: OutboundMessage, reason: string) => void told.push(`${id}: ${reason}`);
    const { delivery, outcomes } = open(root, failing, { onDead });
    await delivery.add(message('m'), 't');
    await delivery.add(message('z'), 't');
    await idle(delivery);
    expect([calls, outcomes]).toEqual([3, ['dead', 'sent']]);
    expect(told).toEqual(['m: the channel failed while sending: cannot render']);
  });

  it('does not post a part again whose outcome the ledger could not write', async () => {
    const root = tempFolder();
    const { channel, text } = platform();
    const { delivery, ledger } = open(root, channel);
    vi.spyOn(ledger, 'outcome').mockImplementationOnce(() => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    });
    await delivery.add(message('ab'), 't');
    await idle(delivery);
    expect([text(), names(root, 'dead'), names(root, 'unsure')]).toEqual(['ab', [], []]);
  });

  it('gives up after 24 hours', async () => {
    const root = tempFolder();
    let now = Date.now();
    const { channel } = platform(() => {
      now += 3_600_000;
      throw new DeliveryError('down', { retryAfterMs: 1 });
    });
    const { delivery } = open(root, channel, { now: () => now, timeScale: 0.00001 });
    await delivery.add(message('x'), 't');
    await idle(delivery);
    expect(names(root, 'dead')).toEqual(['x.json']);
  });

  it('after a crash repeats at most the part that was in flight', async () => {
    const root = tempFolder();
    const hang = Promise.withResolvers<string>();
    const before = platform();
    const crashing: Channel = {
      ...before.channel,
      async send(_message, ledger) {
        await ledger.part(0, async () => 'id-a');
        await ledger.part(1, () => hang.promise);
      },
    };
    const first = open(root, crashing);
    await first.delivery.add(message('m', 'c1', 'abc'), 't');
    await eventually(() => expect(first.ledger.lines('m').filter((line) => line.what === 'intent')).toHaveLength(1));
    const after = platform();
    const second = open(root, after.channel);
    await idle(second.delivery);
    expect(after.text()).toBe('bc');
  });

  it('after two crashes in a row on one part gives it up, tells the person once, and sends it no third time', async () => {
    const root = tempFolder();
    let posts = 0;
    const crashing: Channel = {
      ...platform().channel,
      send: async (_message, ledger) =>
        void (await ledger.part(0, () => {
          posts++;
          return new Promise<string>(() => undefined);
        })),
    };
    await open(root, crashing).delivery.add(message('m', 'c1', 'x'), 'trace-m');
    await eventually(() => expect(posts).toBe(1));
    open(root, crashing);
    await eventually(() => expect(posts).toBe(2));
    const after = platform();
    await idle(open(root, after.channel).delivery);
    expect(names(root, 'unsure')).toEqual(['m.json']);
    expect(after.text()).toMatch(/^I can't tell whether my last message reached you\./);
    const again = platform();
    await idle(open(root, again.channel).delivery);
    expect([again.text(), names(root, 'unsure')]).toEqual(['', ['m.json']]);
  });

  it.each(['dead', 'unsure'] as const)(
    'keeps an answer until it is given up durably, and tells of it (%s)',
    async (to) => {
      const root = tempFolder();
      const { channel, text } = platform((part, take) => {
        if (part !== '!') return take();
        throw new DeliveryError('no', to === 'dead' ? {} : { retryAfterMs: 1, ambiguous: true });
      });
      const store = openStore({ root, freeBytes: 0 });
      let refusals = 2;
      const put: typeof store.put = async (...given) => {
        if (given[0] === to && refusals-- > 0) throw Object.assign(new StorageError('EIO'), { code: 'EIO' });
        // What tells the person is stored before the answer leaves.
        if (given[1] === 'm-unsure') expect(names(root, 'out')).toEqual(['m.json']);
        return store.put(...given);
      };
      const told: string[] = [];
      const onDead = async ({ id }: OutboundMessage) => {
        expect(names(root, 'out')).toEqual(['m.json']);
        told.push(id);
      };
      const { delivery } = open(root, channel, { store: { ...store, put }, onDead });
      await delivery.add(message('m', 'c1', '!'), 't');
      await idle(delivery);
      expect([refusals < 0, names(root, to), told.length]).toEqual([true, ['m.json'], to === 'dead' ? 1 : 0]);
      expect(text().startsWith("I can't tell")).toBe(to === 'unsure');
    },
  );
});
