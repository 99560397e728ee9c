/** The receipt: what became of everybody's messages, counted from the disk, and the weekly line to owners. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countReceipt } from '../../src/features/receipt/count.ts';
import { lastMonday, sendWeekly } from '../../src/features/receipt/weekly.ts';
import { request } from '../board/browser.ts';
import { defaults } from '../helpers/defaults.ts';
import { openTestGateway } from '../helpers/gateway.ts';
import { hasRedis, startRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { ALEX, openWorld, type World } from './harness.ts';

const TOKEN = 'the-token-of-the-owner';
const WEEK_MS = 7 * 86_400_000;
const open = () =>
  openWorld({ config: { http: { port: 0, token: TOKEN, clients: { plain: { token: 'another-one' } } } } });

async function receiptOf(world: World, token = TOKEN) {
  const port = world.app.port ?? 0;
  const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` };
  const { status, body } = await request(port, 'GET', '/api/receipt', headers);
  return { status, ...(body as { text: string; messages: number; answered: number; deleted: number }) };
}

const sessionOf = (world: World): string => {
  const folder = path.join(world.home, 'agents', 'default', 'sessions');
  return path.join(folder, fs.readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? '');
};

describe('the receipt', () => {
  it('says that nothing was lost, over a restart, to owners alone', async () => {
    const world = await open();
    await world.ask('one');
    await world.ask('/status');
    await world.restart();
    await world.ask('two');
    const { text } = await receiptOf(world);
    expect(text).toContain('Nothing you wrote was lost: 2 messages, 2 answered, one restart.');
    expect(text).toMatch(/^Since today/);
    expect(text).not.toContain('Restarts are counted');
    expect((await receiptOf(world, 'another-one')).status).toBe(403);
  });

  it('claims nothing that it cannot show: no answer on record, given up, undelivered, deleted', async () => {
    const world = await open();
    await world.ask('one');
    const at = new Date().toISOString();
    const from = { channel: 'telegram', user: String(ALEX), name: 'Alex' };
    const before = new Date(Date.parse(at) - 2 * 86_400_000).toISOString();
    const line = { type: 'message', id: 'ffff', run: 'ffff', at: before, text: 'two', from, files: [] };
    fs.appendFileSync(sessionOf(world), `${JSON.stringify(line)}\n`);
    const write = (kind: string, name: string, value: object) => {
      fs.mkdirSync(path.join(world.home, 'spool', kind), { recursive: true });
      fs.writeFileSync(path.join(world.home, 'spool', kind, `${name}.json`), JSON.stringify(value));
    };
    write('dead', 'aaaa', { id: 'aaaa', acceptedAt: at, diedAt: at, message: {} });
    write('dead', 'bbbb', { key: 'bbbb', createdAt: Date.now(), message: {} });
    write('unsure', 'cccc', { key: 'cccc', createdAt: Date.now(), message: {} });
    const usage = { type: 'call', at, ms: 1, run: 'gone', task: '20260101-gone', person: 'x', model: 'm/m' };
    const calls = { ...usage, inputTokens: 1, outputTokens: 1 };
    fs.appendFileSync(path.join(world.home, 'usage', `${at.slice(0, 10)}.jsonl`), `${JSON.stringify(calls)}\n`);
    const { text } = await receiptOf(world);
    expect(text).not.toContain('Nothing you wrote was lost');
    expect(text).toContain('3 messages, 1 answered, no restart.');
    expect(text).not.toMatch(/^Since today/);
    expect(text).toContain('Restarts are counted since today');
    expect(text).toContain('One was given up, and its sender was told.');
    expect(text).toContain('One has no answer on record.');
    expect(text).toContain("One answer couldn't be delivered.");
    expect(text).toContain("I can't know whether one answer arrived.");
    expect(text).toContain('One more turn was in tasks that have been deleted since.');
  });
});

describe('the weekly line', () => {
  it('is due on Monday at nine, through changes of the clock', () => {
    expect(new Date(lastMonday(Date.parse('2026-11-28T12:00:00Z'), 'Europe/Berlin')).toISOString()).toBe(
      '2026-11-23T08:00:00.000Z',
    );
    expect(new Date(lastMonday(Date.parse('2026-10-26T08:00:00Z'), 'Europe/Berlin')).toISOString()).toBe(
      '2026-10-26T08:00:00.000Z',
    );
    expect(new Date(lastMonday(Date.parse('2026-10-26T07:59:59Z'), 'Europe/Berlin')).toISOString()).toBe(
      '2026-10-19T07:00:00.000Z',
    );
    expect(new Date(lastMonday(Date.parse('2026-11-23T03:30:00Z'), 'Asia/Kolkata')).toISOString()).toBe(
      '2026-11-23T03:30:00.000Z',
    );
  });

  it('goes once to the owner however often it is sent, also after a restart; never when off or of an empty week', async () => {
    const world = await openWorld();
    await world.ask('one');
    await world.app.stop();
    const due = lastMonday(Date.now() + WEEK_MS, 'UTC');
    const waiting = async (config: object, ...at: number[]) => {
      const opened = await openTestGateway({ homeRoot: world.home, config }, true);
      for (const each of at) await sendWeekly(each, opened.gw);
      const { waiting: count } = await opened.gw.engine.outbox.stats();
      await opened.stop(0);
      await opened.close();
      return count;
    };
    const people = [{ name: 'alex', role: 'owner' as const, ids: [`telegram:${ALEX}`] }];
    const on = { people, jobs: { ...defaults.jobs, timezone: 'UTC' } };
    expect(await waiting({ ...on, receipt: { weekly: 'off' } }, due)).toBe(0);
    expect(await waiting(on, due - WEEK_MS, due + 25 * 3_600_000)).toBe(0);
    expect(await waiting(on, due, due + 60_000)).toBe(1);
    expect(await waiting(on, due + 120_000)).toBe(1);
  });

  it('goes to each owner in one of their chats, the first that they wrote in', async () => {
    const world = await openWorld();
    await world.ask('one');
    await world.app.stop();
    const file = path.join(world.home, 'access', 'owners.json');
    const known = JSON.parse(fs.readFileSync(file, 'utf8'));
    const place = (channel: string, chat: string) => ({ channel, account: channel, chat });
    const more = { 'discord:2002': place('discord', '99'), 'slack:T01:U03': place('slack', 'D1') };
    fs.writeFileSync(file, JSON.stringify({ ...known, ...more, 'discord:2003': place('discord', '98') }));
    const people = [
      { name: 'alex', role: 'owner' as const, ids: [`telegram:${ALEX}`, 'discord:2002'] },
      { name: 'sam', role: 'owner' as const, ids: ['slack:T01:U03', 'discord:2003'] },
    ];
    const config = { people, jobs: { ...defaults.jobs, timezone: 'UTC' } };
    const opened = await openTestGateway({ homeRoot: world.home, config }, true);
    const { delivery } = opened.gw;
    const told: string[] = [];
    const add = delivery.add.bind(delivery);
    delivery.add = (message, ...rest) => {
      told.push(`${message.address.channel}:${message.address.chat}`);
      return add(message, ...rest);
    };
    await sendWeekly(lastMonday(Date.now() + WEEK_MS, 'UTC'), opened.gw);
    expect(told).toEqual([`telegram:${ALEX}`, 'slack:D1']);
    await opened.stop(0);
    await opened.close();
  });

  it.skipIf(!hasRedis)(`is counted, and sent once, where a server has the messages${WITHOUT_REDIS}`, async () => {
    const { url } = await startRedis();
    const engine = { ...defaults.engine, kind: 'redis' as const, url };
    const world = await openWorld({ config: { engine: { kind: 'redis', url }, http: { port: 0, token: TOKEN } } });
    await world.ask('one');
    await world.restart();
    await world.ask('two');
    expect((await receiptOf(world)).text).toContain('Nothing you wrote was lost: 2 messages, 2 answered, one restart.');
    await world.app.stop();
    const people = [{ name: 'alex', role: 'owner' as const, ids: [`telegram:${ALEX}`] }];
    const config = { people, engine, jobs: { ...defaults.jobs, timezone: 'UTC' } };
    const due = lastMonday(Date.now() + WEEK_MS, 'UTC');
    const first = await openTestGateway({ homeRoot: world.home, config }, true);
    await Promise.all([sendWeekly(due, first.gw), sendWeekly(due + 60_000, first.gw)]);
    await first.stop(0);
    await first.close();
    const second = await openTestGateway({ homeRoot: world.home, config }, true);
    await sendWeekly(due + 120_000, second.gw);
    expect(await second.gw.engine.outbox.stats()).toMatchObject({ waiting: 1 });
    await second.stop(0);
    await second.close();
  });

  it('counts ten thousand messages', async () => {
    const world = await openWorld();
    await world.ask('one');
    await world.app.stop();
    const at = new Date().toISOString();
    const from = { channel: 'telegram', user: String(ALEX), name: 'Alex' };
    const lines = Array.from({ length: 10_000 }, (_, n) => [
      { type: 'message', id: `m${n}`, run: `r${n}`, at, text: 'x', from, files: [] },
      { type: 'result', run: `r${n}`, at, state: 'completed', text: 'y', summary: '', artifactRefs: [] },
    ]);
    fs.appendFileSync(
      sessionOf(world),
      lines
        .flat()
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    const { gw } = await openTestGateway({ homeRoot: world.home });
    const found = await countReceipt(Date.now() - WEEK_MS, Date.now() + 1000, gw);
    expect(found).toMatchObject({ messages: 10_001, answered: 10_001, isAtLeast: false });
  });
});
