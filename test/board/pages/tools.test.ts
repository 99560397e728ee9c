/** Skills and servers of tools, added, updated and removed on the Board; logins by link; backups and the look for updates. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOAuth } from '../../emulators/mcp-oauth.ts';
import { viberLink } from '../../helpers/board-link.ts';
import { PROGRAM } from '../../helpers/program.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { serve, skillText, zipOfFiles } from '../../skills/add/sources.ts';
import { logIn } from '../browser.ts';
import { ageLogins, openOwned as open } from '../owner.ts';
import { startGateway } from '../start.ts';

const run = promisify(execFile);

describe('a skill', () => {
  async function withSource() {
    let files: Record<string, string> = { 'SKILL.md': skillText('pdf', '', 'First.') };
    const source = await serve((_request, response) => void response.end(zipOfFiles(files)));
    const opened = await open({ config: { skills: { webOrigins: [source.origin] } } });
    const change = (next: Record<string, string>) => {
      files = next;
    };
    return { ...opened, source: `${source.origin}/pdf.zip`, change };
  }

  it('is looked at, agreed to, updated by what has changed, and removed', async () => {
    const { world, board, source, change } = await withSource();
    const looked = await board.ask('POST', '/api/setup/skills/look', { source });
    expect(looked.status).toBe(200);
    const offer = looked.body.offer as { id: string; skills: { name: string; text: string }[] };
    expect(offer.skills).toMatchObject([{ name: 'pdf', isUpdate: false, text: expect.stringContaining('First.') }]);
    expect(fs.existsSync(path.join(world.home, 'skills/pdf'))).toBe(false);
    expect((await board.ask('POST', `/api/setup/skills/offers/${offer.id}`, { verdict: 'take' })).body).toEqual({
      added: ['pdf'],
    });
    expect(world.read('skills/pdf/SKILL.md')).toContain('First.');
    expect(JSON.stringify((await board.ask('GET', '/api/skills')).body)).toContain('"pdf"');
    change({ 'SKILL.md': skillText('pdf', '', 'Second.') });
    const { body } = await board.ask('POST', '/api/setup/skills/updates', {});
    const update = body.offer as typeof offer;
    expect(update.skills).toMatchObject([{ name: 'pdf', isUpdate: true, text: expect.stringContaining('+Second.') }]);
    await board.ask('POST', `/api/setup/skills/offers/${update.id}`, { verdict: 'take' });
    expect(world.read('skills/pdf/SKILL.md')).toContain('Second.');
    expect((await board.ask('DELETE', '/api/setup/skills/pdf')).status).toBe(200);
    expect(fs.existsSync(path.join(world.home, 'skills/pdf'))).toBe(false);
  });

  it('is not read from a folder of the machine, nor taken by an offer that was never made', async () => {
    const { world, board } = await withSource();
    for (const source of ['/etc', '../x', '~/.ssh', './x', ' /etc', 'file:///etc', '', 'x'.repeat(501)])
      expect([source, (await board.ask('POST', '/api/setup/skills/look', { source })).status]).toEqual([source, 400]);
    const offered = await board.ask('POST', '/api/setup/skills/offers/abc', { verdict: 'take' });
    expect(offered.status).toBe(400);
    expect(fs.readdirSync(path.join(world.home, 'skills'))).toEqual([]);
  });
});

describe('a server of tools', () => {
  it('at an address is added with its token in .env, once, and removed', async () => {
    const { world, board } = await open();
    const server = { name: 'notes', url: 'https://mcp.example.org/mcp', token: 'tok-of-the-owner-1' };
    const added = await board.ask('POST', '/api/setup/mcp', server);
    expect(added.status).toBe(200);
    expect(JSON.parse(world.read('config.json')).mcp).toEqual({
      notes: { url: server.url, headers: { Authorization: `Bearer \${MCP_NOTES_AUTHORIZATION}` } },
    });
    expect(world.read('.env')).toBe('MCP_NOTES_AUTHORIZATION=tok-of-the-owner-1\n');
    const shown = await board.ask('GET', '/api/setup');
    expect(shown.body.waiting).toEqual(['mcp']);
    expect(added.text + shown.text).not.toContain('tok-of');
    expect((await board.ask('POST', '/api/setup/mcp', server)).status).toBe(409);
    expect((await board.ask('DELETE', '/api/setup/mcp/notes')).status).toBe(200);
    expect(world.read('.env')).toBe('');
    expect((await board.ask('DELETE', '/api/setup/mcp/notes')).status).toBe(404);
  });

  it('is no command, no address within, no file and no name that leads elsewhere', async () => {
    const { world, board } = await open();
    const before = world.read('config.json');
    for (const body of [
      { name: 'x', command: '/bin/sh' },
      { name: 'x', url: 'https://e.example', command: '/bin/sh' },
      { name: 'x', url: 'https://e.example', trusted: true },
      { name: 'x', url: 'http://169.254.169.254/' },
      { name: 'x', url: 'file:///etc/passwd' },
      { name: 'x', url: `https://e.example/\${HOME}` },
      { name: 'x', url: 'https://e.example', token: 'a\nb' },
      { name: '../x', url: 'https://e.example' },
      { name: '__proto__', url: 'https://e.example' },
    ])
      expect([body, (await board.ask('POST', '/api/setup/mcp', body)).status]).toEqual([body, 400]);
    expect(world.read('config.json')).toBe(before);
  });

  it('is logged in at by a link, and shows its tools', async () => {
    const emulator = await startOAuth();
    onTestFinished(() => emulator.close());
    const { board } = await open({ config: { mcp: { linear: { url: emulator.url } } } });
    const servers = async () => (await board.ask('GET', '/api/mcp')).body.servers;
    const begun = await board.ask('POST', '/api/mcp/linear/login', {});
    expect(begun.status).toBe(200);
    const page = await fetch(await emulator.allow(String(begun.body.url)));
    expect(page.status).toBe(200);
    await expect.poll(servers).toMatchObject([{ name: 'linear', state: 'connected', tools: 2, mayLogIn: true }]);
    expect(JSON.stringify(await servers())).not.toContain(emulator.issued[0]);
  });
});

it('a stolen login adds and removes nothing, and logs in nowhere', async () => {
  const { world, board } = await open();
  const before = world.read('config.json');
  ageLogins(world.home);
  for (const [method, where, body] of [
    ['POST', '/api/setup/skills/look', { source: 'https://evil.example/x.zip' }],
    ['POST', '/api/setup/skills/updates', {}],
    ['POST', '/api/setup/skills/offers/abc', { verdict: 'take' }],
    ['DELETE', '/api/setup/skills/pdf', undefined],
    ['POST', '/api/setup/mcp', { name: 'x', url: 'https://evil.example' }],
    ['DELETE', '/api/setup/mcp/x', undefined],
    ['POST', '/api/mcp/x/login', {}],
    ['DELETE', '/api/mcp/x/login', undefined],
  ] as const)
    expect([where, (await board.ask(method, where, body)).body.error]).toMatchObject([where, { code: 'old_login' }]);
  expect(world.read('config.json')).toBe(before);
});

it('a backup is made beside the home, without secrets, and listed; the look for updates says what the command says', async () => {
  const folder = tempFolder();
  const home = path.join(folder, 'home');
  fs.mkdirSync(home);
  fs.writeFileSync(
    path.join(home, 'config.yaml'),
    'model: offline/viber\nlimits: { freeBytes: 0 }\nhttp: { port: 0, token: a-token-for-tests }\n',
  );
  const gateway = await startGateway(home);
  onTestFinished(() => gateway.stop('SIGKILL'));
  const board = await logIn(gateway.port, await viberLink(home));
  expect((await board.ask('GET', '/api/setup/backups')).body).toMatchObject({ backups: [] });
  const made = await board.ask('POST', '/api/setup/backups', {});
  expect(made).toMatchObject({ status: 200, body: { files: expect.any(Number), secrets: expect.any(Array) } });
  const file = path.join(folder, 'home-backups', String(made.body.name));
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect((await board.ask('GET', '/api/setup/backups')).body.backups).toMatchObject([{ name: made.body.name }]);
  const other = path.join(folder, 'other');
  await run(process.execPath, [PROGRAM, 'restore', file, '--home', other]);
  expect(fs.readFileSync(path.join(other, 'config.yaml'), 'utf8')).not.toContain('a-token-for-tests');
  for (let n = 0; n < 20; n++)
    fs.writeFileSync(path.join(folder, `home-backups/viber-20260101-0000${String(n).padStart(2, '0')}.tar.gz`), '');
  expect((await board.ask('POST', '/api/setup/backups', {})).status).toBe(409);
  const update = await board.ask('GET', '/api/setup/update');
  expect(JSON.stringify(update.body)).toMatch(/said|error/);
});
