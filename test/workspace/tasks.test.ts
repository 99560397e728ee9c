/** Task records: ids, titles, changes at once, lists that read no more than they must. */

import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { listenForDamage } from '../../src/lib/damage.ts';
import type { Home } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import {
  listTasks,
  newTaskId,
  resolveTaskId,
  saveTask,
  saysNothing,
  titleOf,
} from '../../src/workspace/tasks/record.ts';
import type { SessionEntry, TaskRecord } from '../../src/workspace/types.ts';
import { newHome } from './home-helper.ts';

afterEach(() => vi.restoreAllMocks());
const at = '2026-01-01T00:00:00.000Z';
const record = (id: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
  ...{
    id,
    viber: 'default',
    goal: 'Go',
    title: 'Go',
    state: 'pending',
    people: ['telegram:1001'],
    conversations: [],
    runs: 0,
  },
  ...{ createdAt: at, updatedAt: at },
  ...more,
});
const A = '20260101-aaaaa';
const file = (home: Home, id = A) => path.join(home.taskDir(id), 'task.json');

describe('newTaskId', () => {
  it('is a date and five characters that cannot be mistaken, never the same twice, in order of time', () => {
    const start = Date.UTC(2026, 10, 14, 23, 0);
    const ids = Array.from({ length: 20_000 }, (_, i) => newTaskId(new Date(start + Math.floor(i / 100) * 1000)));
    for (const id of ids) expect(id).toMatch(/^20261114-[a-km-np-z2-9]{5}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted().every((id, i) => id === ids[i])).toBe(true);
  });

  it('goes on with the next day', () => {
    const ids = [Date.UTC(2026, 0, 1, 23, 59, 59, 999), Date.UTC(2026, 0, 2, 0, 0, 0, 0)].map((time) =>
      newTaskId(new Date(time)),
    );
    expect(ids.map((id) => id.slice(0, 8))).toEqual(['20260101', '20260102']);
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe('titleOf', () => {
  const cases: [string, string][] = [
    ['Build a landing page', 'Build a landing page'],
    ['one two three four five six seven eight nine', 'one two three four five six seven eight…'],
    ['\n\n## **Fix** the `bug`\nmore', 'Fix the bug'],
    ['- item', 'item'],
    ['', 'Untitled task'],
    [' \n\t', 'Untitled task'],
    ['a\u202eb\u0000c\u200b', 'abc'],
    ['写一个登陆页面'.repeat(20), `${'写一个登陆页面'.repeat(20).slice(0, 59)}…`],
    ['👩‍👩‍👧'.repeat(20), `${'👩‍👩‍👧'.repeat(7)}…`],
    ['fix snake_case_name and _this_', 'fix snake_case_name and this'],
  ];
  it.each(cases)('%j', (goal, title) => {
    expect(titleOf(goal)).toBe(title);
    expect(titleOf(goal).length).toBeLessThanOrEqual(60);
  });
});

describe('records', () => {
  it('are written whole and private, and read back', async () => {
    const home = await newHome();
    expect(openTask(home, A).record()).toBeUndefined();
    await saveTask(home, record(A, { parent: '20251231-zzzzz' }), { sync: true });
    expect(openTask(home, A).record()).toEqual(record(A, { parent: '20251231-zzzzz' }));
    expect([fs.statSync(file(home)).mode & 0o777, fs.statSync(home.taskDir(A)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(JSON.parse(fs.readFileSync(file(home), 'utf8'))).toEqual(record(A, { parent: '20251231-zzzzz' }));
  });

  it('changes made at once all happen', async () => {
    const home = await newHome();
    await saveTask(home, record(A));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        openTask(home, A).update((task) => ({
          ...task,
          runs: task.runs + 1,
          ...(i % 4 === 0 ? { people: [...task.people, `p${i}`] } : {}),
        })),
      ),
    );
    const after = openTask(home, A).record();
    expect(after?.runs).toBe(40);
    expect(after?.people).toHaveLength(11);
    expect(JSON.parse(fs.readFileSync(file(home), 'utf8'))).toEqual(after);
  });

  it('a change of state is one small write in place; more is a new, synced file', async () => {
    const home = await newHome();
    await saveTask(home, record(A));
    const { ino } = fs.statSync(file(home));
    const syncs = vi.spyOn(fs, 'renameSync');
    for (const state of ['running', 'completed', 'running', 'error', 'running', 'stopped', 'pending'] as const) {
      await openTask(home, A).update((task) => ({ ...task, state, runs: task.runs + 1 }));
      expect(JSON.parse(fs.readFileSync(file(home), 'utf8'))).toMatchObject({ state });
    }
    expect(syncs).not.toHaveBeenCalled();
    expect(fs.statSync(file(home)).ino).toBe(ino);
    await openTask(home, A).update((task) => ({ ...task, people: ['telegram:2'] }));
    expect(fs.statSync(file(home)).ino).not.toBe(ino);
    expect(openTask(home, A).record()).toMatchObject({ people: ['telegram:2'], state: 'pending', runs: 7 });
  });

  it('a much shorter record leaves nothing of the longer one', async () => {
    const home = await newHome();
    await saveTask(home, record(A, { goal: 'ü'.repeat(9000) }), { sync: false });
    await saveTask(home, record(A), { sync: false });
    expect(fs.statSync(file(home)).size).toBeLessThan(600);
    expect(openTask(home, A).record()).toEqual(record(A));
  });

  it('updatedAt follows changes; an unchanged record is not written; what is handed out is a copy', async () => {
    const home = await newHome();
    await saveTask(home, record(A));
    const before = fs.statSync(file(home)).mtimeMs;
    expect(await openTask(home, A).update((task) => task)).toEqual(record(A));
    expect(fs.statSync(file(home)).mtimeMs).toBe(before);
    expect((await openTask(home, A).update((task) => ({ ...task, runs: 1 }))).updatedAt > at).toBe(true);
    expect((await openTask(home, A).update((task) => ({ ...task, runs: 2, updatedAt: 'mine' }))).updatedAt).toBe(
      'mine',
    );
    const copy = openTask(home, A).record();
    copy?.people.push('intruder');
    expect(openTask(home, A).record()?.people).toEqual(['telegram:1001']);
    const mutated = await openTask(home, A).update((task) => {
      task.people.push('friend');
      return task;
    });
    expect(mutated.people).toEqual(['telegram:1001', 'friend']);
    expect(openTask(home, A).record()?.people).toEqual(['telegram:1001', 'friend']);
  });

  it('a failing change changes nothing and does not stop the next', async () => {
    const home = await newHome();
    await saveTask(home, record(A));
    const failing = openTask(home, A).update(() => {
      throw new Error('no');
    });
    const next = openTask(home, A).update((task) => ({ ...task, runs: 5 }));
    await expect(failing).rejects.toThrow('no');
    expect((await next).runs).toBe(5);
    await expect(openTask(home, '20260101-bbbbb').update((task) => task)).rejects.toBeInstanceOf(UserError);
  });

  it('a damaged record is set aside and named, and left out of lists when no session tells of it', async () => {
    const home = await newHome();
    const named: string[] = [];
    listenForDamage(home.root, (damage) => named.push(damage.file));
    await saveTask(home, record(A));
    await saveTask(home, record('20260102-bbbbb'));
    const good = fs.readFileSync(file(home));
    const damaged = [
      good.subarray(0, 50),
      Buffer.alloc(0),
      Buffer.from('[]'),
      Buffer.from('{"id":"x"}'),
      // It could be read, and never be written again.
      Buffer.from(good.toString().replace('{', `{"of another": ${'['.repeat(100_000)}${']'.repeat(100_000)},`)),
      Buffer.from(good.toString().replace('pending', 'pendinx')),
      Buffer.from(good.toString().replace('["', '[1,"').replace('[\n', '[1,\n')),
    ];
    for (const bytes of damaged) {
      fs.writeFileSync(file(home), bytes);
      expect(openTask(home, A).record()).toBeUndefined();
      expect(fs.existsSync(file(home))).toBe(false);
      await expect(openTask(home, A).update((task) => task)).rejects.toBeInstanceOf(UserError);
      expect((await listTasks(home, { limit: 10 })).map((task) => task.id)).toEqual(['20260102-bbbbb']);
    }
    expect(named).toEqual(damaged.map(() => file(home)));
    const kept = fs.readdirSync(home.taskDir(A)).filter((name) => name.startsWith('task.json.bad'));
    expect(kept).toHaveLength(damaged.length);
  });
});

it('a record may hold as many brackets as it likes, in its words or one after the other', async () => {
  const home = await newHome();
  const goal = `\\"${'[{'.repeat(5_000)}"`;
  const conversations = Array.from({ length: 3_000 }, (_, n) => `telegram:${n}`);
  const text = JSON.stringify({ ...record(A, { goal }), more: conversations.map((each) => [{ each }]) });
  fs.mkdirSync(home.taskDir(A));
  fs.writeFileSync(file(home), text);
  expect(openTask(home, A).record()?.goal).toBe(goal);
});

describe('a folder of a task that lets nobody in', () => {
  const closed = async (isTheirs: boolean) => {
    const home = await newHome();
    await saveTask(home, record(A));
    const { ino } = fs.statSync(home.taskDir(A));
    let isOpen = false;
    const { statSync, chmodSync, accessSync } = fs;
    const folderOf = (given: unknown) => statSync(path.dirname(String(given)), { throwIfNoEntry: false })?.ino;
    vi.spyOn(fs, 'statSync').mockImplementation(((given: string, options: fs.StatSyncOptions) => {
      if (!isOpen && folderOf(given) === ino) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return statSync(given, options);
    }) as typeof fs.statSync);
    vi.spyOn(fs, 'accessSync').mockImplementation((given, needed) => {
      if (!isOpen && statSync(given).ino === ino) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      accessSync(given, needed);
    });
    vi.spyOn(fs, 'chmodSync').mockImplementation((given, mode) => {
      if (isTheirs) throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      chmodSync(given, mode);
      isOpen = true;
    });
    return home;
  };

  it('is opened again', async () => {
    const home = await closed(false);
    expect(openTask(home, A).record()).toEqual(record(A));
  });

  it('is set aside when it is of another user, and the task is made anew as far as its session tells', async () => {
    const home = await closed(true);
    const from = { channel: 'telegram', user: '1001', name: 'Alex' };
    const said: SessionEntry = { type: 'message', id: 'm1', run: 'r1', at, text: 'Go on', from, files: [] };
    await openTask(home, A, 'default').session.append([said]);
    const made = openTask(home, A).record();
    vi.restoreAllMocks();
    expect([made?.id, fs.existsSync(`${home.taskDir(A)}.bad/task.json`), fs.existsSync(file(home))]).toEqual([
      ...[A, true, true],
    ]);
    expect(openTask(home, A).record()).toEqual(made);
  });
});

describe('listTasks', () => {
  /** As an earlier process has left them: nothing of them is in memory. */
  function many(home: Home, count: number): string[] {
    const ids = Array.from({ length: count }, (_, i) => newTaskId(new Date(Date.UTC(2026, 0, 1) + i * 1000)));
    for (const id of ids) {
      const viber = Number(id.codePointAt(13)) % 2 ? 'default' : 'dev';
      fs.mkdirSync(home.taskDir(id));
      fs.writeFileSync(file(home, id), JSON.stringify(record(id, { viber })));
    }
    return ids;
  }

  it('gives the newest first and reads only as many as it needs', async () => {
    const home = await newHome();
    const ids = many(home, 300);
    fs.mkdirSync(path.join(home.artifacts, '20991231-zzzzz'));
    fs.writeFileSync(path.join(home.artifacts, 'README.txt'), 'not a task');
    const reads = vi.spyOn(fs, 'readFileSync');
    expect((await listTasks(home, { limit: 5 })).map((task) => task.id)).toEqual(ids.slice(-5).reverse());
    expect(reads).toHaveBeenCalledTimes(5);
    const matched = await listTasks(home, { limit: 7, match: (task) => task.viber === 'dev' });
    expect(matched).toHaveLength(7);
    expect(reads.mock.calls.length).toBeLessThan(60);
    expect(await listTasks(home, { limit: 0 })).toEqual([]);
  });

  it('sees new tasks at once', async () => {
    const home = await newHome();
    for (let i = 0; i < 5; i++) {
      await saveTask(home, record(`2026010${i + 1}-aaaaa`), { sync: false });
      expect(await listTasks(home, { limit: 10 })).toHaveLength(i + 1);
    }
  });
});

it('resolveTaskId knows a whole id, its end, and its beginning', async () => {
  const home = await newHome();
  for (const id of ['20260101-abcde', '20260101-abxyz', '20260102-mmmde'])
    await saveTask(home, record(id), { sync: false });
  const cases: [string, string[]][] = [
    ['20260101-abcde', ['20260101-abcde']],
    [' #20260101-ABCDE ', ['20260101-abcde']],
    ['abcde', ['20260101-abcde']],
    ['ab', ['20260101-abxyz', '20260101-abcde']],
    ['de', ['20260102-mmmde', '20260101-abcde']],
    ['20260102', ['20260102-mmmde']],
    ['zzz', []],
    ['', []],
    ['../..', []],
    ['%', []],
  ];
  for (const [text, expected] of cases) expect(await resolveTaskId(home, text), text).toEqual(expected);
});

describe('a title says nothing', () => {
  const NOTHING = [
    ...['hi', 'Hi there!', 'Guten Morgen zusammen', 'hola', '👋', 'Hey Viber, how are you?', 'What’s up?', 'test'],
    ...['Greeting', 'Initial greeting', 'Casual Greeting and Introduction', 'User says hello', 'New conversation'],
    ...['Simple test message', 'Friendly chat', 'Greeting and offer of assistance', 'Begrüßung'],
    ...['can you help me?', 'I need help please', 'I have a question', 'hi, how are you doing today?', 'Who are you?'],
    ...['Kannst du mir helfen?', 'Ich brauche Hilfe', 'kurze Frage', 'wie geht es dir heute?', 'Allgemeine Anfrage'],
    ...['привет', '你好', 'こんにちは', 'olá tudo bem', 'dzień dobry', 'Request for Assistance', 'Initial contact'],
  ];
  it.each(NOTHING)('%s', (title) => expect(saysNothing(title)).toBe(true));
  const SOMETHING = [
    // biome-ignore format: a list is filled
    ...[
      'Hello world in Rust', 'Test the login page', 'Good wine for tonight', 'Chat widget', 'Hi-fi', 'A trip to Rome',
    ],
    // biome-ignore format: a list is filled
    ...[
      'Thank-you letter', 'How are volcanoes made?', 'Hilfe bei der Steuer', 'What do we need for Rome?',
      'Ich brauche ein Zelt', '你好世界',
    ],
  ];
  it.each(SOMETHING)('but not: %s', (title) => expect(saysNothing(title)).toBe(false));
});
