/** The engine of one machine as a whole: what it is opened with, how it begins and ends, and who hears what is published. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openLocalEngine } from '../../../src/engine/local/engine.ts';
import { isText, objectOf, shape } from '../../../src/lib/shape.ts';
import { tempFolder } from '../../helpers/temp.ts';

afterEach(() => {
  vi.useRealTimers();
});

type Options = Parameters<typeof openLocalEngine<string>>[0];

function open(home = tempFolder(), more: Partial<Options> = {}) {
  const folders = { spool: path.join(home, 'spool'), run: path.join(home, 'run'), cache: path.join(home, 'cache') };
  for (const folder of Object.values(folders)) fs.mkdirSync(folder, { recursive: true });
  return openLocalEngine<string>({ folders, freeBytes: 0, onDead: () => undefined, onError: () => undefined, ...more });
}

const ALEX = { person: 'alex', isOwner: false };
const address = { channel: 'telegram', account: 'bot', chat: 'c1' };

it('gives nothing that does not hold what it should, neither a message nor an answer', async () => {
  const home = tempFolder();
  const first = await open(home);
  await first.queue.enqueue('task:a', 5 as never, { by: ALEX, dedupeId: '1' });
  await first.queue.enqueue('task:a', 'words', { by: ALEX, dedupeId: '2' });
  await first.outbox.add({ id: 'odd', address, text: 5 as never, files: [] }, 't');
  await first.outbox.add({ id: 'sound', address, text: 'words', files: [] }, 't');
  await first.close();
  const outboxSchema = shape<never>(objectOf({ message: objectOf({ text: isText }) }));
  const engine = await open(home, { schema: shape<string>(isText), outboxSchema });
  expect((await engine.queue.claim('task:'))?.items.map(({ message }) => message)).toEqual(['words']);
  expect((await engine.outbox.claim(''))?.entry.key).toBe('sound');
  await engine.close();
});

it('gives one person no more lanes than it is told', async () => {
  const engine = await open(undefined, { limits: { 'task:': { perPerson: 1, others: 10 } } });
  for (const lane of ['task:a', 'task:b']) await engine.queue.enqueue(lane, lane, { by: ALEX, dedupeId: lane });
  const first = await engine.queue.claim('task:');
  let isGiven = false;
  const second = engine.queue.claim('task:').then((lease) => {
    isGiven = true;
    return lease;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([first?.lane, isGiven]).toEqual(['task:a', false]);
  if (first) await engine.queue.ack(first, [first.items[0]?.id ?? '']);
  expect((await second)?.lane).toBe('task:b');
  await engine.close();
});

it('leaves the home to the next one where it could not be opened', async () => {
  const home = tempFolder();
  const first = await open(home);
  await first.close();
  const broken = path.join(home, 'spool/ledger');
  fs.rmSync(broken, { recursive: true });
  const left = { folders: { spool: path.join(home, 'spool'), run: path.join(home, 'run'), cache: '' } };
  const failing = {
    ...left,
    schema: {
      safeParse: () => {
        throw new Error('no schema');
      },
    } as never,
  };
  const second = await open(home);
  await second.queue.enqueue('task:a', 'words', { by: ALEX, dedupeId: '1' });
  await second.close();
  await expect(open(home, failing)).rejects.toThrow('no schema');
  const third = await open(home);
  expect((await third.queue.claim('task:'))?.items[0]?.message).toBe('words');
  await third.close();
});

it('tells who listens to a topic, each once, and goes on when one of them fails', async () => {
  const errors: unknown[] = [];
  const engine = await open(undefined, { onError: (error) => errors.push(error) });
  const heard: string[] = [];
  engine.publish('news', 'before anybody listens');
  const failure = new Error('it cannot hear');
  const stops = [
    engine.subscribe('news', () => {
      throw failure;
    }),
    engine.subscribe('news', (text) => heard.push(`first ${text}`)),
    engine.subscribe('news', (text) => heard.push(`second ${text}`)),
    engine.subscribe('other', (text) => heard.push(`other ${text}`)),
  ];
  engine.publish('news', '1');
  expect(heard).toEqual([]);
  await Promise.resolve();
  expect([heard, errors]).toEqual([['first 1', 'second 1'], [failure]]);
  await stops[1]?.();
  engine.publish('news', '2');
  await Promise.resolve();
  expect(heard.slice(2)).toEqual(['second 2']);
  for (const stop of stops) await stop();
  engine.publish('news', '3');
  // Whoever stops a second time ends nobody else's listening.
  engine.subscribe('news', (text) => heard.push(`third ${text}`));
  await stops[1]?.();
  engine.publish('news', '4');
  await Promise.resolve();
  expect([heard.slice(3), errors.length]).toEqual([['third 4'], 2]);
  await engine.close();
});

it('keeps locks and leads of one name apart', async () => {
  const engine = await open();
  const order: string[] = [];
  const { promise: led, resolve: end } = Promise.withResolvers<void>();
  const stop = engine.lead('a', () => led);
  await engine.lock('a', async () => void order.push('locked while led'));
  await engine.lock('b', async () => void order.push('another'));
  const { promise: held, resolve: free } = Promise.withResolvers<void>();
  const first = engine.lock('a', () => held);
  const second = engine.lock('a', async () => void order.push('second'));
  await engine.lock('b', async () => void order.push('b does not wait for a'));
  free();
  await Promise.all([first, second]);
  expect(order).toEqual(['locked while led', 'another', 'b does not wait for a', 'second']);
  end();
  await stop();
  await engine.close();
});

it('clears away what is old a minute after its start, each day, and not once it is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  const home = tempFolder();
  const engine = await open(home);
  const old = path.join(home, 'spool/ledger/2020-01-31.jsonl');
  const isThereAfter = (ms: number) => {
    fs.writeFileSync(old, '');
    vi.advanceTimersByTime(ms);
    return fs.existsSync(old);
  };
  expect([isThereAfter(59_000), isThereAfter(1_000)]).toEqual([true, false]);
  expect([isThereAfter(3_600_000), isThereAfter(86_400_000)]).toEqual([true, false]);
  await engine.close();
  expect([isThereAfter(2 * 86_400_000), vi.getTimerCount()]).toEqual([true, 0]);
});

it('gives nothing any more once it is closed, and says so', async () => {
  const home = tempFolder();
  const engine = await open(home);
  const waiting = [engine.queue.claim('task:'), engine.outbox.claim('')];
  await engine.queue.enqueue('job:a', 'words', { by: ALEX, dedupeId: '1' });
  expect(await engine.ready()).toEqual({ ok: true });
  const closing = engine.close();
  expect(await engine.ready()).toEqual({ ok: false, detail: 'it was closed' });
  expect([engine.close(), await Promise.all(waiting)]).toEqual([closing, [undefined, undefined]]);
  await closing;
  const next = await open(home);
  expect([next.epoch > engine.epoch, (await next.queue.stats()).waiting]).toEqual([true, 1]);
  await next.close();
});
