/**
 * Measures a project's file tools in a generated repository of 50,000 files, and how much longer the prompt gets: `npm
 * run bench:projects [-- FOLDERS]`. Each tool is measured alternately with the least work that does the same, in one
 * run. Exits with 1 if a target is missed.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { Processes } from '../src/features/projects/commands/processes.ts';
import { PROJECT_TOOLS } from '../src/features/projects/offer.ts';
import { usableRoots } from '../src/features/projects/roots.ts';
import { createLru } from '../src/lib/lru.ts';
import { countTokens } from '../src/lib/tokens.ts';
import { createLog } from '../src/log.ts';
import type { ToolScope } from '../src/runtime/contract/tool-scope.ts';
import { openHome } from '../src/workspace/home.ts';
import { startLlm } from '../test/emulators/llm.ts';
import { startTelegram } from '../test/emulators/telegram.ts';
import { quantile } from './measure.ts';
import { writeConfig } from './processes.ts';

const FOLDERS = Number(process.argv[2] ?? 2_000);
const EACH = 25;
const ROUNDS = 1_000;
const SEARCHES = 12;
const TEXT_BYTES = 100_000;
const CHAT = 500;

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'viber-projects-')));
const shop = path.join(root, 'shop');
/** Outside, because a folder that contains the home isn't allowed. */
const homes = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-homes-'));
const first = (n: number): string => `export const first = ${n};`;
const rows: string[][] = [];
let isMissed = false;

try {
  writeRepository();
  await measureTools();
  await measurePrompt();
} finally {
  for (const folder of [root, homes]) fs.rmSync(folder, { recursive: true, force: true });
}
for (const row of rows)
  process.stdout.write(`${row.map((cell, at) => (at === 0 ? cell.padEnd(34) : cell.padStart(12))).join('')}\n`);
if (isMissed) process.exitCode = 1;

function writeRepository(): void {
  const line = (n: number, at: number) => `export const value${n}x${at} = compute(${n * 31 + at}, 'text of ${at}');\n`;
  for (let folder = 0; folder < FOLDERS; folder++) {
    const at = path.join(shop, `area${folder % 20}`, `part${folder % 200}`, `unit${folder}`);
    fs.mkdirSync(at, { recursive: true });
    for (let file = 0; file < EACH; file++) {
      const lines = Array.from({ length: 15 }, (_, n) => line(folder * EACH + file, n)).join('');
      fs.writeFileSync(path.join(at, `file${file}.${file % 5 === 0 ? 'md' : 'ts'}`), lines);
    }
  }
  fs.writeFileSync(path.join(shop, 'package.json'), '{"scripts":{"test":"node --test","lint":"eslint ."}}');
  fs.writeFileSync(path.join(shop, 'AGENTS.md'), 'Prices are integers, in cents.\n');
  fs.writeFileSync(
    path.join(shop, '.gitignore'),
    'node_modules/\ndist/\n*.log\n.env\n.env.*\n!.env.example\n/coverage\n**/*.tmp\nbuild-*/\n*.py[cod]\n',
  );
  fs.writeFileSync(path.join(shop, 'large.ts'), line(1, 1).repeat(TEXT_BYTES / line(1, 1).length));
  spawnSync('git', ['init', '--quiet', shop]);
  // A repository has long been on the disk: the system would write these files while the tools are measured.
  spawnSync('sync');
}

async function measureTools(): Promise<void> {
  const at = await openHome(path.join(homes, 'tools'));
  const scope: ToolScope = {
    ...{ home: at, viber: 'default', taskId: '20260101-abcde', runId: 'run-1', planBase: undefined },
    ...{ onPlan: () => undefined, onArtifact: () => undefined, autoAcceptMemory: false, provenance: 'a benchmark' },
  };
  const kept = createLru<string>(10_000);
  const seen = { get: (label: string) => kept.get(label), note: (label: string, sum: string) => kept.set(label, sum) };
  const project = () => {
    usableRoots([root], at);
    return { name: 'shop', folder: fs.realpathSync.native(shop) };
  };
  const tools = new Map(PROJECT_TOOLS.map((tool) => [tool.name, tool]));
  const commands = {
    isSandboxed: true,
    network: () => 'none' as const,
    words: [],
    person: 'person:alex',
    writable: () => [],
    processes: new Processes(at),
  };
  const run = { scope, seen, project, ...commands };
  const { signal } = new AbortController();
  const call = async (name: string, given: object) => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`no tool ${name}`);
    await tool.execute(tool.input.parse(given), run, { signal, callId: 'c1' });
  };
  const file = path.join(shop, 'large.ts');
  const plainRead = () => fs.readFileSync(file, 'utf8').split('\n').length;
  const plainWrite = () => {
    const fd = fs.openSync(`${file}.plain`, 'w');
    fs.writeSync(fd, 'x'.repeat(TEXT_BYTES));
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    fs.renameSync(`${file}.plain`, path.join(root, 'plain.ts'));
  };
  const plainList = () => fs.readdirSync(shop).map((name) => fs.statSync(path.join(shop, name)).isDirectory());
  const rg =
    (...args: string[]) =>
    () => {
      const { error, status } = spawnSync('rg', ['--line-number', '--hidden', ...args, '.'], {
        cwd: shop,
        maxBuffer: 1e9,
      });
      if (error ?? status === 2) throw error ?? new Error('rg failed');
    };
  rows.push(['', 'p50 ms', 'p95 ms', 'plain p50', 'ratio', 'target'].map(String));
  let n = 0;
  await measure('read_file, 100 KB', () => call('read_file', { path: 'large.ts' }), plainRead, { p95: 5 });
  const edit = () => call('edit_file', { path: 'large.ts', edits: [{ old: first(n), new: first(++n) }] });
  await call('write_file', { path: 'large.ts', content: `${first(0)}\n`.padEnd(TEXT_BYTES, 'y') });
  await measure('edit_file, 100 KB', edit, plainWrite, { p95: 5 });
  const write = () => call('write_file', { path: 'large.ts', content: `${first(++n)}\n`.padEnd(TEXT_BYTES, 'y') });
  await measure('write_file, 100 KB', write, plainWrite, { p95: 5 });
  await measure('list_files, two levels', () => call('list_files', {}), plainList, { p95: 50 });
  await measure('list_files, a folder', () => call('list_files', { path: 'area3/part3' }), plainList, { p95: 50 });
  const files = rg('--files');
  await measure('list_files, glob of few', () => call('list_files', { glob: '**/unit77/*.ts' }), files, {}, SEARCHES);
  await measure('list_files, glob of many', () => call('list_files', { glob: '**/*.ts' }), files, {}, SEARCHES);
  const [some, many] = ['value4711x1[34]', 'compute'];
  const search = (given: object) => () => call('search_files', given);
  await measure('search_files, few hits', search({ pattern: some }), rg(some), { ratio: 2 }, SEARCHES);
  const globbed = search({ pattern: some, glob: '**/*.md' });
  await measure('search_files, by a glob', globbed, rg('-g', '**/*.md', some), { ratio: 2 }, SEARCHES);
  await measure('search_files, many hits', search({ pattern: many }), rg(many), { ratio: 2 }, SEARCHES);
}

async function measure(
  name: string,
  ours: () => Promise<void>,
  plain: () => unknown,
  target: { p95?: number; ratio?: number },
  rounds = ROUNDS,
): Promise<void> {
  const [mine, theirs]: [number[], number[]] = [[], []];
  await ours();
  plain();
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await ours();
    const between = performance.now();
    plain();
    mine.push(between - began);
    theirs.push(performance.now() - between);
  }
  const [p50, p95, base] = [quantile(mine, 0.5), quantile(mine, 0.95), quantile(theirs, 0.5)];
  const isMet = p95 <= (target.p95 ?? p95) && p50 / base <= (target.ratio ?? Number.POSITIVE_INFINITY);
  isMissed ||= !isMet;
  const wanted = target.p95 ? `p95 ≤ ${target.p95}` : target.ratio ? `ratio ≤ ${target.ratio}` : '';
  rows.push([
    name,
    p50.toFixed(2),
    p95.toFixed(2),
    base.toFixed(2),
    (p50 / base).toFixed(2),
    wanted,
    isMet ? '' : ' !',
  ]);
}

/** Real prompts of a gateway: without allowed folders, with them, and in a project. */
async function measurePrompt(): Promise<void> {
  const telegram = await startTelegram({ keepFiles: false, keepRequests: 10 });
  const llm = await startLlm({ keepRequests: 100 });
  const sizes: number[] = [];
  for (const roots of [[], [root]]) {
    const at = path.join(homes, `prompt-${roots.length}`);
    const written = writeConfig({ home: at, token: telegram.token, apiRoot: telegram.url, modelUrl: llm.url });
    const given = JSON.parse(fs.readFileSync(written, 'utf8'));
    given.channels.telegram.live = 'off';
    given.people = [{ name: 'alex', role: 'owner', ids: [`telegram:${CHAT}`] }];
    fs.writeFileSync(written, JSON.stringify({ ...given, projects: { roots } }));
    const { config } = await loadConfig({ file: written, home: at, env: {} });
    const log = createLog({ level: 'error', pretty: false, write: (line) => process.stderr.write(line) });
    const app = await startApp({ config, homeRoot: at, log, env: {}, terminal: false });
    await app.connected;
    if (roots.length > 0)
      llm.script(({ toolResults }) =>
        toolResults.length === 0
          ? { toolCalls: [{ name: 'use_project', arguments: { project: 'shop' } }] }
          : { text: 'Done.' },
      );
    const answered = Promise.withResolvers<void>();
    const stop = telegram.onMessage(({ from }) => (from === 'bot' ? answered.resolve() : undefined));
    telegram.say(CHAT, 'Look into shop.');
    await answered.promise;
    stop();
    sizes.push(...llm.requests().map(({ body }) => countTokens(JSON.stringify([body.messages, body.tools]))));
    llm.reset();
    await app.stop();
  }
  await Promise.all([telegram.close(), llm.close()]);
  const [none = 0, allowed = 0, chosen = 0] = sizes;
  const grown = chosen - none;
  if (grown > 900) isMissed = true;
  rows.push([], ['tokens of the request', `${none}`]);
  rows.push(['  more with allowed folders', `${allowed - none}`]);
  rows.push(['  more in a project', `${grown}`, '', '', '', '≤ 900', grown > 900 ? ' !' : '']);
}
