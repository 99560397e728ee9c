/** The home in one file and back: also while the gateway works, and from files that somebody else has made. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { Header, type HeaderData } from 'tar';
import { describe, expect, onTestFinished, test } from 'vitest';
import { unpack } from '../../src/cli/backup/unpack.ts';
import { acquireLock } from '../../src/engine/local/lock.ts';
import { startTelegram } from '../emulators/telegram.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

function viber(args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env.PATH ?? '', HOME: '/dev/null' };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });
}

/** A home in use, with every kind of file. */
function fill(home: string): void {
  const files: Record<string, string> = {
    'config.yaml': `model: offline/viber\nchannels: { telegram: { token: "${'$'}{TELEGRAM_BOT_TOKEN}" } }\n`,
    'workspace/MEMORY.md': '# Memory\n- likes tea\n',
    'workspace/memory.sqlite': 'made again',
    'workspace/pin.secret.md': '1234\n',
    'service.env': 'TELEGRAM_BOT_TOKEN=1:a\n',
    'agents/default/sessions/t.jsonl': '{"a":1}\n{"half',
    'spool/log/2026-01-01.1.jsonl': '{}\n',
    'spool/marks/discord.json': '{}',
    'cache/cache.sqlite': 'x',
    'run/gateway.json': '{}',
    [`artifacts/t/${'a long name '.repeat(15)}é/plan.md`]: 'deep',
    'artifacts/t/run.sh': '#!/bin/sh\n',
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), text);
  }
  fs.chmodSync(path.join(home, 'artifacts/t/run.sh'), 0o755);
  fs.mkdirSync(path.join(home, 'artifacts/empty'));
  fs.writeFileSync(path.join(home, 'artifacts/t/large.bin'), Buffer.alloc(3_000_001, 7));
  fs.symlinkSync('/etc/passwd', path.join(home, 'artifacts/t/link'));
}

describe('viber backup and viber restore', () => {
  test('bring back the home, but for what can be made again, links, and secrets', async () => {
    const [home, folder] = [tempFolder(), tempFolder()];
    fill(home);
    const file = path.join(folder, 'b.tgz');
    const before = tree(home);
    const { code, out } = await viber(['backup', '--home', home, file]);
    expect(code).toBe(0);
    expect(tree(home)).toEqual(before);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(out).toMatch(/Left out as secret.*service\.env.*pin\.secret\.md/);
    expect(out).toMatch(/links and sockets.*artifacts\/t\/link/);
    expect(fs.readdirSync(folder)).toEqual(['b.tgz']);

    const other = path.join(folder, 'restored');
    const restored = await viber(['restore', '--home', other, file]);
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('Secrets were not in it') });
    const expected = { ...before, 'agents/default/sessions/t.jsonl': '{"a":1}\n' };
    for (const name of ['service.env', 'workspace/pin.secret.md', 'workspace/memory.sqlite', 'cache/cache.sqlite'])
      Reflect.deleteProperty(expected, name);
    Reflect.deleteProperty(expected, 'run/gateway.json');
    expect(tree(other)).toEqual(expected);
    expect(fs.statSync(path.join(other, 'artifacts/t/run.sh')).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(other, 'config.yaml')).mode & 0o777).toBe(0o600);
    expect(fs.existsSync(path.join(other, 'artifacts/empty'))).toBe(true);
    expect((await viber(['doctor', '--home', other, '--json'])).out).toContain('"ok"');
  });

  test('take secrets along when asked to, and leave out a configuration with a token in it when not', async () => {
    const [home, folder] = [tempFolder(), tempFolder()];
    fill(home);
    fs.writeFileSync(
      path.join(home, 'config.yaml'),
      'channels: { telegram: { token: "7000000001:AAEmulatedBotToken" } }\n',
    );
    const [plain, whole] = [path.join(folder, 'plain.tgz'), path.join(folder, 'whole.tgz')];
    expect(JSON.parse((await viber(['backup', '--json', '--home', home, plain])).out).secrets).toEqual([
      ...['config.yaml', 'service.env', 'workspace/pin.secret.md'],
    ]);
    await viber(['backup', '--with-secrets', '--home', home, whole]);
    const [without, withThem] = [path.join(folder, '1'), path.join(folder, '2')];
    await viber(['restore', '--home', without, plain]);
    await viber(['restore', '--home', withThem, whole]);
    expect(fs.existsSync(path.join(without, 'config.yaml'))).toBe(false);
    expect(fs.readFileSync(path.join(withThem, 'config.yaml'), 'utf8')).toContain('AAEmulatedBotToken');
    expect(fs.existsSync(path.join(withThem, 'service.env'))).toBe(true);
  });

  test('take the place of nothing without being told to, and nothing is lost then', async () => {
    const [home, folder] = [tempFolder(), tempFolder()];
    fill(home);
    const file = path.join(folder, 'b.tgz');
    await viber(['backup', '--home', home, file]);
    expect(await viber(['backup', '--home', home, file])).toMatchObject({
      code: 1,
      err: expect.stringContaining('already'),
    });
    const inside = path.join(home, 'workspace', 'b.tgz');
    expect((await viber(['backup', '--home', home, inside])).err).toContain('inside the home');
    fs.writeFileSync(path.join(home, 'workspace/new.md'), 'new');
    const refused = await viber(['restore', '--home', home, file]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('--replace') });
    const lock = acquireLock(path.join(home, 'run'));
    expect((await viber(['restore', '--home', home, '--replace', file])).code).toBe(3);
    lock.release();
    const { aside } = JSON.parse((await viber(['restore', '--json', '--home', home, '--replace', file])).out);
    onTestFinished(() => fs.rmSync(aside, { recursive: true, force: true }));
    expect(fs.existsSync(path.join(home, 'workspace/new.md'))).toBe(false);
    expect(fs.readFileSync(path.join(aside, 'workspace/new.md'), 'utf8')).toBe('new');
  });
});

test('a backup made in the midst of the work goes on with it elsewhere', async () => {
  const [home, folder] = [tempFolder(), tempFolder()];
  const telegram = await startTelegram();
  const people = [{ name: 'alex', role: 'owner', ids: ['telegram:1001'] }];
  const config = {
    ...{ model: 'offline/viber', people, http: { port: 0 }, limits: { freeBytes: 0 } },
    channels: { telegram: { apiRoot: telegram.url } },
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  const start = async (at: string) => {
    const child = spawn(process.execPath, [PROGRAM, 'start', '--home', at], {
      env: { PATH: process.env.PATH, TELEGRAM_BOT_TOKEN: telegram.token, HOME: '/dev/null' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const warnings: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('"level":40') || line.includes('"level":50')) warnings.push(line);
      if (line.includes('"msg":"ready"')) break;
    }
    child.stdout.resume();
    return { child, warnings };
  };
  onTestFinished(() => telegram.close());
  const first = await start(home);
  fs.writeFileSync(path.join(home, 'workspace/MEMORY.md'), '# Memory\n\n## User Preferences\n- Likes green tea\n');
  for (let index = 0; index < 6; index++) telegram.say(1001, `write a file n${index}.txt: text ${index}`);
  const files = [0, 1].map((index) => path.join(folder, `${index}.tgz`));
  for (const file of files) expect((await viber(['backup', '--home', home, file])).code).toBe(0);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  for (const [index, file] of files.entries()) {
    const other = path.join(folder, `home-${index}`);
    expect((await viber(['restore', '--home', other, file])).code).toBe(0);
    const { child, warnings } = await start(other);
    expect(warnings.filter((line) => /damage|torn|cut/.test(line))).toEqual([]);
    const { message_id: after } = telegram.say(1001, 'what do you know?');
    await telegram.wait({ chat: 1001, from: 'bot', after, text: 'tea', timeoutMs: 60_000 });
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(fs.readdirSync(path.join(other, 'spool', 'dead')).length, 'nothing was given up').toBe(0);
  }
});

describe('a backup that somebody else has made', () => {
  const HEAD = JSON.stringify({ format: 1, version: '0.1.0', createdAt: '2026-01-01T00:00:00Z', hasSecrets: false });
  const entry = (data: HeaderData, text = '') => {
    const block = Buffer.alloc(512);
    new Header({ mode: 0o644, mtime: new Date(), type: 'File', size: text.length, ...data }).encode(block, 0);
    return Buffer.concat([block, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)]);
  };
  const head = entry({ path: 'openviber-backup.json' }, HEAD);
  const archive = (...entries: Buffer[]) => gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));
  const good = entry({ path: 'workspace/a.md' }, 'a');
  const damaged = Buffer.from(archive(head, good));
  damaged[30] = (damaged[30] ?? 0) ^ 0xff;

  test.each<[string, Buffer, string]>([
    ['leads upwards', archive(head, entry({ path: '../evil' }, 'x')), 'outside of the home'],
    ['leads upwards from within', archive(head, entry({ path: 'a/../../evil' }, 'x')), 'outside of the home'],
    ['is absolute', archive(head, entry({ path: '/tmp/viber-evil' }, 'x')), 'outside of the home'],
    ['has an empty name', archive(head, entry({ path: 'a//b' }, 'x')), 'outside of the home'],
    ['has a link', archive(head, entry({ path: 'a', type: 'SymbolicLink', linkpath: '/etc' })), 'a link or a device'],
    [
      'writes through a link',
      archive(head, entry({ path: 'a', type: 'SymbolicLink', linkpath: '/tmp' }), entry({ path: 'a/evil' }, 'x')),
      'a link or a device',
    ],
    [
      'has a hard link',
      archive(head, entry({ path: 'a', type: 'Link', linkpath: '/etc/passwd' })),
      'a link or a device',
    ],
    ['has a device', archive(head, entry({ path: 'a', type: 'CharacterDevice' })), 'a link or a device'],
    ['has a pipe', archive(head, entry({ path: 'a', type: 'FIFO' })), 'a link or a device'],
    ['has a file twice', archive(head, good, good), 'EEXIST'],
    ['has a file that is a folder too', archive(head, good, entry({ path: 'workspace/a.md/b' }, 'x')), 'EEXIST'],
    ['is larger than there is room', archive(head, entry({ path: 'a', size: 2e6 }, ''), Buffer.alloc(2e6)), 'room for'],
    ['is no backup', archive(good), 'This is no backup of viber.'],
    ['is of another format', archive(entry({ path: 'openviber-backup.json' }, '{"format":2}')), 'another version'],
    ['is empty', archive(), 'This is no backup of viber'],
    ['is not compressed', Buffer.from('hello'), 'This is no backup of viber'],
    ['is cut', archive(head, entry({ path: 'a' }, 'x'.repeat(100_000))).subarray(0, 150), 'damaged'],
    ['is damaged', damaged, 'damaged'],
  ])('%s: is refused, and nothing stands outside', async (_what, bytes, words) => {
    const folder = tempFolder();
    const file = path.join(folder, 'b.tgz');
    const target = path.join(folder, 'stage', 'home');
    fs.mkdirSync(target, { recursive: true });
    fs.writeFileSync(file, bytes);
    await expect(unpack(file, target, 1_000_000)).rejects.toThrow(words);
    expect(fs.readdirSync(folder).sort()).toEqual(['b.tgz', 'stage']);
    expect(fs.readdirSync(path.join(folder, 'stage'))).toEqual(['home']);
  });

  test('leaves no home behind when it is refused', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'b.tgz');
    fs.writeFileSync(file, archive(head, good, entry({ path: '../evil' }, 'x')));
    expect((await viber(['restore', '--home', path.join(folder, 'home'), file])).code).toBe(1);
    expect(fs.readdirSync(folder)).toEqual(['b.tgz']);
  });

  test('has no say over locks, sockets and caches', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'b.tgz');
    fs.writeFileSync(
      file,
      archive(head, entry({ path: 'run/gateway.json' }, '{}'), entry({ path: 'cache/x' }, 'x'), good),
    );
    const target = path.join(folder, 'home');
    fs.mkdirSync(target);
    await unpack(file, target, 1e6);
    expect(Object.keys(tree(target))).toEqual(['workspace/a.md']);
  });
});
