/**
 * The plugins of `examples/`, packed and installed beside the packed gateway without any network: the built program loads them by its
 * configuration, and is talked to through the channels. Matrix's own tests run there too, as those of any package.
 */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { matrixPlatform } from '../../examples/matrix-channel/test/platform.ts';
import { startLlm } from '../emulators/llm.ts';
import { npmEnvironment, pack, programInto, QUIET, stagePackage } from '../helpers/package.ts';
import { tempFolder } from '../helpers/temp.ts';
import { waitFor } from '../platforms/platform.ts';
import { webhookPlatform } from './webhook-platform.ts';

const root = path.join(import.meta.dirname, '../..');
const folder = tempFolder(afterAll);
const beside = path.join(folder, 'beside');
const run = promisify(execFile);
const env = {
  ...npmEnvironment(folder),
  PATH: `${path.dirname(fs.realpathSync(process.execPath))}:${path.join(root, 'node_modules/.bin')}:${process.env.PATH}`,
};

async function install(from: string, ...more: string[]): Promise<void> {
  const { filename } = await pack(from, folder, env, ...more);
  await run('npm', ['install', ...QUIET, path.join(folder, filename)], { cwd: beside, env });
}

beforeAll(async () => {
  const stage = path.join(folder, 'stage');
  stagePackage(stage);
  await programInto(path.join(stage, 'dist'));
  fs.mkdirSync(beside);
  fs.writeFileSync(path.join(beside, 'package.json'), JSON.stringify({ name: 'beside', private: true }));
  await install(stage, '--ignore-scripts');
  for (const name of ['webhook-channel', 'matrix-channel', 'dice']) {
    const own = path.join(folder, name);
    fs.cpSync(path.join(root, 'examples', name), own, { recursive: true });
    // A package is compiled against the gateway as it is installed, and against the types that it names.
    fs.mkdirSync(path.join(own, 'node_modules'));
    for (const needed of ['zod', 'pino', '@types', 'vitest'])
      fs.symlinkSync(path.join(root, 'node_modules', needed), path.join(own, 'node_modules', needed));
    // A copy: its types look for zod beside themselves, as they do where both are installed.
    const gateway = 'node_modules/openviber-gateway';
    fs.cpSync(path.join(beside, gateway), path.join(own, gateway), { recursive: true });
    await install(own);
  }
}, 600_000);

/** Starts the installed program; resolves once it is ready. */
async function startProgram(home: string): Promise<void> {
  const program = path.join(beside, 'node_modules/openviber-gateway/dist/main.js');
  const child = spawn(process.execPath, [program, 'start', '--home', home], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ready = Promise.withResolvers<void>();
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"ready"')) ready.resolve();
    });
  child.once('exit', () => ready.reject(new Error(lines.join('\n'))));
  await ready.promise;
}

test('a channel and a feature that are installed beside the gateway are loaded, with messages, commands, tools and settings', async () => {
  const platform = await webhookPlatform();
  const llm = await startLlm();
  const home = path.join(folder, 'home');
  fs.mkdirSync(home);
  platform.startsAt?.(home);
  const { secret, callback } = platform.settings;
  const webhook = { module: 'openviber-webhook-channel', secret, callback, access: { dm: 'allowlist' } };
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'sk-test-model-key-123' } },
    people: [{ name: 'alex', role: 'owner', ids: ['webhook:alex'] }],
    channels: { webhook },
    plugins: ['openviber-dice'],
    dice: { sides: 1000 },
    http: { port: 0 },
    limits: { freeBytes: 0 },
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  onTestFinished(async () => void (await Promise.all([platform.close(), llm.close()])));
  await startProgram(home);

  const dm = platform.dm('alex');
  llm.script(() => ({ text: 'Hello from beside.' }));
  platform.say(dm, 'hello');
  await waitFor(platform, dm, { text: 'Hello from beside.' });
  platform.say(dm, '/dice 20');
  const rolled = await waitFor(platform, dm, { text: '(of 1000)' });
  const numbers = rolled.text.match(/\d+(?=[, ])/g)?.map(Number) ?? [];
  expect(numbers).toHaveLength(20);
  // Of twenty dice with a thousand sides, one that shows more than six is as good as certain.
  expect(Math.max(...numbers)).toBeGreaterThan(6);
  llm.script(({ toolResults }) =>
    toolResults.length === 0
      ? { toolCalls: [{ name: 'roll_dice', arguments: { count: 3 } }] }
      : { text: `rolled: ${JSON.stringify(toolResults.at(-1))}` },
  );
  platform.say(dm, 'roll three dice');
  const told = await waitFor(platform, dm, { text: 'rolled:' });
  expect(told.text).toMatch(/sides[^\d]+1000/);
  expect(platform.problems).toEqual([]);
});

test('Matrix is loaded as a package, and answers', async () => {
  const [platform, llm] = [await matrixPlatform('openviber-matrix-channel'), await startLlm()];
  onTestFinished(async () => void (await Promise.all([platform.close(), llm.close()])));
  const home = path.join(folder, 'matrix-home');
  fs.mkdirSync(home);
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'sk-test-model-key-123' } },
    people: [{ name: 'alex', role: 'owner', ids: [platform.identity('alex')] }],
    channels: { matrix: platform.section },
    http: { port: 0 },
    limits: { freeBytes: 0 },
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  await startProgram(home);
  llm.script(() => ({ text: 'Hello **from beside**.' }));
  const dm = platform.dm('alex');
  platform.say(dm, 'hello');
  await waitFor(platform, dm, { text: 'Hello from beside.' });
  expect(platform.homeserver.problems).toEqual([]);
});

test("the package's own tests pass with the installed gateway, and are checked against its types", async () => {
  const own = path.join(folder, 'matrix-channel');
  await run(path.join(root, 'node_modules/.bin/tsc'), ['-p', 'test'], { cwd: own });
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  // The others use nothing of the gateway, and run with its own tests.
  const options = [
    'contract',
    'channel',
    '--root',
    own,
    '--maxWorkers',
    '1',
    '--testTimeout',
    '240000',
    '--expect.poll.timeout',
    '60000',
  ];
  const { stdout, stderr } = await run(process.execPath, [vitest, 'run', ...options], {
    ...{ cwd: own, env: { ...env, NO_COLOR: '1' }, maxBuffer: 50 * 1024 * 1024 },
  }).catch((error) => error);
  if (!/Tests {2}\d+ passed \(\d+\)/.test(stdout)) throw new Error(`${stdout}\n${stderr}`);
}, 1_200_000);
