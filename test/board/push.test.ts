/** Notifications: what reaches a browser through its push service, once, and through nothing else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { afterTry, asUnsure, claimPush } from '../../src/features/board/push/decide.ts';
import type { PushResult } from '../../src/features/board/push/post.ts';
import type { Push } from '../../src/features/board/push/records.ts';
import { openWorld, type World } from '../dialogs/harness.ts';
import { startLlm } from '../emulators/llm.ts';
import { type PushService, type PushSubscriptionOf, startPushService } from '../emulators/push-service.ts';
import { viberLink } from '../helpers/board-link.ts';
import { PROGRAM } from '../helpers/program.ts';
import { freePort } from '../helpers/redis.ts';
import { tempFolder } from '../helpers/temp.ts';
import { type Browser, logIn } from './browser.ts';

const ASKING = { name: 'write_file', arguments: { path: 'workspace/note.md', content: 'once' } };

interface Opened {
  world: World;
  service: PushService;
  browser: Browser;
  phone: PushSubscriptionOf;
}

async function open(config: Record<string, unknown> = {}): Promise<Opened> {
  const service = await startPushService();
  onTestFinished(() => service.close());
  const world = await openWorld({ config: { push: { services: [service.origin] }, ...config } });
  world.llm.script(({ toolResults, messages }) =>
    JSON.stringify(messages.at(-1)).includes('write') && toolResults.length === 0
      ? { toolCalls: [ASKING] }
      : { text: 'All is well.' },
  );
  const browser = await another(world);
  const phone = await turnOn(browser, service);
  return { world, service, browser, phone };
}

const another = async (world: World) => logIn(world.app.port ?? 0, await viberLink(world.home));

async function turnOn(browser: Browser, service: PushService): Promise<PushSubscriptionOf> {
  const { body } = await browser.ask('GET', '/api/push');
  const phone = service.subscribe(String(body.key));
  const { endpoint, keys } = phone;
  expect(await browser.ask('PUT', '/api/push', { endpoint, keys })).toMatchObject({
    status: 200,
    body: { isOn: true },
  });
  return phone;
}

/** While the program isn't up. */
const isDown = (): boolean => false;

const submit = async (browser: Browser, goal: string, key: string) => {
  const asked = await browser.ask('POST', '/api/tasks', { goal, messages: [] }, { 'idempotency-key': key });
  expect([asked.status, asked.text]).toEqual([202, expect.any(String)]);
};
const news = async (browser: Browser, kind: string) => (await browser.ask('GET', `/api/push/news?kind=${kind}`)).body;
const kinds = ({ received }: PushSubscriptionOf) => received.map(({ text }) => text);

describe('a notification', () => {
  it('is sent by the one process that was first to claim it, at each of its tries', () => {
    const due = { session: 's', kind: 'done', about: 'r', taskId: 't', state: 'due', at: 1, until: 9 } as const;
    const claimed = claimPush([due], due, 7);
    expect(claimed).toEqual([{ ...due, state: 'tried', tries: 1, leftAt: 7 }]);
    expect(claimPush(claimed, due, 8)).toBe(claimed);
    const again = [{ ...due, tries: 1, after: 5 }];
    expect(claimPush(again, due, 8)).toBe(again);
    expect(claimPush(again, { ...due, tries: 1, after: 5 }, 8)).toEqual([
      { ...due, state: 'tried', tries: 2, after: 5, leftAt: 8 },
    ]);
    expect(claimPush([], due, 8)).toEqual([]);
  });

  it('is noted with what became of it, and by whoever has not reached the service only while nobody else has sent it', () => {
    const due = { session: 's', kind: 'done', about: 'r', taskId: 't', state: 'due', at: 1, until: 90_000 } as const;
    const left = claimPush([due], due, 7);
    const noted = (result: PushResult, hasLeft = true, pushes: readonly Push[] = left) =>
      afterTry(pushes, due, { result, hasLeft, now: 10 });
    const tried = { ...due, state: 'tried', tries: 1 };
    expect(noted({ kind: 'sent' })).toEqual([tried]);
    expect(noted({ kind: 'gone' })).toEqual([tried]);
    expect(noted({ kind: 'unsure', reason: 'cut off' })).toEqual([{ ...tried, isUnsure: true }]);
    const again = { ...due, tries: 1, after: 60_010 };
    expect(noted({ kind: 'later', reason: '503' })).toEqual([again]);
    expect(noted({ kind: 'later', reason: 'ECONNREFUSED' }, false, [due])).toEqual([again]);
    expect(noted({ kind: 'refused', reason: 'private' }, false, [due])).toEqual([tried]);
    for (const other of [left, [tried as Push], [again]])
      expect(noted({ kind: 'later', reason: 'ECONNREFUSED' }, false, other)).toBe(other);
    expect(asUnsure(left, 6)).toBe(left);
    expect(asUnsure(left, 7)).toEqual([{ ...tried, isUnsure: true }]);
  });

  it.each([
    // [where the process is killed, what arrives, whether the page says that it may not have]
    ['push-reached', ['question'], false],
    ['push-claimed', [], true],
  ] as const)('that a crash at %s cuts off arrives as %j', async (point, arrives, isUnsure) => {
    const service = await startPushService();
    const llm = await startLlm();
    const home = tempFolder();
    const port = await freePort();
    const running = new Set<ChildProcess>();
    onTestFinished(async () => {
      for (const child of running) child.kill('SIGKILL');
      await Promise.all([service.close(), llm.close()]);
    });
    llm.script(({ toolResults }) => (toolResults.length === 0 ? { toolCalls: [ASKING] } : { text: 'All is well.' }));
    const config = {
      model: 'local/test-model',
      providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
      people: [{ name: 'alex', role: 'owner', ids: ['telegram:1'] }],
      limits: { freeBytes: 0 },
      http: { port },
      push: { services: [service.origin] },
    };
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
    const start = async (at?: string) => {
      const env = { ...process.env, ...(at !== undefined && { OPENVIBER_CRASH_AT: at }) };
      const child = spawn(process.execPath, [PROGRAM, 'start', '--home', home], { stdio: 'ignore', env });
      running.add(child);
      const ended = once(child, 'exit').then(([, signal]) => {
        running.delete(child);
        return signal;
      });
      const isUp = () => fetch(`http://127.0.0.1:${port}/healthz`).then(({ ok }) => ok, isDown);
      await expect.poll(isUp).toBe(true);
      return { ended };
    };
    const { ended } = await start(point);
    const browser = await logIn(port, await viberLink(home));
    const phone = await turnOn(browser, service);
    await submit(browser, 'please write a note', 'one');
    expect(await ended).toBe('SIGKILL');
    expect(kinds(phone)).toEqual([]);
    await start();
    await expect.poll(() => kinds(phone)).toEqual(arrives);
    const { body } = await browser.ask('GET', '/api/push');
    expect(String(body.problem ?? '').includes('may not have arrived')).toBe(isUnsure);
    // Also not later.
    expect((await browser.ask('GET', '/api/approvals')).body.approvals).toHaveLength(1);
    expect(kinds(phone)).toEqual(arrives);
  });

  it('comes once for a question and once for finished work, says nothing, and the gateway says what to show', async () => {
    const { world, browser, phone } = await open();
    await submit(browser, 'please write a note', 'one');
    await expect.poll(() => kinds(phone)).toEqual(['question']);
    expect(phone.received[0]).toMatchObject({ urgency: 'high', topic: expect.stringMatching(/^[\w-]{32}$/) });
    expect(phone.received[0]?.sub).toMatch(/^https:\/\//);
    expect(await news(browser, 'question')).toMatchObject({
      title: 'A question is waiting for you',
      body: expect.stringContaining('note.md'),
      url: expect.stringMatching(/^\/board\/tasks\//),
    });
    const { approvals } = (await browser.ask('GET', '/api/approvals')).body as {
      approvals: { id: string; digest: string }[];
    };
    const [asked] = approvals;
    await browser.ask('POST', `/api/approvals/${asked?.id}`, { digest: asked?.digest, verdict: 'approve' });
    await expect.poll(() => kinds(phone)).toEqual(['question', 'done']);
    expect(phone.received[1]).toMatchObject({ urgency: 'normal', ttl: expect.any(Number) });
    expect(phone.received[1]?.topic).not.toBe(phone.received[0]?.topic);
    expect(await news(browser, 'done')).toMatchObject({ title: 'Done', body: expect.stringContaining('write a note') });
    expect(await news(browser, 'question')).toMatchObject({ title: 'Nothing is left to do.' });
    // A chat announces its answers itself.
    await world.ask('hello');
    await submit(browser, 'tell me', 'two');
    await expect.poll(() => kinds(phone)).toEqual(['question', 'done', 'done']);
    const kept = fs.statSync(path.join(world.home, 'access/push-keys.json'));
    expect(kept.mode & 0o777).toBe(0o600);
  });

  it('is still sent after a restart, and never twice', async () => {
    const { world, browser, phone } = await open();
    phone.answers.push({ status: 503, retryAfter: '1' });
    await submit(browser, 'please write a note', 'one');
    await expect.poll(() => phone.answered).toEqual([503]);
    expect(phone.received).toEqual([]);
    await world.restart();
    await expect.poll(() => kinds(phone)).toEqual(['question']);
    await world.restart();
    const again = await another(world);
    await submit(again, 'tell me', 'two');
    await expect.poll(() => kinds(phone)).toEqual(['question', 'done']);
    expect(phone.answered).toEqual([503, 201, 201]);
  });

  it('leaves the gateway alone when the disk is full, and is tried again later', async () => {
    const { world, browser, phone } = await open();
    phone.answers.push({ status: 503, retryAfter: '1' });
    await submit(browser, 'please write a note', 'one');
    await expect.poll(() => world.read('access/pushes.json')).toContain('"after"');
    const rename = fs.renameSync;
    const full = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if (String(to).endsWith('pushes.json')) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      rename(from, to);
    });
    onTestFinished(() => full.mockRestore());
    const failures = () => world.logs.filter(({ msg }) => msg === 'a notification could not be sent').length;
    await expect.poll(failures).toBe(1);
    expect((await browser.ask('GET', '/api/push')).status).toBe(200);
    expect(failures()).toBe(1);
    expect(phone.answered).toEqual([503]);
    full.mockRestore();
    await world.restart();
    await expect.poll(() => kinds(phone)).toEqual(['question']);
  });

  it('waits as long as the push service asks, and goes to others meanwhile', async () => {
    const { world, browser, service, phone } = await open();
    phone.answers.push({ status: 429, retryAfter: '2' });
    await submit(browser, 'tell me', 'one');
    await expect.poll(() => phone.answered).toEqual([429, 201]);
    const [first = 0, second = 0] = phone.times;
    expect(second - first).toBeGreaterThanOrEqual(1_990);
    expect(service.origin).toBeTruthy();
    expect(world.logs.some(({ msg }) => msg === 'a push service did not accept a notification')).toBe(true);
  });

  it.each([404, 410])('ends a subscription that is gone (%i)', async (status) => {
    const { world, browser, phone } = await open();
    phone.answers.push(status);
    expect((await browser.ask('POST', '/api/push/test')).body).toMatchObject({ ok: false });
    expect((await browser.ask('GET', '/api/push')).body).toMatchObject({ isOn: false });
    expect(JSON.parse(world.read('access/push.json'))).toEqual([]);
  });

  it.each([400, 401, 403, 413])('is not repeated when refused (%i), and the page says so', async (status) => {
    const { browser, phone } = await open();
    phone.answers.push(status);
    const { body } = await browser.ask('POST', '/api/push/test');
    expect(body).toMatchObject({ ok: false, problem: expect.stringContaining(String(status)) });
    expect((await browser.ask('GET', '/api/push')).body.problem).toContain(String(status));
    expect((await browser.ask('POST', '/api/push/test')).body).toMatchObject({ ok: true });
    expect((await browser.ask('GET', '/api/push')).body.problem).toBeUndefined();
    expect(phone.answered).toEqual([status, 201]);
  });

  it('ends with the login', async () => {
    const { world, browser, service, phone } = await open();
    const other = await another(world);
    const second = await turnOn(other, service);
    expect(JSON.parse(world.read('access/push.json'))).toHaveLength(2);
    await browser.ask('DELETE', `/board/session/${browser.id}`);
    await expect.poll(() => JSON.parse(world.read('access/push.json'))).toHaveLength(1);
    await submit(other, 'tell me', 'one');
    await expect.poll(() => kinds(second)).toEqual(['done']);
    expect(phone.received).toEqual([]);
  });

  it('goes to https at public addresses alone, and to at most ten browsers of a person', async () => {
    const { world, browser, phone, service } = await open();
    const { keys } = phone;
    const wrong = [
      ...['http://push.example.org/x', 'https://127.0.0.1/x', 'https://[::1]/x', 'https://10.0.0.8/x'],
      ...['https://169.254.169.254/latest', 'https://push.example.org:22/x', 'https://a:b@push.example.org/x'],
      ...['file:///etc/passwd', `https://push.example.org/${'x'.repeat(2_048)}`, 'http://127.0.0.1:1/x', 'nonsense'],
    ];
    for (const endpoint of wrong)
      expect((await browser.ask('PUT', '/api/push', { endpoint, keys })).status, endpoint).toBe(400);
    for (const bad of [
      { ...keys, auth: 'AA' },
      { ...keys, p256dh: 'AAAA' },
      { ...keys, p256dh: 'B'.repeat(87) },
    ])
      expect((await browser.ask('PUT', '/api/push', { endpoint: phone.endpoint, keys: bad })).status).toBe(400);
    // A name that leads into a private network is found out when it is resolved.
    const inside = { endpoint: 'https://localhost/x', keys };
    expect((await browser.ask('PUT', '/api/push', inside)).status).toBe(200);
    expect((await browser.ask('POST', '/api/push/test')).body.problem).toContain('not a public address');
    await turnOn(browser, service);
    for (let count = 1; count < 10; count += 1) await turnOn(await another(world), service);
    const eleventh = await another(world);
    const { body } = await eleventh.ask('GET', '/api/push');
    const { endpoint } = service.subscribe(String(body.key));
    const refused = await eleventh.ask('PUT', '/api/push', { endpoint, keys });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('10 browsers')]);
  });

  it('costs a gateway without subscriptions nothing, and programs get none', async () => {
    const token = 'a-token-of-a-program';
    const world = await openWorld({ config: { http: { port: 0, token } } });
    const answer = await fetch(`http://127.0.0.1:${world.app.port}/api/push`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(403);
    for (const name of ['push.json', 'pushes.json', 'push-keys.json']) expect(world.read(`access/${name}`)).toBe('');
  });
});
