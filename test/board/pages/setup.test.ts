/** What `viber init` can do, done on the Board: a model, a chat, and the account that becomes the owner's. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ALEX, openWorld, STRANGER, type World } from '../../dialogs/harness.ts';
import { logIn } from '../browser.ts';
import { ageLogins, openOwned as open } from '../owner.ts';

function setVariable(name: string, value: string): void {
  process.env[name] = value;
  onTestFinished(() => void delete process.env[name]);
}

/** A home without chats, and Telegram where a new bot would be found. */
async function withoutChats(config: Record<string, unknown> = {}) {
  const opened = await open({ config: { channels: {}, ...config } });
  setVariable('TELEGRAM_API_ROOT', opened.world.telegram.url);
  return opened;
}

const configOf = ({ read }: World) => JSON.parse(read('config.json'));

describe('a chat', () => {
  it('is added with the steps of the wizard, works at once, and the code in its link makes the account the owner', async () => {
    const { world, board } = await withoutChats();
    const { body } = await board.ask('GET', '/api/setup/chats');
    expect(body.chats).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'telegram', isOn: false, steps: expect.arrayContaining([expect.any(String)]) }),
        expect.objectContaining({ name: 'slack', paste: expect.stringContaining('slash_commands') }),
      ]),
    );
    const { token } = world.telegram;
    const added = await board.ask('POST', '/api/setup/chats/telegram', { tokens: { token } });
    expect(added).toMatchObject({ status: 200, body: { ok: true, isStarted: true, findings: [{ state: 'ok' }] } });
    expect(added.text).not.toContain(token);
    expect(configOf(world).channels).toEqual({ telegram: { token: `\${TELEGRAM_BOT_TOKEN}` } });
    expect(world.read('.env')).toBe(`TELEGRAM_BOT_TOKEN=${token}\n`);
    const joined = await board.ask('POST', '/api/setup/chats/telegram/join', {});
    expect(joined.body).toMatchObject({ kind: 'code', isSentByLink: true, qr: { size: expect.any(Number) } });
    const link = new URL(String(joined.body.link));
    expect(link.searchParams.get('start')).toBe(joined.body.code);
    world.telegram.say(STRANGER, `/start ${link.searchParams.get('start')}`);
    expect((await world.answer(STRANGER)).text).toContain('alex');
    await expect
      .poll(async () => (await board.ask('GET', '/api/setup/chats/telegram/people')).body)
      .toMatchObject({ joined: [`telegram:${STRANGER}`], waiting: [], isConnected: true });
    world.llm.script(() => ({ text: 'Hello Alex.' }));
    expect((await world.ask('hello', STRANGER)).text).toContain('Hello Alex');
    // The code works once.
    world.telegram.say(7777, `/start ${link.searchParams.get('start')}`);
    expect((await world.answer(7777)).text).not.toContain('alex');
  });

  it('of a viber without an owner lets in whoever the person at the machine says they are', async () => {
    const { world, board } = await withoutChats({ people: [] });
    await board.ask('POST', '/api/setup/chats/telegram', { tokens: { token: world.telegram.token } });
    expect((await board.ask('POST', '/api/setup/chats/telegram/join', {})).body).toMatchObject({ kind: 'meet' });
    world.telegram.say(STRANGER, 'It is me');
    const waiting = async () => (await board.ask('GET', '/api/setup/chats/telegram/people')).body.waiting;
    await expect.poll(waiting).toEqual([expect.objectContaining({ words: 'It is me' })]);
    const [{ code }] = (await waiting()) as { code: string }[] as [{ code: string }];
    expect((await board.ask('POST', `/api/setup/owners/${code}`, { verdict: 'approve' })).status).toBe(200);
    await expect.poll(waiting).toEqual([]);
    expect(JSON.parse(world.read('access/paired.json'))).toMatchObject([{ role: 'owner' }]);
  });

  it('with a wrong token says what the wizard says, and nothing is written', async () => {
    const { world, board } = await withoutChats();
    const before = world.read('config.json');
    const wrong = await board.ask('POST', '/api/setup/chats/telegram', { tokens: { token: '99:not-the-token-of-it' } });
    expect(wrong.body).toMatchObject({ ok: false, fix: expect.stringContaining('BotFather') });
    expect(wrong.text).not.toContain('not-the-token');
    expect([world.read('config.json'), world.read('.env')]).toEqual([before, '']);
    for (const tokens of [{}, { token: '' }, { token: 'a b' }, { token: `\${HOME}` }, { token: 'x'.repeat(501) }])
      expect((await board.ask('POST', '/api/setup/chats/telegram', { tokens })).status).toBe(400);
    expect((await board.ask('POST', '/api/setup/chats/nowhere', { tokens: {} })).status).toBe(404);
    expect([world.read('config.json'), world.read('.env')]).toEqual([before, '']);
  });

  it('is refused where the environment would go on with another token', async () => {
    const { world, board } = await withoutChats();
    setVariable('TELEGRAM_BOT_TOKEN', '1:of-the-environment');
    const refused = await board.ask('POST', '/api/setup/chats/telegram', { tokens: { token: world.telegram.token } });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'set_outside' } } });
    expect(process.env.TELEGRAM_BOT_TOKEN).toBe('1:of-the-environment');
  });
});

describe('a model', () => {
  it('is asked for one word before it is saved', async () => {
    const { world, board } = await open();
    world.llm.script(() => ({ text: 'OK' }));
    const choice = { provider: 'local', model: 'another-model' };
    const tested = await board.ask('POST', '/api/setup/model', { ...choice, test: true });
    expect(tested.body).toMatchObject({ ok: true, isSaved: false, findings: [{ state: 'ok' }] });
    expect(configOf(world).model).toBe('local/test-model');
    expect((await board.ask('POST', '/api/setup/model', choice)).body).toMatchObject({ ok: true, isSaved: true });
    expect(configOf(world).model).toBe('local/another-model');
    expect((await board.ask('GET', '/api/setup')).body.waiting).toEqual(['model']);
  });

  it('that does not answer is kept only if the owner says so', async () => {
    const { world, board } = await open();
    world.llm.script(() => ({ fault: 'unauthorized' }));
    const choice = { provider: 'local', model: 'refused' };
    expect((await board.ask('POST', '/api/setup/model', choice)).body).toMatchObject({
      ...{ ok: false, isSaved: false, fix: expect.any(String) },
      findings: [{ state: 'wrong', text: expect.any(String) }],
    });
    expect(configOf(world).model).toBe('local/test-model');
    expect((await board.ask('POST', '/api/setup/model', { ...choice, keep: true })).body.isSaved).toBe(true);
    expect(configOf(world).model).toBe('local/refused');
  });

  it('at another address gets a key of its own, never one that is there', async () => {
    const { world, board } = await open();
    world.llm.script(() => ({ text: 'OK' }));
    const there = { provider: 'custom', model: 'mine', address: world.llm.url };
    expect((await board.ask('POST', '/api/setup/model', { ...there, key: 'sk-of-the-owner-1' })).body.isSaved).toBe(
      true,
    );
    expect(configOf(world).providers.custom).toEqual({ baseURL: world.llm.url, apiKey: `\${CUSTOM_API_KEY}` });
    expect(world.read('.env')).toBe('CUSTOM_API_KEY=sk-of-the-owner-1\n');
    const elsewhere = { ...there, address: `${world.llm.url}/elsewhere` };
    expect(await board.ask('POST', '/api/setup/model', elsewhere)).toMatchObject({
      ...{ status: 400, body: { error: { field: 'key' } } },
    });
    expect(configOf(world).providers.custom.baseURL).toBe(world.llm.url);
  });

  it('of an unknown kind, with a variable of the gateway, or at a file is refused', async () => {
    const { world, board } = await open();
    for (const body of [
      { provider: 'evil', model: 'x' },
      { provider: '__proto__', model: 'x' },
      { provider: 'local', model: `\${HOME}` },
      { provider: 'custom', model: 'x', address: 'file:///etc/passwd' },
      { provider: 'custom', model: 'x', address: `https://evil.example/\${HOME}`, key: 'k' },
      { provider: 'local', model: 'a\nb' },
      { provider: 'local' },
    ])
      expect([body, (await board.ask('POST', '/api/setup/model', body)).status]).toEqual([body, 400]);
    expect(configOf(world).model).toBe('local/test-model');
  });
});

it('a stolen login adds no chat, no key, no address and no account', async () => {
  const { world, board } = await withoutChats();
  const before = world.read('config.json');
  ageLogins(world.home);
  for (const [where, body] of [
    ['chats/telegram', { tokens: { token: world.telegram.token } }],
    ['chats/telegram/join', {}],
    ['owners/ABCD2345', { verdict: 'approve' }],
    ['model', { provider: 'local', model: 'x', key: 'sk-of-a-thief' }],
    ['model', { provider: 'custom', model: 'x', address: 'https://evil.example' }],
  ] as const)
    expect([where, await board.ask('POST', `/api/setup/${where}`, body)]).toMatchObject([
      where,
      { status: 403, body: { error: { code: 'old_login' } } },
    ]);
  expect([world.read('config.json'), world.read('.env')]).toEqual([before, '']);
});

it('a login with a link from a chat counts as one that is not fresh', async () => {
  const world = await openWorld();
  const { text } = await world.ask('/board', ALEX);
  const board = await logIn(world.app.port ?? 0, text);
  expect((await board.ask('GET', '/api/setup')).body.freshUntil).toBeUndefined();
  expect((await board.ask('POST', '/api/setup/chats/telegram/join', {})).status).toBe(403);
});
