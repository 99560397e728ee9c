/**
 * The container as people get it: its root filesystem is built from the Dockerfile's own steps, and what runs in it has what a
 * container has: no root, no capability, a root filesystem that can't be written, and the system calls of deploy/seccomp.json.
 * `npm run world:container` runs this alone; it needs root, debootstrap and the network.
 */
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startLlm } from '../emulators/llm.ts';
import { ask } from '../platforms/platform.ts';
import { telegramPlatform } from '../platforms/telegram.ts';
import type { Profile } from '../seccomp.ts';
import { folderOf, repositoryOf, serve, serveGit, skillText, zipOfFiles } from '../skills/add/sources.ts';
import { makeCertificate } from '../skills/web-fetch-fixtures.ts';
import { copyRoot, KEPT, whyNoRoot } from './debian.ts';
import { buildImage, type Image } from './image.ts';
import { ended, type Inside, mustRunInside, runInside, startBeside, startInside } from './inside.ts';
import { compileProfile } from './seccomp-filter.ts';

const WITHOUT = await whyNoRoot();
const profile: Profile = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, '../../deploy/seccomp.json'), 'utf8'),
);
/** Of those that may run it, the one that does. */
const USER = 1000;
const HOME = path.join('/home', 'node');

let folder: string;
let image: Image;
let filter: string;

beforeAll(async () => {
  if (WITHOUT !== '') return;
  fs.mkdirSync(KEPT, { recursive: true });
  folder = fs.mkdtempSync(path.join(KEPT, 'image-'));
  // A root that is at hand, while one works on these tests.
  const given = process.env.WORLD_IMAGE;
  image = given ? JSON.parse(fs.readFileSync(given, 'utf8')) : await buildImage(folder);
  filter = compileProfile(profile, path.join(folder, 'filter'));
}, 1_800_000);

afterAll(() => {
  if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
}, 600_000);

/** A home as a volume is, with these files. */
function homeOf(config: Record<string, unknown>, files: Record<string, string> = {}): string {
  const home = fs.mkdtempSync(path.join(folder, 'home-'));
  const base = { model: 'offline/viber', limits: { freeBytes: 0 }, http: { port: 0 } };
  folderOf({ 'config.json': JSON.stringify({ ...base, ...config }), ...files }, home);
  for (const name of ['.', ...fs.readdirSync(home, { recursive: true, encoding: 'utf8' })])
    fs.chownSync(path.join(home, name), USER, USER);
  return home;
}

const container = (home: string, more: Partial<Inside> = {}): Inside => ({
  ...{ root: image.root, env: { ...image.env, HOME }, user: USER, folder: image.folder },
  ...{ volumes: { '/data': home }, isReadOnly: true, filter, shown: { '/etc/resolv.conf': '/etc/resolv.conf' } },
  ...more,
});
const viber = (inside: Inside, ...words: string[]) => runInside(inside, [...image.stage.entrypoint, ...words]);

/** The container's own command, until it is ready. */
async function start(inside: Inside): Promise<ChildProcess> {
  const child = startInside(inside, [...image.stage.entrypoint, ...image.stage.command]);
  const end = new Promise((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await end;
  });
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    if (stream)
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (line.includes('"msg":"ready"')) ready.resolve();
      });
  void end.then(() => ready.reject(new Error(lines.join('\n'))));
  await ready.promise;
  return child;
}

describe.skipIf(WITHOUT !== '')(`the container${WITHOUT === '' ? '' : ` (skipped: ${WITHOUT})`}`, () => {
  test('has the programs that skills need, and nothing of a build', async () => {
    const inside = container(homeOf({}));
    for (const program of ['git', 'python3', 'bwrap', 'setpriv'])
      expect((await runInside(inside, [program, '--version'])).code, program).toBe(0);
    expect(fs.statSync(path.join(image.root, 'etc/ssl/certs/ca-certificates.crt')).size).toBeGreaterThan(100_000);
    for (const left of ['var/lib/apt/lists', 'var/cache/apt', 'var/log/apt', 'app/src', 'app/node_modules/typescript'])
      expect(
        fs.existsSync(path.join(image.root, left)) && fs.readdirSync(path.join(image.root, left)).length > 0,
        left,
      ).toBe(false);
    expect((await viber(inside, '--version')).out).toMatch(/^viber \d+\.\d+\.\d+ \(Node 24\./);
  });

  test('runs without rights, and writes only in its home and /tmp', async () => {
    const inside = container(homeOf({}));
    const status = await mustRunInside(inside, ['cat', '/proc/self/status']);
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(status).toMatch(new RegExp(`^${set}:\\t0+$`, 'm'));
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
    const system = ['/', '/app', '/app/dist', '/etc', '/opt', '/srv', '/usr', '/usr/local/bin', '/var', '/var/lib'];
    const places = [...system, HOME, path.join('/', 'root'), '/var/tmp', '/data', '/tmp'].join(' ');
    const tried = `for at in ${places}; do touch $at/probe 2>/dev/null && echo $at; done; true`;
    expect((await mustRunInside(inside, ['sh', '-c', tried])).trim().split('\n')).toEqual(['/data', '/tmp']);
  });

  test('answers a message, runs a skill in the sandbox, and says that it is well', async () => {
    const platform = await telegramPlatform();
    const llm = await startLlm();
    onTestFinished(async () => void (await Promise.all([platform.close(), llm.close()])));
    const script = ['python3 -c "print(6 * 7)"', 'ls /data 2>&1', 'ls -d /proc/[0-9]* | wc -l'].join('\n');
    const skill = `---\nname: count\ndescription: Counts.\nparameters: {}\n---\n\`\`\`sh\n${script}\n\`\`\`\n`;
    const home = homeOf(
      {
        model: 'local/test-model',
        providers: { local: { baseURL: llm.url, apiKey: 'sk-test-model-key-123' } },
        channels: { telegram: platform.section },
        people: [{ name: 'alex', role: 'owner', ids: [platform.identity('alex')] }],
      },
      { 'skills/count/SKILL.md': skill, 'agents/default.yaml': 'mode: execute\n' },
    );
    const inside = container(home);
    const running = await start(inside);
    const beside = (words: readonly string[]) => ended(startBeside(running, inside, words));
    llm.script(({ toolResults }) =>
      toolResults.length === 0
        ? { toolCalls: [{ name: 'count', arguments: {} }] }
        : { text: `I was told: ${toolResults.at(-1)}` },
    );
    const answer = await ask(platform, platform.dm('alex'), 'count', { text: 'I was told' });
    expect(answer.text).toContain('"code":0');
    expect(answer.text).toContain('42');
    // Of the home it sees its own folders.
    expect(answer.text).toContain('artifacts\\nskills\\n');
    const { port } = JSON.parse((await beside(['viber', 'status', '--json'])).out);
    const health = image.stage.health.map((word) => word.replace(':6009/', `:${port}/`));
    expect((await beside(health)).code).toBe(0);
    expect((await beside(image.stage.health.map((word) => word.replace(':6009/', ':9/')))).code).toBe(1);
    const { out } = await viber(inside, 'doctor');
    expect(out).toMatch(/^✓ sandbox +bubblewrap works/m);
    const link = await beside(['viber', 'board', '--no-open']);
    expect(link.out).toContain(`http://127.0.0.1:${port}/`);
  });

  test('says which options let the sandbox start, where an engine forbids it', async () => {
    const home = homeOf({});
    // Docker's usual profile has this in place of ours: no namespaces.
    const clone = { index: 0, value: 0x7e02_0000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' };
    const usual = {
      ...profile,
      syscalls: [
        ...profile.syscalls.filter(({ names }) => !names.includes('pivot_root')),
        { names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [clone] },
      ],
    };
    const withoutSandbox = compileProfile(usual, path.join(folder, 'usual'));
    const env = { ...image.env, HOME, KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    for (const more of [{ filter: withoutSandbox }, { isProcMasked: true }]) {
      const { out } = await viber(container(home, { ...more, env }), 'doctor');
      expect(out).toMatch(/^! sandbox +bubblewrap is there, but this container refuses it \(bwrap: .+\)/m);
      for (const option of [
        'seccomp=deploy/seccomp.json',
        'apparmor=unconfined',
        'systempaths=unconfined',
        'deploy/kubernetes-sandbox',
      ])
        expect(out).toContain(option);
    }
  });

  test('adds skills over https, from who the system trusts', async () => {
    const certificate = makeCertificate();
    const files = { 'SKILL.md': skillText('pdf'), 'scripts/fill.py': 'print(1)\n' };
    const zips = await serve((_request, response) => void response.end(zipOfFiles(files)), certificate);
    const git = await serveGit({ 'tools.git': repositoryOf({ 'tables/SKILL.md': skillText('tables') }) }, certificate);
    const sources = [`${zips.origin}/pdf.zip`, `${git.origin}/tools.git`];
    const home = homeOf({ skills: { webOrigins: [zips.origin, git.origin] } });
    for (const source of sources) {
      const { code, out, err } = await viber(container(home), 'skills', 'add', source, '--yes');
      expect([code, out + err], source).toEqual([1, expect.stringMatching(/certificat/i)]);
    }
    // As somebody adds an authority to the image.
    const root = await copyRoot(image.root, path.join(folder, 'with-authority'));
    fs.writeFileSync(path.join(root, 'usr/local/share/ca-certificates/test.crt'), certificate.cert);
    await mustRunInside({ root, env: image.env }, ['update-ca-certificates']);
    for (const source of sources) {
      const { code, out, err } = await viber(container(home, { root }), 'skills', 'add', source, '--yes');
      expect([code, out + err], source).toEqual([0, expect.any(String)]);
    }
    expect(fs.readdirSync(path.join(home, 'skills')).sort()).toEqual(expect.arrayContaining(['pdf', 'tables']));
  });
});
