/** What an owner finds in the log of an answer, and that each thing which is told there is told of the right one. */
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { OutboundMessage, PartLedger } from '../../src/channels/channel.ts';
import type { Outbox } from '../../src/engine/engine.ts';
import { openLedger } from '../../src/engine/local/ledger.ts';
import { LocalOutbox } from '../../src/engine/local/outbox.ts';
import { openStore } from '../../src/engine/local/store.ts';
import { DeliveryError, LeaseLost, StorageError } from '../../src/errors.ts';
import { createLog, silentLog } from '../../src/log.ts';
import { type DeliveryOptions, openDelivery } from '../../src/runtime/delivery.ts';
import { eventually } from '../helpers/eventually.ts';
import { tempFolder } from '../helpers/temp.ts';

const message = (id: string, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  ...{ id, address: { channel: 'test', account: 'bot', chat: 'c1' }, text: id, files: [] },
  ...more,
});
const digest = { taskId: '20260101-abcde', viber: 'default', name: 'news', files: [] };

type Send = (message: OutboundMessage, ledger: PartLedger) => Promise<unknown>;

function localOutbox(root = tempFolder()): LocalOutbox {
  return new LocalOutbox({
    store: openStore({ root, freeBytes: 0 }),
    ledger: openLedger(path.join(root, 'ledger'), 1),
  });
}

/** With none of the callbacks, unless they are given. */
function open(send: Send, { outbox = localOutbox(), ...options }: Partial<DeliveryOptions> = {}) {
  const logs: Record<string, unknown>[] = [];
  const write = (line: string) => void logs.push(JSON.parse(line));
  const delivery = openDelivery({
    ...{ outbox, timeScale: 0.001, log: createLog({ level: 'debug', pretty: false, write }) },
    channelOf: () => ({ id: 'test', send: async (given, ledger) => void (await send(given, ledger)) }),
    ...options,
  });
  const told = (msg: string) => eventually(() => expect(logs.map((line) => line.msg)).toContain(msg));
  const line = (msg: string) => logs.find((each) => each.msg === msg);
  return { delivery, told, line };
}

/** Throws what it is given, in order, and then sends. */
const failing = (...errors: readonly Error[]): Send => {
  const left = [...errors];
  return (_given, ledger) =>
    ledger.part(0, async () => {
      const error = left.shift();
      if (error) throw error;
      return 'id';
    });
};

/** The outbox, of which one call throws what it is given, in order, and then works. */
function broken(call: 'finish' | 'release', ...errors: readonly Error[]): Outbox {
  const outbox: Outbox = localOutbox();
  const left = [...errors];
  const works = outbox[call].bind(outbox);
  vi.spyOn(outbox, call).mockImplementation(async (lease) => {
    const error = left.shift();
    if (error) throw error;
    return works(lease);
  });
  return outbox;
}

describe('the log of an answer', () => {
  it('says that it was delivered, and before it that it was tried again', async () => {
    const { delivery, told, line } = open(failing(new DeliveryError('away', { retryAfterMs: 1 })));
    await delivery.add(message('a'), 'trace-a');
    await told('delivered');
    expect(line('delivered')).toMatchObject({ level: 20, trace: 'trace-a', channel: 'test' });
    const again = line('sending is tried again');
    expect(again).toMatchObject({ level: 40, trace: 'trace-a', lane: 'c1', err: { message: 'away' } });
  });

  it('says of a channel that threw what it never should, and how often', async () => {
    const { delivery, told, line } = open(failing(new TypeError('no such field')));
    await delivery.add(message('a'), 'trace-a');
    await told('delivered');
    const failed = line('the channel failed while sending');
    expect(failed).toMatchObject({ level: 50, trace: 'trace-a', tries: 1, err: { message: 'no such field' } });
  });

  it('says why it was given up: refused, or too old', async () => {
    const refused = open(failing(new DeliveryError('chat not found', {})));
    await refused.delivery.add(message('a'), 'trace-a');
    await refused.told('message moved to dead');
    const why = { level: 50, trace: 'trace-a', reason: 'chat not found', channel: 'test' };
    expect(refused.line('message moved to dead')).toMatchObject(why);

    const outcomes: unknown[] = [];
    const old = open(failing(), {
      // The outbox has a clock of its own.
      now: () => Date.now() + 24 * 3_600_000 + 60_000,
      onOutcome: (...outcome) => outcomes.push(outcome.filter((each) => typeof each === 'string')),
    });
    await old.delivery.add(message('b'), 'trace-b');
    await old.told('message moved to dead');
    expect(old.line('message moved to dead')).toMatchObject({ reason: 'not delivered within 24 hours' });
    await eventually(() => expect(outcomes).toEqual([['dead', 'too-late']]));
  });

  it('says that a digest could not be noted, and sends it', async () => {
    const onDigest = async () => {
      throw new Error('no room');
    };
    const { delivery, told, line } = open(failing(), { onDigest });
    await delivery.add(message('news', { digest }), 't');
    await told('delivered');
    expect(line('a digest could not be noted')).toMatchObject({ level: 50, err: { message: 'no room' } });
  });

  it('says that the outbox could not be written, and finishes it once it can', async () => {
    const sent: string[] = [];
    const send: Send = (given, ledger) => ledger.part(0, async () => `${sent.push(given.text)}`);
    const { delivery, told, line } = open(send, { outbox: broken('finish', new StorageError('disk full')) });
    await delivery.add(message('a'), 't');
    await told('delivered');
    const failed = line('the outbox could not be written; its messages are tried again');
    expect(failed).toMatchObject({ level: 50, err: { message: 'disk full' } });
    expect(failed?.lane).toContain('c1');
    expect(sent).toEqual(['a']);
  });

  it('says that somebody else sends it, where the lease was lost, and goes on with what comes after', async () => {
    const { delivery, told, line } = open(failing(), { outbox: broken('finish', new LeaseLost('a')) });
    await delivery.add(message('a'), 'trace-a');
    await told('an answer is not sent from here any more');
    const lost = line('an answer is not sent from here any more');
    expect(lost).toMatchObject({ level: 40, trace: 'trace-a', err: { type: 'LeaseLost' } });
    expect(line('the outbox could not be written; its messages are tried again')).toBeUndefined();
    expect(delivery.isBusy(message('a').address)).toBe(false);
    await delivery.add(message('b', { address: { channel: 'test', account: 'bot', chat: 'c2' } }), 'trace-b');
    await told('delivered');
    expect(line('delivered')).toMatchObject({ trace: 'trace-b' });
  });
});

describe('a caller that listens to nothing', () => {
  it('has its answers sent, tried again, noted and given up all the same', async () => {
    const sent: string[] = [];
    const refusals = [new DeliveryError('away', { retryAfterMs: 1 })];
    const { delivery } = open(
      async (given, ledger) => {
        if (given.text === 'refused') throw new DeliveryError('chat not found', {});
        await ledger.part(0, async () => {
          const error = refusals.shift();
          if (error) throw error;
          return given.text;
        });
        ledger.hasButtons?.('id-1');
        sent.push(given.text);
      },
      { log: silentLog() },
    );
    await delivery.add(message('news', { digest }), 't');
    await delivery.add(message('refused'), 't');
    await delivery.add(message('last'), 't');
    await eventually(() => expect(sent).toEqual(['news', 'last']));
    expect(await delivery.stats()).toMatchObject({ waiting: 0 });
  });
});

describe('the notice that nobody knows', () => {
  it('is said once more of an answer that comes after it has arrived', async () => {
    const sent: string[] = [];
    const { delivery } = open((given, ledger) =>
      ledger.part(0, async () => {
        if (given.text.startsWith('q')) throw new DeliveryError('reset', { retryAfterMs: 1, ambiguous: true });
        return `${sent.push(given.text)}`;
      }),
    );
    for (const count of [1, 2]) {
      await delivery.add(message(`q${count}`), 't');
      await eventually(() => expect(sent).toHaveLength(count));
    }
    expect(sent[0]).toMatch(/can't tell/);
    expect(sent[1]).toBe(sent[0]);
  });
});

describe('a channel that can tell what has arrived', () => {
  it('is asked until it is known, and nobody is told that it is not', async () => {
    const cut = () => new DeliveryError('reset', { retryAfterMs: 1, ambiguous: true });
    const send = failing(cut(), cut(), cut(), cut());
    const channel = {
      ...{ id: 'test', isExact: true },
      send: async (given: OutboundMessage, ledger: PartLedger) => void (await send(given, ledger)),
    };
    const outcomes: string[] = [];
    const { delivery, told } = open(send, {
      channelOf: () => channel,
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    await delivery.add(message('a'), 't');
    await told('delivered');
    expect(outcomes).toEqual(['retry', 'retry', 'retry', 'retry', 'sent']);
  });
});
