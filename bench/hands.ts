/**
 * Does what a person at a keyboard would do: `npm run hands [-- CALLS [LANGUAGE...]]`. A scripted model with the habits
 * of strong ones fixes a failing test in a repository of each installed language: requested on Telegram, continued on
 * Slack, checked through the Board's API, with two button presses in all. It explores by glob and search, edits several
 * places at once, runs the tests in the background, tries again after a failure, commits and pushes. Then it does the
 * same with a SIGKILL in the middle of the tests; and 10,000 hostile calls (`hands-hostile.ts`).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LlmRequest, startLlm, type ToolCall, type Turn } from '../test/emulators/llm.ts';
import { type Place, type Platform, type Seen, waitFor } from '../test/platforms/platform.ts';
import { slackPlatform } from '../test/platforms/slack.ts';
import { telegramPlatform } from '../test/platforms/telegram.ts';
import { REPOSITORIES, type Repository } from './hands-repositories.ts';
import { startProgram } from './processes.ts';

const TOKEN = 'the-token-of-the-board';
const WAIT_MS = 120_000;
const out = (line: string) => process.stdout.write(`${line}\n`);
const problems: string[] = [];
const must = (holds: boolean, what: string) => void (holds || problems.push(what));
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** The model's calls since the person's newest message, with their results. */
function callsOf(request: LlmRequest): { name: string; given: string; result: string }[] {
  const from = request.messages.findLastIndex(({ role }) => role === 'user');
  const after = request.messages.slice(from);
  const results = new Map(after.flatMap((m) => (m.role === 'tool' ? [[m.tool_call_id ?? '', String(m.content)]] : [])));
  return after.flatMap(({ tool_calls = [] }) =>
    tool_calls.map((call) => ({
      name: call.function.name,
      given: call.function.arguments,
      result: results.get(call.id) ?? '',
    })),
  );
}

const call = (name: string, given: object): ToolCall => ({ name, arguments: given });

/** Returns the model's next step, based on what it has done since the request. */
function nextTurn(request: LlmRequest, { name, test, search, files, edits, isPassed }: Repository): Turn {
  const calls = callsOf(request);
  const branch = `viber/${name}-fix`;
  if (request.lastUser.includes('push')) {
    if (calls.length === 0) return { toolCalls: [call('run_command', { command: `git push -u origin ${branch}` })] };
    return { text: `Pushed: ${calls.at(-1)?.result.slice(0, 200)}` };
  }
  const tests = calls.filter(({ given }) => given.includes(test));
  const edited = calls.filter((one) => one.name === 'edit_file').length;
  const last = tests.at(-1);
  if (calls.length === 0) return { toolCalls: [call('use_project', { project: name })] };
  if (calls.length === 1)
    return { toolCalls: [call('list_files', { glob: '**/*' }), call('search_files', { pattern: search })] };
  if (calls.length === 3) return { toolCalls: files.map((file) => call('read_file', { path: file })) };
  if (tests.length === 0) return { toolCalls: [call('run_command', { command: test, background: true })] };
  if (edited === 0) {
    const id = /"id":"?([\w-]+)/.exec(last?.result ?? '')?.[1] ?? '';
    const looks = calls.filter((one) => one.name === 'process');
    const isOver = looks.some(({ result }) => /"exit":\d|has ended|not running/.test(result));
    if (looks.length < 5 && !isOver) return { toolCalls: [call('process', { id, action: 'output', wait: 20 })] };
    return { toolCalls: [call('edit_file', edits[0])] };
  }
  if (edited === 1 && tests.length === 1) return { toolCalls: [call('run_command', { command: test })] };
  if (edited === 1) return { toolCalls: [call('edit_file', edits[1])] };
  if (tests.length === 2 || !isPassed.test(last?.result ?? ''))
    return tests.length > 6 ? { text: 'I give up.' } : { toolCalls: [call('run_command', { command: test })] };
  if (!calls.some(({ given }) => given.includes('git commit'))) {
    const commands = [`git checkout -b ${branch}`, 'git add -A && git commit -m "Add up prices and tax"'];
    return { toolCalls: commands.map((command) => call('run_command', { command })) };
  }
  if (!calls.some((one) => one.name === 'show_changes')) return { toolCalls: [call('show_changes', {})] };
  return { text: `The tests of ${name} pass now.` };
}

interface Made {
  folder: string;
  origin: string;
}

function makeRepository(root: string, { name, content }: Repository): Made {
  const [folder, origin] = [path.join(root, 'code', name), path.join(root, `${name}.git`)];
  for (const [file, text] of Object.entries(content)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  }
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', origin]);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', folder]);
  git(folder, 'config', 'user.name', 'Alex Example');
  git(folder, 'config', 'user.email', 'alex@example.org');
  git(folder, 'add', '-A');
  git(folder, 'commit', '--quiet', '-m', 'Begin');
  git(folder, 'remote', 'add', 'origin', origin);
  git(folder, 'push', '--quiet', 'origin', 'main');
  return { folder, origin };
}

/** Presses the first matching button in the answers after the given number, and returns its label. */
async function press(platform: Platform, place: Place, after: number, label: RegExp): Promise<string> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(20)) {
    const found = platform
      .answers(place)
      .slice(after)
      .flatMap(({ buttons }) => buttons)
      .find((one) => label.test(one));
    if (found === undefined) continue;
    await platform.press(place, found);
    return found;
  }
  throw new Error(`no button ${label} among: ${JSON.stringify(platform.answers(place).slice(after), null, 1)}`);
}

const marker = (folder: string) => path.join(folder, '.running');

async function waitForTests(folder: string, runs: number): Promise<void> {
  const runsOf = () => (fs.existsSync(marker(folder)) ? fs.readFileSync(marker(folder), 'utf8').length : 0);
  for (const end = Date.now() + WAIT_MS; runsOf() < runs; await sleep(10))
    if (Date.now() > end) throw new Error(`the tests have begun ${runsOf()} times, not ${runs}`);
}

async function fix(repository: Repository, isKilled: boolean): Promise<void> {
  const began = Date.now();
  const { name } = repository;
  const title = `${repository.language}${isKilled ? ', killed in its tests' : ''}`;
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'viber-hands-')));
  const { folder, origin } = makeRepository(root, repository);
  const [telegram, slack] = await Promise.all([telegramPlatform(), slackPlatform()]);
  const llm = await startLlm();
  llm.script((request) => nextTurn(request, repository));
  const home = path.join(root, 'home');
  fs.mkdirSync(home, { mode: 0o700 });
  const channels = Object.fromEntries([telegram, slack].map((each) => [each.name, { ...each.section, live: 'off' }]));
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels,
    people: [{ name: 'alex', role: 'owner', ids: [telegram.identity('alex'), slack.identity('alex')] }],
    projects: { roots: [path.join(root, 'code')] },
    limits: { freeBytes: 0, messagesPerMinute: 1_000 },
    http: { port: 0, token: TOKEN },
  };
  fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  const start = () => startProgram(['dist/main.js', 'start', '--home', home]);
  let gateway = start();
  await gateway.ready;
  let presses = 0;
  const before = git(folder, 'rev-parse', 'main');
  try {
    const dm = telegram.dm('alex');
    telegram.say(dm, `In ${name}, the tests fail. Fix that and commit it.`);
    await press(telegram, dm, 0, /^All commands/);
    presses += 1;
    if (isKilled) {
      // The third run of the tests is the one after both edits.
      await waitForTests(folder, 3);
      await gateway.kill('SIGKILL');
      gateway = start();
    }
    const isEnd = (seen: Seen) => /The tests of .* pass now|I give up/.test(seen.text);
    const answer = await waitFor(telegram, dm, { text: /The tests of .* pass now|I give up/, timeoutMs: WAIT_MS });
    must(isEnd(answer) && answer.text.includes('pass now'), `${title}: ${answer.text}`);
    const asked = telegram.answers(dm).filter(({ buttons }) => buttons.some((label) => /^All commands/.test(label)));
    must(asked.length <= 1, `${title}: it asked ${asked.length} times`);
    const diff = answer.files.find((file) => file.name.endsWith('.diff'));
    must(diff !== undefined || answer.text.includes('diff'), `${title}: no diff came with the answer`);
    must(git(folder, 'rev-parse', 'main') === before, `${title}: main was changed`);
    const [task = ''] = fs.readdirSync(path.join(home, 'artifacts'));
    const [, port = ''] = /"port":(\d+)/.exec(gateway.output()) ?? [];
    await lookAtBoard(port, task, repository, title);

    const there = slack.dm('alex');
    await slack.command(there, 'open', task);
    const after = slack.answers(there).length;
    slack.say(there, 'Good. Now push it.');
    await press(slack, there, after, /^(?:Push|Run|Yes|Do it)/);
    presses += 1;
    const pushed = await waitFor(slack, there, { after, text: /Pushed:/, timeoutMs: WAIT_MS });
    const branch = git(origin, 'branch', '--list', 'viber/*', '--format=%(refname:short)');
    must(branch === `viber/${name}-fix`, `${title}: pushed "${branch}": ${pushed.text}`);
    must(git(origin, 'log', '-1', '--format=%an', branch) === 'Alex Example', `${title}: the author is another`);
    must(presses === 2, `${title}: ${presses} presses`);
  } catch (error) {
    problems.push(`${title}: ${error instanceof Error ? error.message : error}\n${gateway.output().slice(-1_500)}`);
  } finally {
    await gateway.kill('SIGKILL');
    await Promise.all([telegram.close(), slack.close(), llm.close()]);
    fs.rmSync(root, { recursive: true, force: true });
  }
  out(`${title}: ${presses} presses, ${Math.round((Date.now() - began) / 1000)} s`);
}

/** Returns what the Board shows of the task: its project, and the file with the changes. */
async function lookAtBoard(port: string, task: string, repository: Repository, title: string): Promise<void> {
  const read = (file: string) =>
    fetch(`http://127.0.0.1:${port}/api/${file}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const page = await (await read(`tasks/${task}`)).text();
  must(page.includes(`"project":"${repository.name}"`), `${title}: the Board shows no project: ${page.slice(0, 500)}`);
  const [, file = ''] = /"ref":"artifacts\/[^"/]*\/([^"]*changes[^"]*)"/.exec(page) ?? [];
  const changes = await (await read(`artifacts/${task}/${file}`)).text();
  must(/^\+.*1\.?19/m.test(changes), `${title}: the Board shows no changes in "${file}": ${page.slice(-700)}`);
}

const isChosen = ({ language }: Repository) => process.argv.length < 4 || process.argv.slice(3).includes(language);
const isThere = (one: Repository) =>
  isChosen(one) && spawnSync(one.program, [one.program === 'go' ? 'version' : '--version']).status === 0;
const there = REPOSITORIES.filter((one) => isThere(one));
for (const one of REPOSITORIES) if (!there.includes(one)) out(`${one.language}: not installed here, left out`);
for (const isKilled of [false, true]) for (const one of there) await fix(one, isKilled);
const hostile = [path.join(import.meta.dirname, 'hands-hostile.ts'), process.argv[2] ?? '10000'];
const { status } = spawnSync(process.execPath, hostile, { stdio: 'inherit' });
must(status === 0, 'the hostile calls were not all refused');
for (const problem of problems) out(`BROKEN ${problem}`);
out(`what does not hold: ${problems.length}`);
process.exit(problems.length > 0 ? 1 : 0);
