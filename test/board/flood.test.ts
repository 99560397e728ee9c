/** Bodies of nobody knows whom: what they cost in memory, what becomes of real requests meanwhile, and that it passes. */
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Slack } from '../emulators/slack.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { waitFor } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { telegramPlatform } from '../platforms/telegram.ts';
import { openPlatforms, type PlatformWorld } from '../platforms/world.ts';
import { type Held, head, open, send } from './raw.ts';

const HOOK = 'POST /webhooks/slack HTTP/1.1';
const HOST = 'host: viber.example.org';
const EXPECT = 'expect: 100-continue';
const SECRET = 'a-secret-of-some-length';
const now = () => Math.floor(Date.now() / 1000);
/** As Slack writes them; whether they are right is only known when the body is there. */
const signed = (at = now(), signature = `v0=${'0'.repeat(64)}`) => [
  `x-slack-request-timestamp: ${at}`,
  `x-slack-signature: ${signature}`,
];
const JSON_TYPE = 'content-type: application/json';
const announced = (bytes: number) => `content-length: ${bytes}`;

async function slackWorld(options: Partial<Parameters<typeof openPlatforms>[0]> = {}) {
  const platform = await slackPlatform({ retryDelaysMs: [200, 400, 800, 1_600, 3_200, 6_400] });
  const { signingSecret } = platform.emulator;
  const sections = { slack: { mode: 'http', signingSecret, appToken: undefined } };
  const world = await openPlatforms({ on: ['slack'], given: { slack: platform }, sections, ...options });
  const port = portOf(world);
  await platform.emulator.deliverTo(`http://127.0.0.1:${port}/webhooks/slack`);
  return { platform, world, port, slack: platform.emulator as Slack };
}

const portOf = (world: PlatformWorld): number => JSON.parse(world.read('run/gateway.json')).port;

/** Connections that each send a head and part of a body, and then nothing. */
function flood(port: number, count: number, lines: string[], bytes: number): Held[] {
  const part = Buffer.alloc(bytes, 0x20);
  return Array.from({ length: count }, () => {
    const held = open(port, head(...lines));
    held.socket.write(part);
    return held;
  });
}

const settle = (held: readonly Held[]) => Promise.all(held.map(({ answer }) => answer));
const tally = (statuses: readonly number[]) =>
  Object.fromEntries([...new Set(statuses)].sort().map((one) => [one, statuses.filter((each) => each === one).length]));

it.each([
  ['no signature', [signed()[0] ?? ''], 401],
  ['a signature of another form', signed(now(), 'v0=abc'), 401],
  ['a signature in capitals', signed(now(), `v0=${'A'.repeat(64)}`), 401],
  ['two signatures', [...signed(), ...signed()], 401],
  ['no time', [signed()[1] ?? ''], 401],
  ['a time 400 s ago', signed(now() - 400), 401],
  ['a time 400 s ahead', signed(now() + 400), 401],
  ['too many bytes announced', [...signed(), announced(2_000_000)], 413],
  ['another kind of body', [...signed(), 'content-type: text/html'], 415],
])('%s: refused from the head, before a byte of the body has come', async (_what, lines, status) => {
  const { port } = await slackWorld();
  const length = lines.some((line) => line.startsWith('content-length')) ? [] : ['transfer-encoding: chunked'];
  const type = lines.some((line) => line.startsWith('content-type')) ? [] : [JSON_TYPE];
  const answer = await send(port, head(HOOK, HOST, ...lines, ...length, ...type, EXPECT), 4_000);
  expect(answer).toMatchObject({ status, headers: { connection: 'close', 'cache-control': 'no-store' }, body: '' });
  expect(answer.text).not.toContain('100 Continue');
});

/** Takes all the room there is: large bodies, then so many small ones that the last find none. Resolves when one has been refused. */
async function fill(port: number, lines: string[]): Promise<Held[]> {
  const all = [...lines, announced(1_000_000)];
  const large = flood(port, 16, all, 990_000);
  // The large ones are to be there first; where they aren't, the next round is as good.
  await sleep(200);
  const small = flood(port, 250, all, 100);
  await Promise.race(small.map(({ answer }) => answer));
  return [...large, ...small];
}

/** Fills, says something, and looks whether that met 503; on a machine that stalls the room may be free again before. */
async function meet503(filled: () => Promise<Held[]>, say: (round: number) => void, met: () => Promise<boolean>) {
  const held: Held[] = [];
  for (let round = 0; round < 5; round++) {
    held.push(...(await filled()));
    say(round);
    for (let look = 0; look < 20; look++) {
      if (await met()) return { said: round + 1, statuses: (await settle(held)).map(({ status }) => status) };
      // It looks now and then.
      await sleep(50);
    }
    await settle(held);
  }
  throw new Error('nothing met 503');
}

it('holds 16 MB of unproven bodies and no more, says 503 beyond, and answers what Slack sends again once', async () => {
  const { platform, port, slack } = await slackWorld();
  const place = platform.dm('alex');
  const { said, statuses } = await meet503(
    () => fill(port, [HOOK, HOST, JSON_TYPE, ...signed()]),
    (round) => platform.say(place, `are you there ${round}?`),
    async () => slack.counters().deliveries.redelivered > 0,
  );
  for (let round = 0; round < said; round++) await waitFor(platform, place, { text: `are you there ${round}?` });
  expect(platform.answers(place)).toHaveLength(said);
  await slack.settled();
  expect(slack.counters().deliveries.lost).toBe(0);
  // Those that found no room are told so at once; the others are given up after five seconds.
  expect(Object.keys(tally(statuses)).sort()).toEqual(['408', '503']);
});

it('gives the room back when senders go away, and counts chunks of one byte by what they hold', async () => {
  const { platform, port } = await slackWorld();
  for (let round = 0; round < 3; round++) {
    const held = flood(port, 16, [HOOK, HOST, JSON_TYPE, ...signed(), announced(1_000_000)], 990_000);
    // The senders go away in the middle.
    await sleep(300);
    for (const { socket } of held) socket.destroy();
    await settle(held);
  }
  const chunked = open(port, head(HOOK, HOST, JSON_TYPE, ...signed(), 'transfer-encoding: chunked'));
  chunked.socket.write('1\r\n \r\n'.repeat(50_000));
  chunked.socket.write('0\r\n\r\n');
  expect((await chunked.answer).status).toBe(401);
  const place = platform.dm('alex');
  platform.say(place, 'and now?');
  expect((await waitFor(platform, place)).text).toContain('and now?');
});

it('answers an update of Telegram once when the first try met 503', async () => {
  const platform = await telegramPlatform({ webhookRetryMs: 200 });
  const probe = 'http://127.0.0.1:1/webhooks/telegram';
  const sections = { telegram: { mode: 'webhook', webhook: { url: probe, secret: SECRET } } };
  const world = await openPlatforms({ on: ['telegram'], given: { telegram: platform }, sections });
  const port = portOf(world);
  const known = ['POST /webhooks/telegram HTTP/1.1', HOST, JSON_TYPE, `x-telegram-bot-api-secret-token: ${SECRET}`];
  const { token, url } = platform.emulator;
  const call = async (method: string, values: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/bot${token}/${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(values),
    });
    return await response.text();
  };
  await call('setWebhook', { url: `http://127.0.0.1:${port}/webhooks/telegram`, secret_token: SECRET });
  const place = platform.dm('alex');
  const { said } = await meet503(
    () => fill(port, known),
    (round) => platform.say(place, `are you there ${round}?`),
    async () => (await call('getWebhookInfo', {})).includes('503'),
  );
  for (let round = 0; round < said; round++) await waitFor(platform, place, { text: `are you there ${round}?` });
  expect(platform.answers(place)).toHaveLength(said);
  const wrong = head(known[0] ?? '', HOST, JSON_TYPE, 'x-telegram-bot-api-secret-token: wrong', announced(1_000_000));
  expect(await send(port, wrong)).toMatchObject({ status: 401, headers: { connection: 'close' } });
});

/** The gateway as a process of its own, to weigh it. */
async function startProcess() {
  const platform = await slackPlatform();
  const { emulator, section } = platform;
  const home = tempFolder();
  const { appToken: _unused, ...rest } = section;
  const slack = { ...rest, mode: 'http', signingSecret: emulator.signingSecret, access: { dm: 'open' } };
  const config = { model: 'offline/viber', channels: { slack }, limits: { freeBytes: 0 }, http: { port: 0 } };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  const child = spawn(process.execPath, [PROGRAM, 'start', '--home', home], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await platform.close();
  });
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data) => String(data).includes('"msg":"ready"') && resolve());
  });
  const { port } = JSON.parse(fs.readFileSync(path.join(home, 'run', 'gateway.json'), 'utf8'));
  const megabytes = () => {
    const status = fs.readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  };
  return { emulator, port: Number(port), megabytes };
}

it.skipIf(process.platform !== 'linux')('300 bodies that nobody signed, half sent, weigh little', async () => {
  const { emulator, port, megabytes } = await startProcess();
  await emulator.deliverTo(`http://127.0.0.1:${port}/webhooks/slack`);
  const lines = [HOOK, HOST, JSON_TYPE, announced(1_000_000)];
  await settle(flood(port, 30, [...lines, ...signed()], 990_000));
  const before = megabytes();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, megabytes());
  }, 20);
  onTestFinished(() => clearInterval(watch));
  const unsigned = await settle(flood(port, 300, lines, 990_000));
  expect(unsigned.filter(({ status }) => status !== 401 && status !== 0)).toEqual([]);
  const forged = await settle(flood(port, 300, [...lines, ...signed()], 990_000));
  const statuses = tally(forged.map(({ status }) => status));
  expect(Object.keys(statuses).every((status) => ['0', '408', '503'].includes(status))).toBe(true);
  expect(statuses[408] ?? 0).toBeLessThanOrEqual(17);
  expect(peak - before).toBeLessThan(120);
  // A real request comes through as ever, also one that asks first whether it may.
  const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' });
  const mac = createHmac('sha256', emulator.signingSecret).update(`v0:${now()}:${body}`).digest('hex');
  const real = head(
    HOOK,
    HOST,
    JSON_TYPE,
    ...signed(now(), `v0=${mac}`),
    announced(body.length),
    EXPECT,
    'connection: close',
  );
  expect((await send(port, real + body)).text).toMatch(/^HTTP\/1\.1 100 Continue[\s\S]*HTTP\/1\.1 200 OK[\s\S]*abc/);
});
