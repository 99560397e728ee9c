/** Parts of a run that the viber delegates to itself: in a project, through a kill, and at /stop. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type LlmRequest, startLlm, type Turn } from '../emulators/llm.ts';
import { startTelegram } from '../emulators/telegram.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { openPlatforms } from '../platforms/world.ts';

const ALEX = 1001;
const isPart = ({ system }: LlmRequest): boolean => system.includes('You work on one part of a larger task');
const goalOf = ({ lastUser }: LlmRequest): string => /^\S+/.exec(lastUser)?.[0] ?? '';
const delegating = (...goals: string[]): Turn => ({
  toolCalls: [{ name: 'delegate', arguments: { tasks: goals.map((goal) => ({ goal })) } }],
});

it('reads the project of the task in its parts, which may not change it', async () => {
  const root = fs.realpathSync(tempFolder());
  fs.mkdirSync(path.join(root, 'shop'));
  fs.writeFileSync(path.join(root, 'shop/price.js'), 'const prise = 1;\n');
  execFileSync('git', ['init', '--quiet', path.join(root, 'shop')]);
  const world = await openPlatforms({
    on: ['telegram'],
    channel: { live: 'off', injection: 'followup' },
    config: { projects: { roots: [root] } },
  });
  const { telegram } = world.platforms;
  world.llm.script((request) => {
    const { toolResults } = request;
    if (isPart(request))
      return toolResults.length === 0
        ? { toolCalls: [{ name: 'search_files', arguments: { pattern: 'prise' } }] }
        : { text: `${goalOf(request)} found ${toolResults[0]}` };
    if (toolResults.length === 0) return { toolCalls: [{ name: 'use_project', arguments: { project: 'shop' } }] };
    return toolResults.length === 1 ? delegating('one', 'two') : { text: `All: ${toolResults[1]}` };
  });
  const { text } = await ask(telegram, telegram.dm('alex'), 'Look for typos in shop.');
  expect(text).toContain('one found');
  expect(text).toContain('price.js:1:const prise');
  const [part] = world.llm.requests().filter(isPart);
  expect(part?.tools).toEqual(expect.arrayContaining(['read_file', 'list_files', 'search_files']));
  for (const tool of ['edit_file', 'write_file', 'use_project', 'delegate', 'ask_user', 'search_history'])
    expect(part?.tools).not.toContain(tool);
});

it('ends all parts at /stop', async () => {
  const world = await openPlatforms({ on: ['telegram'], channel: { live: 'off' } });
  const { telegram } = world.platforms;
  const dm = telegram.dm('alex');
  world.llm.script((request) => {
    if (isPart(request)) return { text: 'too late', delayMs: 60_000 };
    return request.lastUser.includes('begin') ? delegating('one', 'two', 'three') : { text: 'fine' };
  });
  telegram.say(dm, 'begin');
  for (const goal of ['one', 'two', 'three']) await world.llm.waitFor((one) => isPart(one) && goalOf(one) === goal);
  await telegram.command(dm, 'stop');
  await waitFor(telegram, dm, { text: 'Stopped' });
  await expect.poll(() => world.llm.stats().active).toBe(0);
  telegram.say(dm, 'hello');
  await waitFor(telegram, dm, { text: 'fine' });
});

it.each([
  'run-step-written',
  'agent-answered',
  'agent-answered:2',
  'run-step-written:2',
  'run-answered',
  'run-result-written',
])('pays nothing twice that was finished when the process died at %s', async (point) => {
  const telegram = await startTelegram();
  const llm = await startLlm();
  const home = tempFolder();
  const running = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    await Promise.all([telegram.close(), llm.close()]);
  });
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels: { telegram: { token: telegram.token, apiRoot: telegram.url } },
    people: [{ name: 'alex', role: 'owner', ids: [`telegram:${ALEX}`] }],
    limits: { freeBytes: 0 },
    http: { port: 0 },
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  const start = (at?: string) => {
    const env = { ...process.env, ...(at !== undefined && { OPENVIBER_CRASH_AT: at }) };
    const child = spawn(process.execPath, [PROGRAM, 'start', '--home', home], { stdio: 'ignore', env });
    running.add(child);
    return once(child, 'exit').then(() => running.delete(child));
  };
  // The second begins once the first has ended, so that the order is known.
  const first = Promise.withResolvers<void>();
  const results = (): number => {
    const folder = path.join(home, 'agents/default/sessions');
    const [task] = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => !name.endsWith('.jsonl')) : [];
    const names = task === undefined ? [] : fs.readdirSync(path.join(folder, task));
    return names.filter((name) => fs.readFileSync(path.join(folder, task ?? '', name), 'utf8').includes('"result"'))
      .length;
  };
  llm.script(async (request) => {
    if (!isPart(request))
      return request.toolResults.length === 0 ? delegating('one', 'two') : { text: `Both: ${request.toolResults[0]}` };
    if (goalOf(request) === 'one') {
      first.resolve();
      return { text: 'report one' };
    }
    await first.promise;
    await expect.poll(results).toBeGreaterThan(0);
    return { text: 'report two' };
  });
  telegram.say(ALEX, 'work');
  await start(point);
  const done = results();
  start();
  const { text } = await telegram.wait({ chat: ALEX, from: 'bot', text: 'Both:' });
  expect(text).toContain('report one');
  expect(text).toContain('report two');
  const asked = (goal: string) => llm.requests().filter((one) => isPart(one) && goalOf(one) === goal).length;
  // What was not finished was asked at most once more.
  expect(asked('one')).toBeLessThanOrEqual(done > 0 ? 1 : 2);
  expect(asked('two')).toBeLessThanOrEqual(done > 1 ? 1 : 2);
  // The call was in the journal before its parts began, so the run did not decide anew.
  const begun = llm.requests().filter((one) => !isPart(one) && one.toolResults.length === 0).length;
  expect(begun).toBe(1);
  expect(telegram.chat(ALEX).messages.filter((one) => one.from === 'bot' && one.text.includes('Both:'))).toHaveLength(
    1,
  );
});
