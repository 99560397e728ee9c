/** Each feature can be taken out of the table by its one line: what is left starts, works, and offers nothing of it. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { guarded } from '../src/app/plugins.ts';
import type { Feature } from '../src/features/gateway.ts';
import { FEATURES as TABLE } from '../src/features.ts';
import { silentLog } from '../src/log.ts';
import type { Answer } from '../src/runtime/contract/outcome.ts';
import { OFFLINE_MODEL } from '../src/runtime/contract/providers.ts';
import { featureSet } from '../src/runtime/features.ts';
import { openWorld } from './dialogs/harness.ts';
import { FEATURES } from './helpers/features.ts';
import { openTestGateway } from './helpers/gateway.ts';
import { PROGRAM } from './helpers/program.ts';
import { tempFolder } from './helpers/temp.ts';

const root = path.join(import.meta.dirname, '..');
const table = fs.readFileSync(path.join(root, 'src/features.ts'), 'utf8');

it('says each feature in one row, by the name of its folder', () => {
  const folders = fs.readdirSync(path.join(root, 'src/features'), { withFileTypes: true });
  const named = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(FEATURES.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
  const rows = table.split('\n').filter((line) => /^ {2}\{ name: /.test(line));
  expect(rows.map((row) => /name: '(\w+)'/.exec(row)?.[1])).toEqual(FEATURES.map(({ name }) => name));
});

it('a row that is taken away takes the commands of `viber` with it, and those of the others stay', async () => {
  const copy = fs.mkdtempSync(path.join(tempFolder(), 'row-'));
  for (const name of ['src', 'package.json'])
    fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const viber = async (...args: string[]) => {
    const env = { ...process.env, OPENVIBER_HOME: path.join(copy, 'home') };
    const run = promisify(execFile)(process.execPath, [path.join(copy, 'src/main.ts'), ...args], { env });
    return run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout, stderr }));
  };
  const withCommands = TABLE.filter(({ cli }) => cli);
  expect(withCommands.length).toBeGreaterThan(3);
  for (const { name, cli = {} } of withCommands) {
    const without = table.replace(new RegExp(`\n {2}\\{ name: '${name}',.*`), '');
    expect(without).not.toBe(table);
    fs.writeFileSync(path.join(copy, 'src/features.ts'), without);
    const { stdout } = await viber('--help');
    for (const [command] of withCommands.flatMap((row) => Object.entries(row.cli ?? {})))
      expect(new RegExp(`^ +${command} `, 'm').test(stdout), `${command} without ${name}`).toBe(!(command in cli));
    for (const command of Object.keys(cli)) expect((await viber(command)).stderr).toContain(`"${command}"`);
  }
});

it.each(['throws', 'never ends'])(
  'a feature from outside of which every hook %s holds up no answer and repeats none',
  async (how) => {
    const fail = (): never => {
      throw new Error('out of order');
    };
    const late = how === 'throws' ? fail : () => new Promise<never>(() => undefined);
    // What is synchronous can only throw: where it must not, what follows is what never ends.
    const when = how === 'throws' ? fail : () => true;
    const bad: Feature = {
      name: 'bad',
      isSetUp: () => how === 'never ends' || fail(),
      takes: { when: fail, run: late },
      delivers: { when: fail, send: late },
      answers: { when, add: late },
      keeps: { when, keep: late },
      after: { when, note: fail },
      below: fail,
      cut: fail,
      gaveUp: fail,
      sweep: fail,
      replied: late,
      recall: late,
      understands: { when, read: late },
      reply: [{ name: 'memory_suggestion', take: late, passOn: fail }],
      start: () => late,
      routes: late,
      door: late,
      names: late,
      called: late,
      search: late,
      servers: late,
      playbooks: fail,
      spending: fail,
      status: fail,
      stop: late,
    };
    const token = 'a token of a program that is long enough';
    const features = [...FEATURES, guarded(bad, silentLog(), 50)];
    const world = await openWorld({ features, config: { http: { port: 0, token } } });
    world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
    for (const place of ['/api/tasks', '/api/agents', '/api/jobs', '/board/']) {
      const url = `http://127.0.0.1:${world.app.port}${place}`;
      expect((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status, place).toBe(200);
    }
    for (const said of ['one', 'two']) expect((await world.ask(said)).text).toBe(`re ${said}`);
    expect((await world.ask('/status')).text).toContain('one');
    expect((await world.ask('/stop')).text).toContain('nothing to stop');
    await world.restart();
    expect((await world.ask('three')).text).toBe('re three');
    expect(world.llm.requests()).toHaveLength(3);
  },
);

it('a feature that states its conditions as values is entered only when they hold', async () => {
  const entered: string[] = [];
  const note = (hook: string) => void entered.push(hook);
  const add = async (hook: string, outcome: Answer) => {
    note(hook);
    return outcome;
  };
  const watching: Feature = {
    name: 'watching',
    takes: { when: { isPlay: true }, run: async () => Promise.reject(new Error('it was no playbook')) },
    delivers: { when: { isJob: true }, send: async () => note('delivers') },
    answers: { when: { state: 'completed', isSpoken: true }, add: (outcome) => add('spoken', outcome) },
    keeps: { when: [{ hasAsks: true }, { state: 'completed', hasGuest: false }], keep: async () => note('keeps') },
    after: { when: { state: ['completed', 'error'], isAwaited: false }, note: () => note('after') },
    belowWhen: { hasAsks: true },
    below: () => void note('below'),
    understands: {
      when: /^odd:/,
      async read(answer) {
        note('understands');
        return { answer };
      },
    },
  };
  const asleep: Feature = {
    name: 'asleep',
    isSetUp: () => false,
    offers: { when: () => Boolean(note('offers')), tools: async () => ({ tools: [] }) },
    after: { when: {}, note: () => note('asleep') },
  };
  const world = await openWorld({ features: [...FEATURES, watching, asleep] });
  world.llm.script(({ lastUser }) => ({ text: lastUser }));
  await world.ask('one');
  await expect.poll(() => entered).toEqual(['keeps', 'after']);
  await world.ask('odd: two');
  await expect.poll(() => entered).toEqual(['keeps', 'after', 'understands', 'keeps', 'after']);
});

it.each([undefined, null, 'job', 7])('a feature from outside whose condition is %s never applies', async (when) => {
  const never = () => Promise.reject(new Error('it was called'));
  const blank = guarded(Object.assign({ name: 'blank' }, { takes: { when, run: never } }) as Feature, silentLog());
  const world = await openWorld({ features: [...FEATURES, blank] });
  world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
  expect((await world.ask('one')).text).toBe('re one');
});

it('a feature from outside remembers for runs, and takes its own element of an answer', async () => {
  const taken: string[] = [];
  const diary: Feature = {
    name: 'diary',
    recall: async ({ viber }) => ({ text: `The diary of ${viber}.`, hasLogs: false }),
    reply: [{ name: 'diary_entry', take: async (texts) => void taken.push(...texts) }],
  };
  const world = await openWorld({ features: [...FEATURES, guarded(diary, silentLog())] });
  world.llm.script(() => ({ text: 'Noted.\n\n<diary_entry>It rained.</diary_entry>' }));
  expect((await world.ask('It rained today.')).text).toBe('Noted.');
  expect(taken).toEqual(['It rained.']);
  expect(world.llm.requests().at(-1)?.system).toContain('The diary of default.');
  for (const name of ['decision', 'Tool-Call', 'think'])
    expect(() => featureSet([{ ...diary, reply: [{ name, take: async () => undefined }] }])).toThrow(name);
});

it('without the built-in model the usual one is another, which names the setting that it lacks', async () => {
  const { gw } = await openTestGateway({ features: FEATURES.filter(({ name }) => name !== 'offline') });
  expect(gw.models.modelName()).not.toBe(OFFLINE_MODEL);
  expect(gw.models.choices.isUsable(OFFLINE_MODEL)).toBe(false);
  await expect(gw.models.providers.load(gw.models.modelName())).rejects.toThrow(/apiKey|API_KEY/);
  expect((await openTestGateway()).gw.models.modelName()).toBe(OFFLINE_MODEL);
});

it('without the Board programs still use the protocol, and there is no page, no login and no `viber board`', async () => {
  const token = 'a token of a program that is long enough';
  const config = { http: { port: 0, token } };
  const at = async (features: readonly Feature[]) => {
    const world = await openWorld({ features, config });
    const url = `http://127.0.0.1:${world.app.port}`;
    const statusOf = async (place: string) =>
      (await fetch(url + place, { redirect: 'manual', headers: { authorization: `Bearer ${token}` } })).status;
    const statuses = await Promise.all(['/healthz', '/api/tasks', '/board/', '/api/letters'].map(statusOf));
    const link = await promisify(execFile)(process.execPath, [
      PROGRAM,
      'board',
      '--no-open',
      '--home',
      world.home,
    ]).catch(({ stderr }: { stderr: string }) => ({ stdout: '', stderr }));
    return [...statuses, /login#/.test(link.stdout)];
  };
  expect(await at(FEATURES)).toEqual([200, 200, 200, 200, true]);
  expect(await at(FEATURES.filter(({ name }) => name !== 'board'))).toEqual([200, 200, 404, 404, false]);
});

it('without costs nothing is counted or capped, and /status names no tokens', async () => {
  const at = async (features: readonly Feature[]) => {
    const world = await openWorld({ features, config: { limits: { tokensPerDay: 1 } } });
    world.llm.script(() => ({ text: 'Fine.' }));
    const answers = [await world.ask('one'), await world.ask('two'), await world.ask('/status')];
    return { calls: world.llm.requests().length, status: answers.at(-1)?.text ?? '' };
  };
  const counted = await at(FEATURES);
  expect([counted.calls, /tokens/.test(counted.status)]).toEqual([1, true]);
  const free = await at(FEATURES.filter(({ name }) => name !== 'costs'));
  expect([free.calls, /tokens/.test(free.status)]).toEqual([2, false]);
});

describe.each(FEATURES.map(({ name }) => [name]))('without %s', (name) => {
  it('a gateway starts, answers, uses tools, keeps its plan over a restart, and stops', async () => {
    const off = FEATURES.find((feature) => feature.name === name);
    const token = 'the-token-of-the-owner';
    const world = await openWorld({
      features: FEATURES.filter((feature) => feature !== off),
      config: { http: { port: 0, token } },
    });
    const plan = { goal: 'Ship', steps: [{ text: 'Draft', status: 'done' }] };
    world.llm.script([
      { toolCalls: [{ name: 'update_plan', arguments: { plan } }] },
      { toolCalls: [{ name: 'create_artifact', arguments: { title: 'note.txt', content: 'kept' } }] },
      { text: 'It is drafted.' },
      { text: 'As I said: it is drafted.' },
    ]);
    expect((await world.ask('Draft the note')).text).toContain('It is drafted.');
    expect(world.read(path.join(world.task(), 'task.md'))).toContain('- [x] Draft');

    const offered = world.llm.requests().flatMap(({ tools }) => tools);
    for (const tool of off?.tools ?? []) expect(offered).not.toContain(tool.name);

    const help = (await world.ask('/help all')).text;
    for (const { name: command, hidden } of off?.commands ?? [])
      if (!hidden) expect(help).not.toMatch(new RegExp(`/${command}\\b`));
    for (const { name: command } of off?.commands ?? [])
      expect((await world.ask(`/${command}`)).text).toMatch(/I don't know/);

    for (const page of ['jobs', 'memory', 'skills', 'agents', 'health']) {
      const url = `http://127.0.0.1:${world.app.port}/api/${page}`;
      const { status } = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      // The Board itself serves the last two.
      const isOff = page === name || (name === 'board' && ['agents', 'health'].includes(page));
      expect([page, status]).toEqual([page, isOff ? expect.toBeOneOf([200, 404]) : 200]);
    }

    await world.restart();
    expect((await world.ask('What did you do?')).text).toContain('As I said');
    expect((await world.ask('/plan')).text).toContain('Draft');
  });
});
