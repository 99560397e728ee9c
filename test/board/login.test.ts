/** Logging in on the Board: by a link from this machine or from a direct message, and how a login ends. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { openWorld } from '../dialogs/harness.ts';
import { PROGRAM } from '../helpers/program.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { type Person, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformWorld } from '../platforms/world.ts';
import { codeOf, logIn, request, trade } from './browser.ts';

const run = promisify(execFile);

async function viber(home: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [PROGRAM, ...args, '--home', home]);
  return stdout;
}

const portOf = (home: string): number => JSON.parse(fs.readFileSync(path.join(home, 'run/gateway.json'), 'utf8')).port;
const stored = (home: string): string => fs.readFileSync(path.join(home, 'access/sessions.json'), 'utf8');

async function command(platform: Platform, place: Place, by: Person) {
  const after = platform.answers(place).length;
  await platform.command(place, 'board', '', by);
  return waitFor(platform, place, { after });
}

describe.each(onEveryPlatform)('/board on %s', (name) => {
  it('gives owners a link in a direct message, and nobody else, nowhere else', async () => {
    const world: PlatformWorld = await openPlatforms({ on: [name], channel: { live: 'off' } });
    const platform = world.platforms[name];
    const port = portOf(world.home);
    const shown = await command(platform, platform.dm('alex'), 'alex');
    expect(shown.text).toContain(`http://127.0.0.1:${port}/board/login#`);
    expect(shown.text).toContain('five minutes');
    const browser = await logIn(port, shown.text);
    expect((await browser.ask('GET', '/api/jobs')).status).toBe(200);
    expect((await command(platform, platform.dm('sam'), 'sam')).text).toBe('The Board is for my owners only.');
    const after = platform.answers(platform.room).length;
    const told = await platform.command(platform.room, 'board', '', 'alex');
    const refused = told.text === '' ? await waitFor(platform, platform.room, { after }) : told;
    expect(refused.text).toContain('only in a direct message');
    expect(refused.text).not.toContain('#');
    expect(stored(world.home)).not.toContain(codeOf(shown.text));
  });
});

describe('viber board', () => {
  it('prints a link that logs in once, and lists and ends logins', async () => {
    const world = await openWorld();
    const port = world.app.port ?? 0;
    const printed = await viber(world.home, 'board', '--no-open');
    expect(printed).toContain(`http://127.0.0.1:${port}/board/login#`);
    const browser = await logIn(port, printed);
    expect((await trade(port, codeOf(printed))).status).toBe(401);
    expect((await browser.ask('GET', '/api/jobs')).status).toBe(200);
    const listed = JSON.parse(await viber(world.home, 'board', 'sessions', '--json'));
    expect(listed.sessions).toMatchObject([{ id: browser.id, from: 'machine' }]);
    expect(await viber(world.home, 'board', 'sessions')).toContain(browser.id);
    expect(await viber(world.home, 'board', 'revoke', browser.id)).toContain('has ended');
    expect((await browser.ask('GET', '/api/jobs')).status).toBe(401);
    await expect(viber(world.home, 'board', 'revoke', browser.id)).rejects.toThrow('There is no login');
    await world.app.stop();
    await expect(viber(world.home, 'board')).rejects.toThrow('No gateway runs');
    expect(await viber(world.home, 'board', 'sessions')).toContain('No one is logged in');
    for (const file of ['sessions.json'])
      expect(fs.statSync(path.join(world.home, 'access', file)).mode & 0o777).toBe(0o600);
  });

  it('logs in for good: a restart changes nothing, and only hashes are kept', async () => {
    const world = await openWorld();
    const link = await viber(world.home, 'board', '--json');
    await world.restart();
    // The code was made before the restart.
    const browser = await logIn(world.app.port ?? 0, link);
    const [, secret = ''] = browser.cookie.split('.');
    for (const text of [secret, browser.key, codeOf(link)]) {
      expect(text).toMatch(/^[0-9a-f]{32}$/);
      expect(stored(world.home)).not.toContain(text);
      expect(JSON.stringify(world.logs)).not.toContain(text);
    }
    const before = world.app.port;
    await world.restart();
    // The name of the cookie holds the port, which is another one in a test.
    const port = world.app.port ?? 0;
    const headers = { host: `127.0.0.1:${port}`, cookie: browser.cookie.replace(`viber-${before}`, `viber-${port}`) };
    expect((await request(port, 'GET', '/api/jobs', { ...headers, 'x-viber-key': browser.key })).status).toBe(200);
  });

  it('that is revoked ends its sockets at once, and a damaged list logs everybody out', async () => {
    const world = await openWorld();
    const port = world.app.port ?? 0;
    const browser = await logIn(port, await viber(world.home, 'board', '--json'));
    const headers = { cookie: browser.cookie, origin: `http://127.0.0.1:${port}` };
    const connect = async (key: string) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers });
      const closed = once(socket, 'close');
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'auth', id: '1', key }));
      return { socket, closed };
    };
    expect((await (await connect('0'.repeat(32))).closed)[0]).toBe(4401);
    const { socket, closed } = await connect(browser.key);
    const [first] = await once(socket, 'message');
    expect(JSON.parse(String(first)).type).toBe('connected');
    await viber(world.home, 'board', 'revoke', browser.id);
    expect((await closed)[0]).toBe(4401);
    const other = await logIn(port, await viber(world.home, 'board', '--json'));
    fs.writeFileSync(path.join(world.home, 'access/sessions.json'), '{"not": "a list"');
    fs.utimesSync(path.join(world.home, 'access/sessions.json'), 1, 1);
    await expect.poll(async () => (await other.ask('GET', '/api/jobs')).status).toBe(401);
    expect((await logIn(port, await viber(world.home, 'board', '--json'))).id).not.toBe(other.id);
  });

  it('by the logged in themselves: DELETE ends a login and its cookie', async () => {
    const world = await openWorld();
    const port = world.app.port ?? 0;
    const browser = await logIn(port, await viber(world.home, 'board', '--json'));
    const other = await logIn(port, await viber(world.home, 'board', '--json'));
    expect((await browser.ask('DELETE', `/board/session/${other.id}`)).status).toBe(200);
    expect((await other.ask('GET', '/api/jobs')).status).toBe(401);
    expect((await browser.ask('DELETE', '/board/session/00000000')).status).toBe(404);
    const ended = await browser.ask('DELETE', `/board/session/${browser.id}`);
    expect(ended.headers['set-cookie']?.[0]).toMatch(/^viber-\d+=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/);
    expect((await browser.ask('GET', '/api/jobs')).status).toBe(401);
  });
});

describe('an owner who is none any more', () => {
  it('loses the login at the next request', async () => {
    const { world, platform: telegram } = await openChat(
      { channel: { live: 'off' }, config: { people: [] } },
      'telegram',
    );
    const port = portOf(world.home);
    await telegram.say(telegram.dm('alex'), 'hello');
    await waitFor(telegram, telegram.dm('alex'));
    const { pending } = JSON.parse(await viber(world.home, 'pair', 'list', '--json'));
    await viber(world.home, 'pair', 'approve', pending[0].code, 'owner');
    await waitFor(telegram, telegram.dm('alex'), { after: 1 });
    const shown = await command(telegram, telegram.dm('alex'), 'alex');
    const link = shown.text.includes('#') ? shown : await waitFor(telegram, telegram.dm('alex'), { text: '#' });
    const browser = await logIn(port, link.text);
    expect((await browser.ask('GET', '/api/jobs')).status).toBe(200);
    const file = path.join(world.home, 'access/paired.json');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"owner"', '"member"'));
    expect((await browser.ask('GET', '/api/jobs')).status).toBe(401);
    expect(stored(world.home)).not.toContain(browser.id);
  });
});
