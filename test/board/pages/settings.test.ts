/** The settings as an owner changes them in a browser, and what somebody with a stolen login may not. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SettingShown } from '../../../src/client/setup-shapes.ts';
import { viberLink } from '../../helpers/board-link.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { type Browser, logIn, type Reply, request } from '../browser.ts';
import { ageLogins } from '../owner.ts';
import { type Gateway, startGateway } from '../start.ts';

const OWNER = 'the-token-of-the-owner';
const MEMBER = 'the-token-of-a-member';

/** As a person writes it: comments, an order of their own, a reference, quotes. */
const CONFIG = `# Mine.
people:
  - { name: alex, role: owner, ids: ["telegram:1001"] } # me
model: offline/viber # small, for now
limits:
  freeBytes: 0
  # Enough for us.
  runs: 8
providers:
  mine: { baseURL: "http://127.0.0.1:9/v1", apiKey: "\${MINE_API_KEY}" }
search: { apiKey: sk-plain-secret-in-the-file }
http:
  port: 0
  token: ${OWNER}
  clients: { plain: { token: ${MEMBER} } }
`;

let home: string;
let gateway: Gateway;
let board: Browser;
const file = () => path.join(home, 'config.yaml');
const written = () => fs.readFileSync(file(), 'utf8');
const env = () => (fs.existsSync(path.join(home, '.env')) ? fs.readFileSync(path.join(home, '.env'), 'utf8') : '');

beforeAll(async () => {
  home = tempFolder(afterAll);
  fs.writeFileSync(file(), CONFIG);
  fs.writeFileSync(path.join(home, '.env'), 'MINE_API_KEY=sk-the-first-key\n');
  gateway = await startGateway(home);
  board = await logIn(gateway.port, await viberLink(home));
});

afterAll(() => gateway.stop('SIGKILL'));

beforeEach(() => {
  fs.writeFileSync(file(), CONFIG);
  fs.writeFileSync(path.join(home, '.env'), 'MINE_API_KEY=sk-the-first-key\n');
});

const look = async (): Promise<Reply> => board.ask('GET', '/api/setup');
const settingOf = ({ body }: Reply, name: string): SettingShown | undefined =>
  (body.settings as SettingShown[]).find(({ path: steps }) => steps.join('.') === name);

async function change(...changes: [name: string, value: unknown][]): Promise<Reply> {
  const { hash } = (await look()).body;
  return board.ask('PUT', '/api/setup', {
    hash,
    changes: changes.map(([name, value]) => ({ path: name.split('.'), value })),
  });
}

describe('an owner', () => {
  it('sees each setting with its meaning, its default and its value, and no secret', async () => {
    const shown = await look();
    expect(shown.status).toBe(200);
    expect(settingOf(shown, 'limits.runs')).toMatchObject({
      ...{ kind: 'number', isWhole: true, least: 1, most: 1000, usual: 32, value: 8, isSet: true, level: 'login' },
      about: expect.any(String),
    });
    expect(settingOf(shown, 'log.level')).toMatchObject({ kind: 'choice', usual: 'info', isSet: false });
    expect(settingOf(shown, 'providers.mine.apiKey')).toMatchObject({
      ...{ isSecret: true, isSet: true, variable: 'MINE_API_KEY' },
    });
    for (const secret of ['sk-the-first-key', 'sk-plain-secret', OWNER, MEMBER])
      expect(shown.text).not.toContain(secret);
    expect(shown.body).toMatchObject({ file: 'config.yaml', problems: [], waiting: [], canRestart: true });
  });

  it('changes some of them; comments, order and everything else stay, with a copy of the text before', async () => {
    const changed = await change(['limits.runs', 9], ['language', 'de'], ['history.maxMessages', 60]);
    expect(changed.status).toBe(200);
    expect(written()).toBe(`${CONFIG.replace('runs: 8', 'runs: 9')}language: de\nhistory:\n  maxMessages: 60\n`);
    expect(fs.readFileSync(path.join(home, 'config.before.yaml'), 'utf8')).toBe(CONFIG);
    expect(fs.statSync(path.join(home, 'config.before.yaml')).mode & 0o777).toBe(0o600);
    expect(changed.body.waiting).toEqual(expect.arrayContaining(['limits', 'language', 'history']));
    expect((await change(['language', null])).status).toBe(200);
    expect(written()).not.toContain('language');
  });

  it('reads what the loader says, at the field, and nothing is written', async () => {
    const refused = await change(['limits.runs', 0], ['model', 'nonsense'], ['log.level', 'loud']);
    expect(refused.status).toBe(400);
    expect(refused.body.problems).toEqual(
      expect.arrayContaining([
        { path: 'limits.runs', message: expect.stringContaining('1 to 1000') },
        { path: 'model', message: expect.stringContaining('provider/model') },
        { path: 'log.level', message: expect.any(String) },
      ]),
    );
    expect(written()).toBe(CONFIG);
    expect(fs.readdirSync(home).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  it('is told of a change elsewhere, and overwrites nothing', async () => {
    const { hash } = (await look()).body;
    fs.writeFileSync(file(), `${CONFIG}# by hand\n`);
    const refused = await board.ask('PUT', '/api/setup', { hash, changes: [{ path: ['limits', 'runs'], value: 9 }] });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(refused.text).not.toContain(OWNER);
    expect(written()).toBe(`${CONFIG}# by hand\n`);
  });

  it('gives a secret, which goes into .env and is never shown; the reference stays', async () => {
    const kept = await change(['providers.mine.apiKey', 'sk-the-second-key']);
    expect(kept.status).toBe(200);
    expect(env()).toBe('MINE_API_KEY=sk-the-second-key\n');
    expect(written()).toBe(CONFIG);
    const fresh = await change(['search.apiKey', 'sk-another-secret']);
    expect(written()).toContain(`apiKey: "\${VIBER_SEARCH_APIKEY}"`);
    expect(env()).toContain('VIBER_SEARCH_APIKEY=sk-another-secret');
    for (const { text } of [kept, fresh, await look()]) expect(text).not.toMatch(/sk-(the|another)/);
    expect(gateway.log.join('\n')).not.toMatch(/sk-(the|another)/);
  });

  it('sees what is wrong with a file that was broken by hand, and changes nothing in it', async () => {
    fs.writeFileSync(file(), `${CONFIG}limits: { runs: many }\n`);
    const { body } = await look();
    expect(body.problems).toEqual([{ path: '', message: expect.stringContaining('limits') }]);
    expect((await change(['language', 'de'])).status).toBe(400);
    expect(written()).toBe(`${CONFIG}limits: { runs: many }\n`);
  });
});

describe('a stolen login', () => {
  it('older than fifteen minutes changes nothing that lets people in, spends money or holds a key', async () => {
    onTestFinished(ageLogins(home));
    for (const [name, value] of [
      ['limits.costPerDay', 0],
      ['web.hosts', ['evil.example']],
      ['providers.mine.apiKey', 'sk-of-a-thief'],
      ['planApproval', 'off'],
      ['memory.autoAccept', true],
    ] as const)
      expect([name, await change([name, value])]).toMatchObject([
        name,
        { status: 403, body: { error: { code: 'old_login' } } },
      ]);
    expect(written()).toBe(CONFIG);
    expect((await look()).body.freshUntil).toBeUndefined();
    expect((await change(['language', 'de'])).status).toBe(200);
  });

  it.each([
    ['plugins', ['/tmp/evil.js']],
    ['voice.command', ['/bin/sh', '-c', 'id']],
    ['projects.roots', ['/']],
    ['http.origins', ['https://evil.example']],
    ['http.host', '0.0.0.0'],
    ['http.token', 'mine'],
    ['http.clients.thief.token', 'mine'],
    ['http.clients.plain.role', 'owner'],
    ['hub.url', 'wss://evil.example'],
    ['engine.url', 'redis://evil.example'],
    ['telemetry.endpoint', 'https://evil.example'],
    ['providers.mine.baseURL', 'https://evil.example/v1'],
    ['channels.telegram.apiRoot', 'https://evil.example'],
    ['channels.evil.module', '/tmp/evil.js'],
    ['mcp.evil.command', '/bin/sh'],
    ['mcp.evil.url', 'https://evil.example'],
    ['search.url', 'https://evil.example'],
    ['skills.webOrigins', ['https://evil.example']],
    ['skills.shell', 'network'],
    ['people.0.role', 'member'],
    ['people.1.ids', ['telegram:6666']],
    ['__proto__.polluted', 'x'],
    ['constructor.prototype.polluted', 'x'],
    ['model.__proto__', 'x'],
  ])('even a fresh one never sets %s', async (name, value) => {
    expect(await change([name, value])).toMatchObject({
      status: 403,
      body: { error: { code: 'at_machine', field: name } },
    });
    expect(written()).toBe(CONFIG);
  });

  it('brings no variable of the gateway to light', async () => {
    for (const [name, value] of [
      ['language', `\${PATH}`],
      ['model', `mine/\${MINE_API_KEY}`],
      ['models', [`mine/\${HOME}`]],
      ['search.apiKey', `\${MINE_API_KEY}`],
      ['voice.speaker', `$\${HOME}`],
    ] as const) {
      const refused = await change([name, value]);
      expect([name, refused.status]).toEqual([name, 400]);
      expect(refused.text).not.toContain(process.env.PATH ?? '/usr');
    }
    expect(written()).toBe(CONFIG);
  });

  it.each([
    [{ changes: [{ path: ['model'], value: 'x/y' }] }],
    [{ hash: '', changes: [] }],
    [{ hash: '', changes: [{ path: [], value: 1 }] }],
    [{ hash: '', changes: [{ path: ['model'], value: { a: 1 } }] }],
    [{ hash: '', changes: [{ path: ['model'], value: 'a/b\nevil: true' }] }],
    [{ hash: '', changes: Array.from({ length: 51 }, () => ({ path: ['model'], value: 'x/y' })) }],
    [{ hash: '', changes: [{ path: ['model'], value: 'x'.repeat(5_000) }] }],
    [{ hash: '', changes: [{ path: ['model'], value: 'x/y', more: 1 }] }],
  ])('sends what is no change: %j', async (body) => {
    expect((await board.ask('PUT', '/api/setup', body)).status).toBe(400);
    expect(written()).toBe(CONFIG);
  });

  it('comes from another site, or without its key', async () => {
    const body = JSON.stringify({ hash: '', changes: [{ path: ['model'], value: 'x/y' }] });
    const from = (headers: Record<string, string>) =>
      request(
        gateway.port,
        'PUT',
        '/api/setup',
        { ...board.headers, 'content-type': 'application/json', ...headers },
        body,
      );
    expect((await from({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await from({})).status).toBe(403);
    expect((await from({ origin: `http://127.0.0.1:${gateway.port}`, 'x-viber-key': 'wrong' })).status).toBe(401);
  });
});

describe('programs', () => {
  const as = (token: string, method: string, body?: object) =>
    request(
      gateway.port,
      method,
      '/api/setup',
      { host: `127.0.0.1:${gateway.port}`, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body && JSON.stringify(body),
    );

  it('of a member see and change nothing; one of the owner changes what needs no fresh login', async () => {
    expect((await as(MEMBER, 'GET')).status).toBe(403);
    expect((await as(MEMBER, 'PUT', {})).status).toBe(403);
    const { hash } = (await as(OWNER, 'GET')).body;
    expect((await as(OWNER, 'PUT', { hash, changes: [{ path: ['limits', 'runs'], value: 9 }] })).status).toBe(403);
    expect((await as(OWNER, 'PUT', { hash, changes: [{ path: ['language'], value: 'de' }] })).status).toBe(200);
  });
});

describe('the button', () => {
  it('restarts in order, and the settings and the new key are in use then', async () => {
    expect((await change(['history.maxMessages', 61], ['providers.mine.apiKey', 'sk-the-third-key'])).status).toBe(200);
    expect((await look()).body.waiting).toEqual(['providers', 'history']);
    const { pid } = gateway;
    expect((await board.ask('POST', '/api/setup/restart', {})).body).toEqual({ restarting: true });
    const about = () => JSON.parse(fs.readFileSync(path.join(home, 'run/gateway.json'), 'utf8')) as { port: number };
    await expect
      .poll(
        async () => {
          try {
            board.headers.host = `127.0.0.1:${about().port}`;
            const shown = await request(about().port, 'GET', '/api/setup', {
              ...{ host: `127.0.0.1:${about().port}`, authorization: `Bearer ${OWNER}` },
            });
            return shown.body.waiting;
          } catch {
            return 'away';
          }
        },
        { timeout: 60_000, interval: 250 },
      )
      .toEqual([]);
    expect(process.kill(pid, 0)).toBe(true);
    expect(gateway.log.join('\n')).toContain('a restart was requested on the Board');
  });
});
