/**
 * The package as people get it: packed, installed into an empty prefix by npm without any network, and used from there.
 * `npm run try:package` runs this alone. The build goes to a folder of its own: other tests run the one in dist/.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startLlm } from './emulators/llm.ts';
import { startTelegram } from './emulators/telegram.ts';
import { buildInto, npmEnvironment, type Packed, pack, QUIET, stagePackage } from './helpers/package.ts';
import { tempFolder } from './helpers/temp.ts';

const root = path.join(import.meta.dirname, '..');
const manifest: { name: string; version: string; dependencies?: object; private?: boolean } = JSON.parse(
  fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
);
const folder = tempFolder(afterAll);
const prefix = path.join(folder, 'a prefix');
const env = npmEnvironment(folder, path.join(folder, 'home'));
const run = promisify(execFile);
const install = (file: string) =>
  run('npm', ['install', '--global', '--prefix', prefix, ...QUIET, file], { cwd: folder, env });
const viber = (args: string[]) =>
  run(path.join(prefix, 'bin', 'viber'), args, { env: { ...env, OPENVIBER_HOME: path.join(folder, 'viber') } });

/** Answers as a registry of npm does, for this package alone. */
async function startRegistry() {
  let published: string | undefined;
  const publish = (version: string) => {
    published = version;
  };
  const server = createServer((request, response) => {
    const isOurs = request.url === `/${manifest.name}` && published !== undefined;
    const version = { ...manifest, version: published, dist: { tarball: '', shasum: '' } };
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        isOurs
          ? { name: manifest.name, 'dist-tags': { latest: published }, versions: { [`${published}`]: version } }
          : { error: 'Not found' },
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, publish };
}

let packed: Packed;
/** What the build has printed. */
let built = '';

beforeAll(async () => {
  const stage = path.join(folder, 'stage');
  fs.mkdirSync(env.HOME);
  stagePackage(stage);
  built = await buildInto(path.join(stage, 'dist'));
  built += await buildInto(path.join(stage, 'dist/board'), 'rolldown.board.config.ts');
  // What a program that has run leaves beside itself is no part of the package.
  fs.mkdirSync(path.join(stage, 'dist/.compiled'));
  fs.writeFileSync(path.join(stage, 'dist/.compiled/v24'), '');
  packed = await pack(stage, folder, env, '--ignore-scripts');
  await install(packed.filename);
});

describe('the package', () => {
  test('is built without a warning, and nothing in it evaluates front matter', () => {
    expect(built.match(/\[[A-Z_]{4,}\][^\n]*/g)).toBeNull();
    const program = path.join(folder, 'stage', 'dist');
    const texts = fs.readdirSync(program).filter((name) => name.endsWith('.js'));
    const evaluating = texts.filter((name) => /\beval\(str\)/.test(fs.readFileSync(path.join(program, name), 'utf8')));
    expect(evaluating).toEqual([]);
  });

  test('holds what runs and nothing else', () => {
    const names = packed.files.map((file) => file.path);
    const kinds = new Set(
      names.map((name) =>
        name
          .replace(/^dist\/[\w.-]+\.js$/, 'dist/*.js')
          .replace(/^dist\/types\/[\w./-]+\.d\.ts$/, 'dist/types/*.d.ts')
          .replace(/^dist\/lua\/[\w.-]+\.lua$/, 'dist/lua/*.lua')
          .replace(/^dist\/board\/assets\/[\w.-]+\.(js|css|png)$/, 'dist/board/assets/*.$1'),
      ),
    );
    expect([...kinds].filter((name) => !name.startsWith('dist/skills/')).sort()).toEqual(
      [
        // biome-ignore format: a list is filled
        ...[
          'LICENSE', 'README.md', 'agents.schema.json', 'config.example.yaml', 'config.schema.json', 'package.json',
          'dist/*.js',
        ],
        ...['dist/LICENSES.txt', 'dist/sbom.cdx.json', 'dist/commit'],
        ...['index.html', 'manifest.webmanifest', 'sw.js', 'assets/*.js', 'assets/*.css', 'assets/*.png'].map(
          (name) => `dist/board/${name}`,
        ),
        // What the engine of several machines runs in its server.
        'dist/lua/*.lua',
        // What programs that import the client, and plugins, are checked against.
        'dist/types/*.d.ts',
        ...['client', 'frames', 'host', 'platform', 'testing', 'viber-error'].map((name) => `dist/${name}.d.ts`),
        ...['DejaVuSans-Bold.ttf', 'DejaVuSans.ttf', 'index_bg.wasm'].map((name) => `dist/assets/${name}`),
      ].sort(),
    );
    expect(names).toEqual(expect.arrayContaining(['dist/main.js', 'dist/skills/chart/SKILL.md']));
    expect(names.filter((name) => /(?<!\.d)\.ts$|\.map$|\.compiled|test(?!ing\.)/.test(name))).toEqual([]);
    // With libraries installed beside it, it was ten times that.
    // docs/operations.md names the size.
    expect(packed.unpackedSize).toBeLessThan(23_000_000);
  });

  test('is built before it is packed, and may be published', () => {
    expect(manifest).toMatchObject({ scripts: { prepack: 'npm run build' } });
    expect(manifest.private).toBeUndefined();
  });

  test('installs no library but those that are not built in', () => {
    const own = path.join(prefix, 'lib/node_modules', manifest.name, 'node_modules');
    const installed = fs.existsSync(own) ? fs.readdirSync(own) : [];
    if (Object.keys(manifest.dependencies ?? {}).length === 0) expect(installed).toEqual([]);
  });

  test('gives other programs its client, with its types', async () => {
    const own = path.join(folder, 'program');
    const at = path.join(own, 'node_modules', manifest.name);
    fs.mkdirSync(at, { recursive: true });
    await run('tar', ['-xzf', path.join(folder, packed.filename), '--strip-components=1', '-C', at]);
    fs.writeFileSync(path.join(own, 'package.json'), JSON.stringify({ name: 'program', type: 'module' }));
    fs.copyFileSync(path.join(root, 'examples/board-client/ask.ts'), path.join(own, 'ask.ts'));
    const module = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom', '--types', 'node'];
    const options = ['--strict', '--noEmit', ...module, '--typeRoots', path.join(root, 'node_modules/@types')];
    const check = (file: string) =>
      run(path.join(root, 'node_modules/.bin/tsc'), [...options, file], { cwd: own, timeout: 60_000 });
    await check('ask.ts');
    const wrong = `import { ViberClient } from '${manifest.name}/client';\nnew ViberClient({ url: 1 });\n`;
    fs.writeFileSync(path.join(own, 'wrong.ts'), wrong);
    await expect(check('wrong.ts')).rejects.toMatchObject({ stdout: expect.stringContaining('TS2322') });
    const asked = run(process.execPath, ['ask.ts'], { cwd: own, env, timeout: 30_000 });
    await expect(asked).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('VIBER_TOKEN') });
  });

  test('names the licence of each library that is built in', () => {
    const text = fs.readFileSync(path.join(prefix, 'lib/node_modules', manifest.name, 'dist/LICENSES.txt'), 'utf8');
    for (const name of ['ai', '@discordjs/ws', 'grammy', 'zod', '@resvg/resvg-wasm', 'dejavu-fonts-ttf'])
      expect(text).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
    expect(text).not.toContain('see its page at npm');
  });
});

describe('installed from it, viber', () => {
  test('tells its version, makes a home, and finds it well', async () => {
    expect((await viber(['--version'])).stdout).toMatch(
      new RegExp(
        `^viber ${manifest.version.replaceAll('.', '\\.')} \\(Node 24\\.[\\d.]+, commit [0-9a-f]{12}(-dirty)?\\)\\n$`,
      ),
    );
    const about = JSON.parse((await viber(['version', '--json'])).stdout);
    expect(about).toMatchObject({ version: manifest.version, commit: expect.stringMatching(/^[0-9a-f]{12}/) });
    expect((await viber(['--help'])).stdout).toContain('Commands:');
    await viber(['init']);
    const { checks } = JSON.parse((await viber(['doctor', '--json'])).stdout);
    expect(checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([]);
    const { skills } = JSON.parse((await viber(['skills', '--json'])).stdout);
    expect(skills.map((skill: { name: string }) => skill.name)).toContain('chart');
  });

  test('tells how it is updated: not at all while nothing is published, and by npm once it is', async () => {
    const registry = await startRegistry();
    const asks = (words: string[]) =>
      run(path.join(prefix, 'bin', 'viber'), words, {
        env: { ...env, OPENVIBER_HOME: path.join(folder, 'viber'), npm_config_registry: registry.url },
      });
    await expect(asks(['update'])).rejects.toMatchObject({
      code: 1,
      stderr: `${manifest.name} isn't published on npm, so there is nothing to update to. A checkout makes a package: npm pack.\n`,
    });
    registry.publish('9.8.7');
    const { stdout } = await asks(['update']);
    expect(stdout).toContain(`npm install --global --prefix "${fs.realpathSync(prefix)}" ${manifest.name}@9.8.7`);
  });

  test('draws a chart with the fonts it brought along', async () => {
    const llm = await startLlm();
    onTestFinished(() => llm.close());
    const data = 'month,sales\nJan,3\nFeb,5\n';
    const chart = { name: 'chart', arguments: { title: 'Sales', type: 'bar', data } };
    llm.script(({ toolResults }) => (toolResults.length === 0 ? { toolCalls: [chart] } : { text: 'There it is.' }));
    const settings = path.join(folder, 'chart.json');
    fs.writeFileSync(settings, JSON.stringify({ model: 'x/y', providers: { x: { baseURL: llm.url } } }));
    const { stdout } = await viber(['run', '--json', '--config', settings, 'draw it']);
    const [file] = JSON.parse(stdout).files;
    expect(fs.readFileSync(file.path).subarray(1, 4).toString()).toBe('PNG');
  });

  test('starts, answers on Telegram, and stops when it is asked to', async () => {
    const telegram = await startTelegram();
    onTestFinished(() => telegram.close());
    const settings = path.join(folder, 'telegram.json');
    const people = [{ name: 'alex', role: 'owner', ids: ['telegram:1001'] }];
    const channels = { telegram: { token: telegram.token, apiRoot: telegram.url } };
    fs.writeFileSync(
      settings,
      JSON.stringify({ model: 'offline/viber', people, channels, http: { port: 0 }, limits: { freeBytes: 0 } }),
    );
    expect((await viber(['doctor', '--config', settings])).stdout).toMatch(/✓ telegram/);
    const child = spawn(path.join(prefix, 'bin', 'viber'), ['start', '--config', settings], {
      env: { ...env, OPENVIBER_HOME: path.join(folder, 'viber') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('"msg":"ready"')) break;
    child.stdout.resume();
    telegram.say(1001, 'write a file a.txt: hello');
    await telegram.wait({ chat: 1001, from: 'bot', text: 'a.txt' });
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  describe('and replaced by a newer one while it runs', () => {
    /** The same with another version, its parts under other names, as a build of other sources makes them. */
    async function newer(version: string): Promise<string> {
      const stage = path.join(folder, `stage ${version}`);
      fs.cpSync(path.join(folder, 'stage'), stage, { recursive: true });
      fs.writeFileSync(path.join(stage, 'package.json'), JSON.stringify({ ...manifest, version }));
      const dist = path.join(stage, 'dist');
      const mark = version.replaceAll('.', '_');
      const parts = fs.readdirSync(dist).filter((name) => /-[\w-]{8}\.js$/.test(name));
      for (const name of fs.readdirSync(dist).filter((each) => each.endsWith('.js'))) {
        const code = fs.readFileSync(path.join(dist, name), 'utf8');
        const renamed = code.replace(/(\/[\w.-]+-[\w-]{8})(?=\.js)/g, (part) =>
          parts.includes(`${part.slice(1)}.js`) ? `${part}${mark}` : part,
        );
        fs.rmSync(path.join(dist, name));
        fs.writeFileSync(path.join(dist, parts.includes(name) ? name.replace(/\.js$/, `${mark}.js`) : name), renamed);
      }
      return (await pack(stage, folder, env, '--ignore-scripts')).filename;
    }

    async function running(name: string) {
      const [telegram, llm] = [await startTelegram(), await startLlm()];
      onTestFinished(async () => void (await Promise.all([telegram.close(), llm.close()])));
      const settings = path.join(folder, `${name}.json`);
      const home = path.join(folder, name);
      fs.writeFileSync(
        settings,
        JSON.stringify({
          ...{ model: 'x/y', providers: { x: { baseURL: llm.url } }, http: { port: 0 }, limits: { freeBytes: 0 } },
          people: [{ name: 'alex', role: 'owner', ids: ['telegram:1001'] }],
          channels: { telegram: { token: telegram.token, apiRoot: telegram.url } },
        }),
      );
      const child = spawn(path.join(prefix, 'bin', 'viber'), ['start', '--config', settings], {
        env: { ...env, OPENVIBER_HOME: home },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const lines: string[] = [];
      const output = createInterface({ input: child.stdout });
      output.on('line', (line) => void lines.push(line));
      const said = (text: string, times = 1) =>
        expect.poll(() => lines.filter((line) => line.includes(text)).length).toBe(times);
      await said('"msg":"ready"');
      return { telegram, llm, child, said, exited: once(child, 'exit') };
    }

    test('loses no message, and is the newer one soon, in the same process', async () => {
      const { telegram, llm, child, said, exited } = await running('replaced');
      llm.script(() => ({ text: 'Still here.' }));
      // Nothing of the model is loaded before the first message.
      await install(await newer('9.0.1'));
      telegram.say(1001, 'hello');
      await telegram.wait({ chat: 1001, from: 'bot', text: 'Still here.' });
      await said('"msg":"ready"', 2);
      expect(child.exitCode).toBeNull();
      expect((await viber(['--version'])).stdout).toMatch('viber 9.0.1');
      telegram.say(1001, 'and now?');
      await expect.poll(() => llm.requests().length).toBeGreaterThan(1);
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    });

    test('stops when it is asked to, though its parts are gone', async () => {
      const { child, said, exited } = await running('gone');
      await install(await newer('9.0.2'));
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      await said('"msg":"stopped"');
      await said('stopping failed', 0);
    });
  });

  const isOld = (file: string) => /^v(\d|1\d|2[0-3])\./.test(execFileSync(file, ['--version'], { encoding: 'utf8' }));
  const older = ['/usr/bin/node', '/usr/local/bin/node'].find((file) => fs.existsSync(file) && isOld(file)) ?? '';
  test.skipIf(older === '')('says in one sentence what to do where Node is older', async () => {
    const main = path.join(prefix, 'lib/node_modules', manifest.name, 'dist/main.js');
    const { code, stderr } = await run(older, [main, 'start'], { env }).catch((error) => error);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^viber needs Node 24 or newer and this is v\d+\.\d+\.\d+: install .*\n$/);
  });
});
