/** Faults, outages and limits, and the platform as a separate process, with the real grammY client. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { Api, InputFile } from 'grammy';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ALEX, apiOf, freshTelegram, GROUP, refused, refuses } from './grammy-helpers.ts';
import { spawnTelegram, type TelegramProcess } from './telegram-client.ts';

const fresh = freshTelegram();
const texts = () => fresh.tg.lines(ALEX).slice(1);

describe('faults', () => {
  beforeEach(() => void fresh.tg.say(ALEX, 'hi'));

  test('an answer that is lost leaves its message in the chat', async () => {
    fresh.tg.fault({ method: 'sendMessage', kind: 'reset-after' });
    await refuses(fresh.api.sendMessage(ALEX, 'once'), 'no answer');
    expect(texts()).toEqual(['bot: once']);
    await fresh.api.sendMessage(ALEX, 'once');
    expect(texts()).toEqual(['bot: once', 'bot: once']);
    const edit = () => fresh.api.editMessageText(ALEX, fresh.tg.chat(ALEX).messages.at(-1)?.id ?? 0, 'edited');
    fresh.tg.fault({ method: 'editMessageText', kind: 'reset-after' });
    await refuses(edit(), 'no answer');
    await refuses(edit(), 'message is not modified');
  });

  test.each(['refuse', 'reset-before'] as const)('%s does nothing', async (kind) => {
    fresh.tg.fault({ kind, times: 2 });
    await refuses(fresh.api.sendMessage(ALEX, 'lost'), 'no answer');
    await refuses(fresh.api.getMe(), 'no answer');
    await fresh.api.sendMessage(ALEX, 'kept');
    expect(texts()).toEqual(['bot: kept']);
  });

  test('a call that hangs is not carried out, unless asked', async () => {
    const impatient = new Api(fresh.tg.token, { apiRoot: fresh.tg.url, timeoutSeconds: 0.2 });
    fresh.tg.fault({ kind: 'hang' });
    await refuses(impatient.sendMessage(ALEX, 'not done'), 'no answer');
    fresh.tg.fault({ kind: 'hang-after' });
    await refuses(impatient.sendMessage(ALEX, 'done'), 'no answer');
    expect(texts()).toEqual(['bot: done']);
  });

  test('a status is answered for one chat only, after as many calls as told', async () => {
    fresh.tg.say(1002, 'hi');
    fresh.tg.fault({ chat: ALEX, kind: 'status', retryAfter: 9, skip: 1 });
    fresh.tg.fault({ chat: 1002, kind: 'status', status: 502, html: true });
    await fresh.api.sendMessage(ALEX, 'first');
    const error = await fresh.api.sendMessage(ALEX, 'second').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ error_code: 429, parameters: { retry_after: 9 } });
    await refuses(fresh.api.sendMessage(1002, 'x'), 'no answer');
    await fresh.api.sendMessage(1002, 'x');
    expect(fresh.tg.counters().faultsLeft).toBe(0);
  });

  test('a download breaks in the middle', async () => {
    const { document } = fresh.tg.sendFile(ALEX, { name: 'a.bin', bytes: Buffer.alloc(2_000_000, 7) });
    const { file_path } = await fresh.api.getFile(document?.file_id ?? '');
    fresh.tg.fault({ method: 'file', kind: 'reset-after' });
    const url = `${fresh.tg.url}/file/bot${fresh.tg.token}/${file_path}`;
    await expect(fetch(url).then((response) => response.arrayBuffer())).rejects.toThrow();
    expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(2_000_000);
  });
});

describe('outages', () => {
  test.each(['refuse', 'reset', 502] as const)('%s: every call fails until it is over', async (kind) => {
    fresh.tg.say(ALEX, 'hi');
    const waiting = refused(fresh.api.getUpdates({ offset: 600_000_000, timeout: 30 }));
    await fresh.tg.called('getUpdates');
    await fresh.tg.outage(kind);
    const expected = kind === 502 ? '502 Bad Gateway' : 'no answer';
    expect(await waiting).toBe(expected);
    expect(await refused(fresh.api.getMe())).toBe(expected);
    expect(await refused(fresh.api.sendDocument(ALEX, new InputFile(Buffer.alloc(100_000), 'a.bin')))).toBe(expected);
    await fresh.tg.outage();
    expect((await fresh.api.getMe()).is_bot).toBe(true);
    expect(texts()).toEqual([]);
  });

  test('hang: connections stay open and nothing is answered, not even a waiting poll', async () => {
    const impatient = new Api(fresh.tg.token, { apiRoot: fresh.tg.url, timeoutSeconds: 0.3 });
    const waiting = refused(impatient.getUpdates({ timeout: 30 }));
    await fresh.tg.called('getUpdates');
    await fresh.tg.outage('hang');
    fresh.tg.say(ALEX, 'hi');
    await refuses(impatient.getMe(), 'no answer');
    expect(await waiting).toBe('no answer');
    await fresh.tg.outage();
    expect(await fresh.api.getUpdates()).toHaveLength(1);
  });
});

describe('limits', () => {
  test('a chat takes a small burst, then about one message a second', async () => {
    fresh.tg.rate();
    fresh.tg.say(ALEX, 'hi');
    fresh.tg.say(1002, 'hi');
    for (let n = 1; n <= 3; n += 1) await fresh.api.sendMessage(ALEX, `${n}`);
    await refuses(fresh.api.sendMessage(ALEX, '4'), '429 Too Many Requests: retry after 1');
    await refuses(fresh.api.sendMessage(ALEX, '4'), /^429/);
    await fresh.api.sendMessage(1002, 'another chat');
    await fresh.api.sendChatAction(ALEX, 'typing');
    expect(fresh.tg.counters()).toMatchObject({ violations: 2, early: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1050));
    await fresh.api.sendMessage(ALEX, '4');
    expect(fresh.tg.counters().violations).toBe(2);
    expect(texts()).toEqual(['bot: 1', 'bot: 2', 'bot: 3', 'bot: 4']);
  });

  test('a group takes 20 a minute, albums count by their parts, and all chats together have a limit', async () => {
    fresh.tg.rate({ perChatSecond: 1000, chatBurst: 1000 });
    fresh.tg.say(GROUP, { from: ALEX, text: 'hi' });
    const photo = { type: 'document', media: new InputFile(Buffer.from('x'), 'x.txt') } as const;
    for (let n = 0; n < 4; n += 1) await fresh.api.sendMediaGroup(GROUP, Array(5).fill(photo));
    await refuses(fresh.api.sendMessage(GROUP, 'x'), /^429 Too Many Requests: retry after [123]$/);
    fresh.tg.rate({ perChatSecond: 1000, chatBurst: 1000, perSecond: 2 });
    fresh.tg.say(ALEX, 'hi');
    const results = await Promise.all(Array.from({ length: 30 }, () => refused(fresh.api.sendMessage(ALEX, 'x'))));
    const limited = results.filter((result) => result.startsWith('429')).length;
    expect(limited).toBeGreaterThan(10);
    expect(limited).toBeLessThanOrEqual(28);
    fresh.tg.rate(false);
    await fresh.api.sendMessage(GROUP, 'x');
  });
});

describe('as a process of its own', () => {
  let far: TelegramProcess;
  beforeEach(async () => {
    far = await spawnTelegram();
  });
  afterEach(() => far.kill());

  test('is driven like the one in-process', async () => {
    const api = apiOf(far);
    await far.addUser({ id: ALEX, first_name: 'Alex' });
    const said = await far.say(ALEX, 'hello');
    expect(said.from?.first_name).toBe('Alex');
    const reply = far.waitFor((message) => message.from === 'bot' && message.text.includes('hello'));
    const [update] = await api.getUpdates({ timeout: 5 });
    await api.sendDocument(ALEX, new InputFile(Buffer.from('content'), 'a.txt'), {
      caption: `got ${update?.message?.text}`,
    });
    const shown = await reply;
    expect(shown.files[0]).toMatchObject({ name: 'a.txt', size: 7 });
    expect((await far.bytes(shown.files[0]?.fileId ?? '')).toString()).toBe('content');
    const sent = await far.sendFile(ALEX, { name: 'b.bin', bytes: Buffer.from([0, 255, 1]) });
    expect(await far.bytes(sent.document?.file_id ?? '')).toEqual(Buffer.from([0, 255, 1]));
    await expect(far.press(ALEX, 'none')).rejects.toThrow('no button');
    await expect(far.waitFor((message) => message.id === -1, 100)).rejects.toThrow('within 100 ms');
  });

  test('keeps its control while the platform is down, and answers plain HTTP', async () => {
    const { control } = far;
    await far.say(ALEX, 'hello');
    await far.outage('refuse');
    await refuses(apiOf(far).getMe(), 'no answer');
    const body = JSON.stringify([ALEX, { text: 'by hand' }]);
    await fetch(`${control}/control/say`, { method: 'POST', body });
    await far.outage();
    expect((await apiOf(far).getUpdates()).map((update) => update.message?.text)).toEqual(['hello', 'by hand']);
    const found = await fetch(`${control}/control/wait?chat=${ALEX}&text=by%20hand`);
    expect(await found.json()).toMatchObject({ ok: true, result: { text: 'by hand' } });
    expect((await fetch(`${control}/control/nothing`)).status).toBe(400);
  });

  test('costs little for each call', async () => {
    await far.say(ALEX, 'hello');
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const send = async (text: string) => {
      const headers = { 'content-type': 'application/json' };
      const call = request(`${far.url}/bot${far.token}/sendMessage`, { method: 'POST', agent, headers });
      call.end(JSON.stringify({ chat_id: ALEX, text }));
      const [response] = await once(call, 'response');
      response.resume();
      await once(response, 'end');
    };
    const many = async (count: number) => {
      for (let n = 0; n < count; n += 4) await Promise.all([send('a'), send('b'), send('c'), send('d')]);
    };
    await many(1000);
    const before = (await far.counters()).cpuMicros;
    await many(2000);
    const micros = ((await far.counters()).cpuMicros - before) / 2000;
    agent.destroy();
    // The target on a quiet machine is 300; the rest leaves room for a busy one.
    expect(micros).toBeLessThan(600);
  });
});
