/** The outbox on one machine: what is written before a part is sent, what a start takes up, and who is given an address. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { conversationKey, type OutboundMessage } from '../../../src/channels/channel.ts';
import type { OutboxFile, OutboxLease } from '../../../src/engine/engine.ts';
import { openLedger } from '../../../src/engine/local/ledger.ts';
import { LocalOutbox } from '../../../src/engine/local/outbox.ts';
import { openStore } from '../../../src/engine/local/store.ts';
import { LeaseLost, StorageError } from '../../../src/errors.ts';
import { tempFolder } from '../../helpers/temp.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const BEGAN = Date.parse('2026-01-31T10:00:00Z');
const failing = (code: string) => Object.assign(new Error(code), { code });

/** A process on this folder, whose clock moves by a minute with each answer that is added. */
function open(root = tempFolder(), began = BEGAN) {
  const store = openStore({ root, freeBytes: 0 });
  const ledger = openLedger(path.join(root, 'ledger'), 1);
  let now = began;
  const outbox = new LocalOutbox({
    ...{ store, ledger },
    now: () => {
      now += 60_000;
      return now;
    },
  });
  return { root, store, ledger, outbox };
}

const answer = (id: string, chat = 'c1', channel = 'telegram'): OutboundMessage => ({
  ...{ id, address: { channel, account: 'bot', chat }, text: `text of ${id}`, files: [] },
});

async function claim({ outbox }: { outbox: LocalOutbox }, prefix = ''): Promise<OutboxLease> {
  const lease = await outbox.claim(prefix);
  if (!lease) throw new Error('the outbox is closed');
  return lease;
}

async function isWaiting(claimed: Promise<unknown>): Promise<boolean> {
  return (
    (await Promise.race([claimed.then(() => 'over'), new Promise((resolve) => setImmediate(resolve, 'waits'))])) ===
    'waits'
  );
}

describe('the first part of an answer', () => {
  it('needs no line of its own where nobody is before it; the next, and a second try, do', async () => {
    const world = open();
    await world.outbox.add(answer('first'), 't');
    await world.outbox.add(answer('behind'), 't');
    const first = await claim(world);
    await world.outbox.intent(first, 0);
    expect(world.ledger.lines('first')).toEqual([]);
    await world.outbox.outcome(first, 0, 'unsure');
    await world.outbox.intent(first, 0);
    await world.outbox.intent(first, 1);
    await world.outbox.finish(first);
    const behind = await claim(world);
    await world.outbox.intent(behind, 0);
    const lines = [...world.ledger.lines('first'), ...world.ledger.lines('behind')];
    expect(lines.map(({ key, part, what }) => [key, part, what])).toEqual([
      ['first', 0, 'unsure'],
      ['first', 0, 'intent'],
      ['first', 1, 'intent'],
      ['behind', 0, 'intent'],
    ]);
  });

  it('of a second address needs none either, and of one that is stored meanwhile it does', async () => {
    const world = open();
    await Promise.all([
      world.outbox.add(answer('1', 'a'), 't'),
      world.outbox.add(answer('2', 'a'), 't'),
      world.outbox.add(answer('3', 'b'), 't'),
    ]);
    const stored = (key: string) => world.store.read<OutboxFile>('out', key)?.sending;
    expect(['1', '2', '3'].map(stored)).toEqual([true, false, true]);
    const [a, b] = [await claim(world), await claim(world)];
    expect([a.entry.key, b.entry.key]).toEqual(['1', '3']);
    await world.outbox.finish(a);
    const second = await claim(world);
    // Whoever is alone once all before it are sent counts as the first.
    await world.outbox.finish(second);
    await world.outbox.add(answer('4', 'a'), 't');
    expect([second.entry.key, stored('4')]).toEqual(['2', true]);
  });

  it('that comes second is not begun with the first', async () => {
    const world = open();
    await world.outbox.add(answer('1'), 't');
    const lease = await claim(world);
    await world.outbox.intent(lease, 1);
    expect(world.ledger.lines('1')).toMatchObject([{ part: 1, what: 'intent' }]);
  });

  it('is not sent where its line cannot be written: a full disk says so with its code', async () => {
    const world = open();
    await world.outbox.add(answer('1'), 't');
    const lease = await claim(world);
    const intent = vi.spyOn(world.ledger, 'intent').mockRejectedValue(failing('ENOSPC'));
    const refusal = world.outbox.intent(lease, 1);
    await expect(refusal).rejects.toThrow(StorageError);
    await expect(refusal).rejects.toMatchObject({ message: 'ENOSPC', code: 'ENOSPC', cause: { code: 'ENOSPC' } });
    intent.mockRestore();
    vi.spyOn(world.ledger, 'outcome').mockImplementation(() => {
      throw failing('EIO');
    });
    await expect(world.outbox.outcome(lease, 1, 'sent')).rejects.toMatchObject({ name: 'StorageError', code: 'EIO' });
  });
});

describe('an answer that could not be stored', () => {
  it('is not there, and is taken when it comes again', async () => {
    const world = open();
    vi.spyOn(world.store, 'put').mockRejectedValueOnce(new StorageError('the disk is full'));
    await expect(world.outbox.add(answer('1'), 't')).rejects.toThrow('the disk is full');
    expect(await world.outbox.stats()).toEqual({ waiting: 0, unsure: 0, dead: 0 });
    await world.outbox.add(answer('1'), 't');
    const lease = await claim(world);
    expect([lease.entry.key, lease.entry.sending]).toEqual(['1', true]);
  });

  it('does not hold up the others of its address', async () => {
    const world = open();
    const { promise: slow, reject } = Promise.withResolvers<void>();
    vi.spyOn(world.store, 'put').mockImplementationOnce(() => slow);
    const failed = world.outbox.add(answer('1'), 't');
    const claimed = claim(world);
    await world.outbox.add(answer('2'), 't');
    const lease = await claimed;
    await world.outbox.finish(lease);
    reject(new StorageError('the disk is full'));
    await expect(failed).rejects.toThrow(StorageError);
    await world.outbox.add(answer('3'), 't');
    expect([lease.entry.key, (await claim(world)).entry.key]).toEqual(['2', '3']);
  });
});

describe('the same answer again', () => {
  it('is added once while it is being stored, waits, or was sent or given up', async () => {
    const world = open();
    await Promise.all([world.outbox.add(answer('1'), 't'), world.outbox.add(answer('1'), 't', { isAgain: true })]);
    await world.outbox.finish(await claim(world));
    for (const [key, to] of [
      ['2', 'dead'],
      ['3', 'unsure'],
    ] as const) {
      await world.outbox.add(answer(key), 't');
      const lease = await claim(world);
      await world.outbox.giveUp(lease, to, 'the chat is gone');
      await world.outbox.finish(lease);
    }
    for (const key of ['1', '2', '3']) await world.outbox.add(answer(key), 't', { isAgain: true });
    expect(await world.outbox.stats()).toEqual({ waiting: 0, unsure: 1, dead: 1 });
    const later = open(world.root);
    for (const key of ['1', '2', '3', '4']) await later.outbox.add(answer(key), 't', { isAgain: true });
    expect(later.store.names('out')).toEqual(['4']);
  });

  it('is asked of the disk only by whoever may have added it before', async () => {
    const world = open();
    await world.outbox.add(answer('1'), 't');
    await world.outbox.finish(await claim(world));
    await world.outbox.add(answer('1'), 't');
    expect(world.store.names('out')).toEqual(['1']);
  });

  it('is not in the log as delivered where it was given up, and keeps what it said and the reason', async () => {
    const world = open();
    await world.outbox.add(answer('lost'), 'trace');
    const lease = await claim(world);
    await world.outbox.giveUp(lease, 'dead', 'the chat is gone');
    await world.outbox.finish(lease);
    expect([world.store.wasFinished('lost.out'), world.store.has('out', 'lost')]).toEqual([false, false]);
    const grave = JSON.parse(fs.readFileSync(path.join(world.root, 'dead/lost.json'), 'utf8'));
    expect(grave).toMatchObject({ key: 'lost', trace: 'trace', message: answer('lost'), reason: 'the chat is gone' });
  });
});

describe('what a start takes up', () => {
  it('is sent in the order in which it was added, whatever stands first in the log', async () => {
    const root = tempFolder();
    const store = openStore({ root, freeBytes: 0 });
    for (const seq of [3, 1, 2]) {
      const entry: OutboxFile = {
        key: `${seq}`,
        trace: 't',
        createdAt: seq,
        seq,
        message: answer(`${seq}`),
        sending: false,
      };
      await store.put('out', entry.key, entry);
    }
    await store.close();
    const world = open(root);
    const sent: string[] = [];
    for (let n = 0; n < 3; n++) {
      const lease = await claim(world);
      sent.push(lease.entry.key);
      await world.outbox.finish(lease);
    }
    expect(sent).toEqual(['1', '2', '3']);
  });

  it('comes before what is added then, also with a clock that was set back', async () => {
    const world = open();
    await world.outbox.add(answer('before'), 't');
    const before = world.store.read<OutboxFile>('out', 'before')?.seq ?? 0;
    const later = open(world.root, BEGAN - 3_600_000);
    await later.outbox.add(answer('1', 'other'), 't');
    await later.outbox.add(answer('2', 'other'), 't');
    const seqs = ['1', '2'].map((key) => later.store.read<OutboxFile>('out', key)?.seq ?? 0);
    expect(seqs).toEqual([before + 1, before + 2]);
    const ahead = open(tempFolder());
    await ahead.outbox.add(answer('1'), 't');
    expect(ahead.store.read<OutboxFile>('out', '1')?.seq).toBe((BEGAN + 60_000) * 1_000);
  });

  it('may have been sent in part: since it was added, or since the line that says so', async () => {
    const world = open();
    await world.outbox.add(answer('open'), 't');
    await world.outbox.add(answer('behind'), 't');
    await world.outbox.add(answer('unsure', 'c2'), 't');
    const unsure = await claim(world, conversationKey(answer('unsure', 'c2').address));
    await world.outbox.intent(unsure, 0);
    await world.outbox.outcome(unsure, 0, 'unsure');
    const createdAt = (key: string) => world.store.read<OutboxFile>('out', key)?.createdAt;
    const later = open(world.root);
    const [first, second] = [await claim(later), await claim(later)];
    expect([first.entry.key, [...first.parts]]).toEqual([
      'open',
      [[0, { unsure: 0, open: true, since: createdAt('open') }]],
    ]);
    expect([second.entry.key, [...second.parts]]).toEqual([
      'unsure',
      [[0, { unsure: 1, open: false, since: createdAt('unsure') }]],
    ]);
    await later.outbox.finish(first);
    const behind = await claim(later);
    expect([behind.entry.key, [...behind.parts]]).toEqual(['behind', []]);
    // Only the first time: whatever is tried from now on has a line.
    await later.outbox.intent(second, 0);
    expect(later.ledger.lines('unsure').map(({ what }) => what)).toEqual(['unsure', 'intent']);
  });

  it('is not what does not hold what it should, and that is no answer to send', async () => {
    const root = tempFolder();
    const { store, ledger } = open(root);
    await store.put('out', 'odd', { key: 'odd' });
    await store.put('out', 'sound', { key: 'sound', seq: 1, createdAt: 1, message: answer('sound'), trace: 't' });
    const schema = {
      safeParse: (value: unknown) =>
        (value as { message?: unknown }).message ? { success: true, data: value as OutboxFile } : { success: false },
    };
    const outbox = new LocalOutbox({ store, ledger, schema: schema as never });
    expect([(await claim({ outbox })).entry.key, store.names('out')]).toEqual(['sound', ['sound']]);
    expect(await outbox.stats()).toMatchObject({ waiting: 1 });
  });
});

describe('who waits for an address', () => {
  it('is given one whose name begins so, and no other', async () => {
    const world = open();
    const telegram = claim(world, '["telegram"');
    const discord = claim(world, '["discord"');
    await world.outbox.add(answer('1', 'a', 'slack'), 't');
    expect([await isWaiting(telegram), await isWaiting(discord)]).toEqual([true, true]);
    await world.outbox.add(answer('2', 'a', 'discord'), 't');
    expect([(await discord).entry.key, await isWaiting(telegram)]).toEqual(['2', true]);
    await world.outbox.add(answer('3', 'a', 'telegram'), 't');
    expect([(await telegram).entry.key, (await claim(world, '["slack"')).entry.key]).toEqual(['3', '1']);
  });

  it('is given none that is owned, and the next of it once it is free', async () => {
    const world = open();
    await world.outbox.add(answer('1'), 't');
    const lease = await claim(world);
    const next = claim(world);
    await world.outbox.add(answer('2'), 't');
    expect(await isWaiting(next)).toBe(true);
    await world.outbox.release(lease);
    const again = await next;
    expect([again.entry.key, again.epoch > lease.epoch]).toEqual(['1', true]);
    // It is not owned any more: nothing changes.
    await world.outbox.release(lease);
    expect(() => lease.check()).toThrow(LeaseLost);
    expect(() => again.check()).not.toThrow();
    await expect(world.outbox.finish(lease)).rejects.toThrow(`${lease.lane} has another sender, or none`);
    await world.outbox.finish(again);
    const last = await claim(world);
    expect(last.entry.key).toBe('2');
    await world.outbox.finish(last);
    await expect(world.outbox.finish(last)).rejects.toThrow(LeaseLost);
    expect(await world.outbox.stats()).toEqual({ waiting: 0, unsure: 0, dead: 0 });
  });

  it('keeps what the one before has noted of the parts', async () => {
    const world = open();
    await world.outbox.add(answer('1'), 't');
    const lease = await claim(world);
    lease.parts.set(0, { unsure: 0, open: false, sentId: 'id-1' });
    await world.outbox.release(lease);
    expect((await claim(world)).parts.get(0)).toMatchObject({ sentId: 'id-1' });
  });

  it('hears how long the oldest has waited, of all addresses', async () => {
    const world = open();
    for (const [key, chat] of [
      ['1', 'a'],
      ['2', 'a'],
      ['3', 'b'],
    ] as const)
      await world.outbox.add(answer(key, chat), 't');
    const { outbox, store } = world;
    const createdAt = (key: string) => store.read<OutboxFile>('out', key)?.createdAt;
    expect(await outbox.stats()).toEqual({ waiting: 3, unsure: 0, dead: 0, oldest: createdAt('1') });
    const [a, b] = [await claim(world), await claim(world)];
    await outbox.finish(a);
    expect(await outbox.stats()).toMatchObject({ waiting: 2, oldest: createdAt('2') });
    await outbox.finish(b);
    await outbox.finish(await claim(world));
    expect(await outbox.stats()).toEqual({ waiting: 0, unsure: 0, dead: 0 });
  });

  it('hears that it is closed, at once and afterwards', async () => {
    const world = open();
    const waiting = world.outbox.claim('');
    world.outbox.close();
    await world.outbox.add(answer('1'), 't');
    expect([await waiting, await world.outbox.claim('')]).toEqual([undefined, undefined]);
  });
});
