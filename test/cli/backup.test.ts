// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration
/** The home in one file and back: also while the gateway works, and from files that somebody else has made. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Header, type HeaderData } from 'tar';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createArchive, refuseOther, archive as write } from '../../src/cli/backup/archive.ts';
import { unpack } from '../../src/cli/backup/unpack.ts';
import { acquireLock } from '../../src/engine/local/lock.ts';
import { openStore } from '../../src/engine/local/store.ts';
import { startTelegram } from '../emulators/telegram.ts';
import { tempFolder, tree } from '../helpers/temp.ts';
import { viber as ran, startProgram, viberProcess } from '../helpers/viber.ts';

/** Each names its home. */
const viber = (args: string[], env?: NodeJS.ProcessEnv) => ran('/dev/null', args, { env });

/** Links that the gateway makes itself. */
const OWN_LINKS = ['vibers/default', 'memory/default.sqlite', 'workspace/task.md', 'vibers/dev/session-log'];

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

test('a restore says that work goes on only if some was under way', async () => {
  const folder = tempFolder();
  const saysSo = async (name: string, state: 'cur' | 'out' | 'dead' | undefined) => {
    const home = path.join(folder, name);
    fill(home);
    fs.rmSync(path.join(home, 'spool'), { recursive: true });
    const store = openStore({ root: path.join(home, 'spool'), freeBytes: 0 });
    const address = { channel: 'telegram', account: 'bot', chat: '1001' };
    const message = { id: 'a', address, text: 'hello', files: [] };
    if (state !== undefined) await store.put(state, 'a', { key: 'a', trace: 'a', createdAt: 1, seq: 1, message });
    store.close();
    await viber(['backup', '--home', home, `${home}.tgz`]);
    const { code, out } = await viber(['restore', '--home', `${home}-restored`, `${home}.tgz`]);
    expect(code).toBe(0);
    return out.includes('After the next start I finish the messages and answers that were in progress then.');
  };
  expect(await saysSo('quiet', undefined)).toBe(false);
  expect(await saysSo('given-up', 'dead')).toBe(false);
  expect(await saysSo('to-be-sent', 'out')).toBe(true);
});

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
    expect(out).toMatch(/Secrets left out.*service\.env.*pin\.secret\.md/);
    expect(out).toMatch(/^Left out, because links and sockets can't be backed up: artifacts\/t\/link\.$/m);
    expect(fs.readdirSync(folder)).toEqual(['b.tgz']);

    const other = path.join(folder, 'restored');
    const restored = await viber(['restore', '--home', other, file]);
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('The backup has no secrets') });
    expect(restored.out).not.toContain('in progress');
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

  test('take secrets along when asked to, and otherwise have the names of variables in their place', async () => {
    const [home, folder] = [tempFolder(), tempFolder()];
    fill(home);
    fs.writeFileSync(
      path.join(home, 'config.yaml'),
      'channels: { telegram: { token: "7000000001:AAEmulatedBotToken" } }\n',
    );
    const [plain, whole] = [path.join(folder, 'plain.tgz'), path.join(folder, 'whole.tgz')];
    expect(JSON.parse((await viber(['backup', '--json', '--home', home, plain])).out).secrets).toEqual([
      ...['service.env', 'workspace/pin.secret.md'],
    ]);
    await viber(['backup', '--with-secrets', '--home', home, whole]);
    const [without, withThem] = [path.join(folder, '1'), path.join(folder, '2')];
    expect((await viber(['restore', '--home', without, plain])).out).toContain('variables: TELEGRAM_BOT_TOKEN.');
    await viber(['restore', '--home', withThem, whole]);
    expect(fs.readFileSync(path.join(without, 'config.yaml'), 'utf8')).toBe(
      'channels: { telegram: { token: "${TELEGRAM_BOT_TOKEN}" } }\n',
    );
    expect(fs.readFileSync(path.join(withThem, 'config.yaml'), 'utf8')).toContain('AAEmulatedBotToken');
    expect(fs.existsSync(path.join(withThem, 'service.env'))).toBe(true);
  });

  test('leave out what projects and programs keep as secret, wherever it stands, and nothing that only looks like it', async () => {
    const [home, folder] = [tempFolder(), tempFolder()];
    fill(home);
    const key = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----\nMIIsecret\n`;
    const secret: Record<string, string> = {
      ...Object.fromEntries(
        [
          // biome-ignore format: a list is filled
          ...[
            '.env', '.env.local', '.env.production', '.envrc', 'prod.env', '.npmrc', '.netrc', '_netrc', '.pypirc',
            '.pgpass',
          ],
          // biome-ignore format: a list is filled
          ...[
            '.git-credentials', '.htpasswd', 'secrets.yaml', 'secret.json', 'terraform.tfvars', 'client_secret_12.json',
          ],
          // biome-ignore format: a list is filled
          ...[
            '.ssh/config', '.aws/credentials', '.kube/config', 'credentials/deep/x', 'credentials', 'id_rsa',
            'id_ed25519',
          ],
          ...['id_ed25519.bak', 'release.keystore', 'cert.p12', '.ENV'],
          ...['.mcp.json', '.vscode/mcp.json', 'claude_desktop_config.json'],
        ].map((name) => [name, 'MIIsecret']),
      ),
      ...{ 'server.pem': key(''), 'server.key': key('RSA '), 'own.asc': key('').replace('KEY', 'KEY BLOCK') },
      '.git/config': '[remote "o"]\n\turl = https://alex:MIIsecret@h/r.git\n',
    };
    const plain: Record<string, string> = {
      ...Object.fromEntries(
        [
          '.env.example',
          '.env.sample',
          'id_rsa.pub',
          'environment.ts',
          'secretary.md',
          'tokens.css',
          'id_list.csv',
          'envoy',
        ].map((name) => [name, 'kept']),
      ),
      ...{
        'ca.pem': '-----BEGIN CERTIFICATE-----\n',
        'slides.key': 'PK',
        'sub/.git/config': '[core]\n\tbare = false\n',
      },
    };
    for (const below of ['workspace/project', 'agents/default/tasks/t/work'])
      for (const [name, text] of Object.entries({ ...secret, ...plain })) {
        // A folder and a file cannot have one name.
        const file = path.join(home, below, name === 'credentials' ? 'x/credentials' : name);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, text);
      }
    for (const name of ['.config.yaml.swp', '#config.yaml#', 'old/config.yaml', 'my-config.yaml', 'config.yaml~']) {
      fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
      fs.writeFileSync(path.join(home, name), 'mcp: { a: { command: x, args: [--login, "alex:MIIsecret"] } }\n');
    }
    fs.mkdirSync(path.join(home, 'access'), { recursive: true });
    fs.writeFileSync(path.join(home, 'access/server.key'), Buffer.alloc(32, 7), { mode: 0o600 });
    const [without, whole] = [path.join(folder, 'a.tgz'), path.join(folder, 'b.tgz')];
    const told: string[] = JSON.parse((await viber(['backup', '--json', '--home', home, without])).out).secrets;
    expect(told).toContain('workspace/project/.env');
    expect(told).toContain('access/server.key');
    expect(told).toContain('workspace/project/.ssh/');
    expect(told).toContain('old/config.yaml');
    await viber(['backup', '--with-secrets', '--home', home, whole]);
    const [one, two] = [path.join(folder, '1'), path.join(folder, '2')];
    await viber(['restore', '--home', one, without]);
    await viber(['restore', '--home', two, whole]);
    const holds = (root: string) =>
      Object.entries(tree(root))
        .filter(([, text]) => String(text).includes('MIIsecret'))
        .map(([name]) => name);
    expect(holds(one)).toEqual([]);
    expect(holds(two)).toEqual(holds(home));
    for (const below of ['workspace/project', 'agents/default/tasks/t/work'])
      for (const name of Object.keys(plain)) expect(fs.existsSync(path.join(one, below, name)), name).toBe(true);
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

/** Names that a disk takes and people never type. */
const ODD = [
  'tab\there',
  'line\nbreak',
  `${'é'.repeat(60)}\nlong`,
  ' spaces ',
  'back\\slash',
  '\u0001\u001b[31m',
  '\u202eright',
  'A',
  'a',
  '…'.repeat(80),
];

test('every file that can be restored is in it; what cannot be is left out and named while it is made', async () => {
  const [home, folder] = [tempFolder(), tempFolder()];
  fill(home);
  const work = path.join(home, 'artifacts/t/kept');
  fs.mkdirSync(work);
  for (const name of ODD) fs.writeFileSync(path.join(work, name), name);
  fs.writeFileSync(Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'x');
  const deep = path.join(work, ...Array.from({ length: 70 }, () => 'd'));
  fs.mkdirSync(deep, { recursive: true });
  fs.writeFileSync(path.join(deep, 'file'), 'x');
  for (const own of OWN_LINKS) {
    fs.mkdirSync(path.dirname(path.join(home, own)), { recursive: true });
    fs.symlinkSync('../nothing', path.join(home, own));
  }
  spawnSync('mkfifo', [path.join(work, 'pipe')]);
  const file = path.join(folder, 'b.tgz');
  const { code, out } = await viber(['backup', '--json', '--home', home, file]);
  expect(code).toBe(0);
  const { unfit, foreign, unread, changed } = JSON.parse(out);
  expect(unfit).toEqual(
    expect.arrayContaining(['artifacts/t/kept/f\ufffd\ufffd', expect.stringMatching(/^artifacts\/t\/kept(\/d)+\/$/)]),
  );
  expect(foreign.toSorted()).toEqual(['artifacts/t/kept/pipe', 'artifacts/t/link']);
  expect([unread, changed]).toEqual([[], []]);
  const plain = await viber(['backup', '--home', home, path.join(folder, 'c.tgz')]);
  expect(plain.out).toMatch(/no restore accepts such a name.*f\\u\{fffd\}/);
  expect(plain.out).not.toMatch(/\p{Cf}|\p{Cc}(?<!\n)/u);
  const other = path.join(folder, 'home');
  expect(JSON.parse((await viber(['restore', '--json', '--home', other, file])).out).leftOut).toEqual([]);
  for (const name of ODD) expect(fs.readFileSync(path.join(other, 'artifacts/t/kept', name), 'utf8')).toBe(name);
});

test('an archive that does not read back as it was written is not one', async () => {
  const [home, folder] = [tempFolder(), tempFolder()];
  fs.writeFileSync(path.join(home, 'a'), 'a'.repeat(2_000));
  const made = createArchive(home, new Map());
  const head = { format: 1, version: '0', createdAt: '', hasSecrets: false } as const;
  const pieces: Buffer[] = [];
  const choose = (early: boolean) =>
    early
      ? []
      : [
          { name: 'a', choice: 'take' as const },
          { name: 'gone', choice: 'take' as const },
        ];
  for await (const piece of write(made, choose, head)) pieces.push(piece);
  const file = path.join(folder, 'b.tgz');
  const bytes = Buffer.concat(pieces);
  fs.writeFileSync(file, gzipSync(bytes));
  await refuseOther(file, { ...made, sum: made.sum.copy() });
  expect(made.files).toBe(1);
  const other = Buffer.from(bytes);
  other[other.indexOf('aaaa')] = 0x62;
  const cut = [bytes.subarray(0, 1_024), bytes.subarray(0, -1_024)].map((part) => gzipSync(part));
  fs.writeFileSync(file, cut[1] ?? '');
  fs.mkdirSync(path.join(folder, 'home'));
  await expect(unpack(file, path.join(folder, 'home'), 1e9)).rejects.toThrow('end is missing');
  for (const wrong of [gzipSync(other), ...cut, gzipSync(bytes).subarray(0, -20)]) {
    fs.writeFileSync(file, wrong);
    await expect(refuseOther(file, { ...made, sum: made.sum.copy() })).rejects.toThrow(/read back|damaged/);
  }
});

test('a file that becomes shorter while it is copied, or vanishes, spoils nothing else', async () => {
  const [home, folder] = [tempFolder(), tempFolder()];
  fs.writeFileSync(path.join(home, 'large'), Buffer.alloc(5_000_000, 1));
  fs.writeFileSync(path.join(home, 'after'), 'after');
  const made = createArchive(home, new Map());
  const head = { format: 1, version: '0', createdAt: '', hasSecrets: false } as const;
  const names = ['large', 'lost', 'after'].map((name) => ({ name, choice: 'take' as const }));
  const pieces: Buffer[] = [];
  for await (const piece of write(made, (early) => (early ? [] : names), head)) {
    pieces.push(piece);
    if (piece.length > 1_000_000) fs.truncateSync(path.join(home, 'large'), 100);
  }
  const file = path.join(folder, 'b.tgz');
  fs.writeFileSync(file, gzipSync(Buffer.concat(pieces)));
  await refuseOther(file, made);
  expect(made).toMatchObject({ files: 2, changed: ['large'] });
  const target = path.join(folder, 'home');
  fs.mkdirSync(target);
  expect(await unpack(file, target, 1e9)).toMatchObject({ files: 2, leftOut: [] });
  expect(fs.readFileSync(path.join(target, 'after'), 'utf8')).toBe('after');
});

describe('a restore that is cut off', () => {
  const cut = async (at: string, args: string[]) =>
    (await viberProcess('/dev/null', args, { env: { OPENVIBER_CRASH_AT: at } })).signal;

  describe.each<[string, boolean]>([
    ['into nothing', false],
    ['in the place of another home', true],
  ])('%s', (_where, isThere) => {
    const prepare = async () => {
      const [old, folder] = [tempFolder(), tempFolder()];
      fill(old);
      const [file, home] = [path.join(folder, 'b.tgz'), path.join(folder, 'home')];
      await viber(['backup', '--home', old, file]);
      if (isThere) {
        fs.mkdirSync(path.join(home, 'workspace'), { recursive: true });
        fs.writeFileSync(path.join(home, 'workspace/before.md'), 'before');
      }
      return { folder, file, home, args: ['restore', '--replace', '--home', home, file] };
    };
    const isRestored = (home: string) => fs.existsSync(path.join(home, 'artifacts/t/large.bin'));

    test.each(['restore-begun', 'restore-unpacked'])(
      '%s: every start is refused, and it can be done again',
      async (at) => {
        const { folder, file, home, args } = await prepare();
        expect(await cut(at, args)).toBe('SIGKILL');
        expect(fs.existsSync(path.join(home, 'workspace/before.md'))).toBe(isThere);
        for (const command of ['start', 'status', 'doctor']) {
          const { code, err } = await viber([command, '--home', home]);
          expect([code, err]).toEqual([1, expect.stringContaining('was interrupted')]);
        }
        expect(fs.existsSync(home)).toBe(isThere);
        expect((await viber(args)).code).toBe(0);
        expect(isRestored(home)).toBe(true);
        expect(fs.readdirSync(folder).filter((name) => name.includes('restoring'))).toEqual([]);
        expect(fs.existsSync(file)).toBe(true);
      },
    );

    test.each(['restore-whole', 'restore-aside', 'restore-placed'])('%s: the next start finishes it', async (at) => {
      const { folder, home, args } = await prepare();
      expect(await cut(at, args)).toBe('SIGKILL');
      expect((await viber(['skills', 'list', '--home', home], { TELEGRAM_BOT_TOKEN: '1:a' })).code).toBe(0);
      expect(isRestored(home)).toBe(true);
      const beside = fs.readdirSync(folder).filter((name) => name.startsWith('home.'));
      expect(beside).toEqual(isThere ? [expect.stringContaining('home.before-')] : []);
      if (isThere) expect(fs.existsSync(path.join(folder, beside[0] ?? '', 'workspace/before.md'))).toBe(true);
      expect((await viber(args)).code).toBe(0);
    });
  });

  test('behind a link is finished where the link leads', async () => {
    const [old, folder] = [tempFolder(), tempFolder()];
    fill(old);
    const [file, home, link] = [path.join(folder, 'b.tgz'), path.join(folder, 'disk/home'), path.join(folder, 'link')];
    await viber(['backup', '--home', old, file]);
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, 'x'), 'x');
    fs.symlinkSync(home, link);
    expect(await cut('restore-aside', ['restore', '--replace', '--home', link, file])).toBe('SIGKILL');
    expect(fs.existsSync(home)).toBe(false);
    expect((await viber(['skills', 'list', '--home', link], { TELEGRAM_BOT_TOKEN: '1:a' })).code).toBe(0);
    expect(fs.existsSync(path.join(home, 'artifacts/t/large.bin'))).toBe(true);
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
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
  const start = (at: string) => startProgram(at, { TELEGRAM_BOT_TOKEN: telegram.token });
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
    const { child, lines } = await start(other);
    expect(lines.filter((line) => /"level":[45]0.*(damage|torn|cut)/.test(line))).toEqual([]);
    const { message_id: after } = telegram.say(1001, 'what do you know?');
    await telegram.wait({ chat: 1001, from: 'bot', after, text: 'tea' });
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(fs.readdirSync(path.join(other, 'spool', 'dead')).length, 'nothing was given up').toBe(0);
  }
});

describe('a backup that somebody else has made', () => {
  const HEAD = JSON.stringify({ format: 1, version: '0.1.0', createdAt: '2026-01-01T00:00:00Z', hasSecrets: false });
  const entry = (data: HeaderData, text = '') => {
    const block = Buffer.alloc(512);
    new Header({ mode: 0o644, mtime: new Date(), type: 'File', size: Buffer.byteLength(text), ...data }).encode(
      block,
      0,
    );
    return Buffer.concat([block, Buffer.from(text), Buffer.alloc((512 - (Buffer.byteLength(text) % 512)) % 512)]);
  };
  const head = entry({ path: 'openviber-backup.json' }, HEAD);
  /** As GNU tar writes one: the name in an entry of its own. */
  const longName = (name: string) =>
    Buffer.concat([
      entry({ path: '././@LongLink', type: 'NextFileHasLongPath' }, `${name}\0`.toString()),
      entry({ path: 'x' }, 'x'),
    ]);
  const archive = (...entries: Buffer[]) => gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));
  const good = entry({ path: 'workspace/a.md' }, 'a');
  const damaged = Buffer.from(archive(head, good));
  damaged[30] = (damaged[30] ?? 0) ^ 0xff;

  test.each<[string, Buffer, string]>([
    [
      'is larger than there is room',
      archive(head, entry({ path: 'a', size: 2e6 }, ''), Buffer.alloc(2e6)),
      'larger than the free space',
    ],
    ['is no backup', archive(good), "This isn't a backup of viber."],
    ['is of another format', archive(entry({ path: 'openviber-backup.json' }, '{"format":2}')), 'another version'],
    ['is empty', archive(), "This isn't a backup of viber"],
    ['is not compressed', Buffer.from('hello'), "This isn't a backup of viber"],
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

  const gone = '/tmp/viber-evil';
  test.each<[string, ...Buffer[]]>([
    ['leads upwards', entry({ path: '../evil' }, 'x')],
    ['leads upwards from within', entry({ path: 'a/../../evil' }, 'x')],
    ['is absolute', entry({ path: gone }, 'x')],
    ['has an empty name', entry({ path: 'a//b' }, 'x')],
    ['is a link', entry({ path: 'a', type: 'SymbolicLink', linkpath: '/etc' })],
    [
      'writes through a link',
      entry({ path: 'a', type: 'SymbolicLink', linkpath: '/tmp' }),
      entry({ path: 'a/viber-evil' }, 'x'),
    ],
    ['is a hard link', entry({ path: 'a', type: 'Link', linkpath: '/etc/passwd' })],
    ['is a device', entry({ path: 'a', type: 'CharacterDevice' })],
    ['is a pipe', entry({ path: 'a', type: 'FIFO' })],
    ['comes twice', entry({ path: 'workspace/a.md' }, 'other')],
    ['is a file that is a folder too', entry({ path: 'workspace/a.md/b' }, 'x')],
    ['is a folder that is a file too', entry({ path: 'workspace/a.md/', type: 'Directory' })],
    ['is longer than this disk takes', entry({ path: `${'n'.repeat(90)}/x` }, 'x'), longName('é'.repeat(200))],
  ])('one that %s is left out and named, the rest is there, and nothing stands outside', async (_what, ...bad) => {
    const folder = tempFolder();
    const [file, home] = [path.join(folder, 'b.tgz'), path.join(folder, 'home')];
    fs.writeFileSync(file, archive(head, good, ...bad, entry({ path: 'workspace/z.md' }, 'z')));
    const { code, out } = await viber(['restore', '--json', '--home', home, file]);
    expect(code).toBe(0);
    expect(JSON.parse(out).leftOut).toHaveLength(1);
    expect(tree(home)).toMatchObject({ 'workspace/a.md': 'a', 'workspace/z.md': 'z' });
    expect(fs.readdirSync(folder).sort()).toEqual(['b.tgz', 'home']);
    expect(fs.existsSync(gone)).toBe(false);
  });

  test('leaves no home behind when it is refused', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'b.tgz');
    fs.writeFileSync(file, archive(head, good).subarray(0, -9));
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
