/** What autocomplete offers: to whom, how much, how quickly. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { newTaskId } from '../../../src/workspace/tasks/record.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { among, commandWorld, direct } from './fixtures.ts';

const alex = direct('telegram:1001');
const kim = direct('discord:2002');
const kimInThread = among('discord:2002', '50', '51');
const guest = among('discord:3', '50', '51');

describe('tasks for /open', () => {
  it('are the person’s own, the newest first, by words of title or id', async () => {
    const w = await commandWorld();
    const plan = await w.begin(kim, 'Launch plan');
    const budget = await w.begin(direct('telegram:1002'), 'Launch budget');
    await w.begin(alex, 'Launch secrets');
    const offered = await w.suggest(kim, 'open', '');
    expect(offered.map(({ value }) => value)).toEqual([budget, plan]);
    expect(offered[0]?.label).toBe(`✓ Launch budget (${budget})`);
    expect((await w.suggest(kim, 'open', 'PLAN launch')).map(({ value }) => value)).toEqual([plan]);
    expect((await w.suggest(kim, 'open', plan.slice(-5))).map(({ value }) => value)).toContain(plan);
    expect(await w.suggest(kim, 'open', 'secrets')).toEqual([]);
  });

  it('are offered to an owner from everybody only for words typed', async () => {
    const w = await commandWorld();
    await w.begin(kim, 'Kim’s plan');
    expect(await w.suggest(alex, 'open', '')).toEqual([]);
    expect(await w.suggest(alex, 'open', 'kim')).toHaveLength(1);
    expect(await w.suggest(among('telegram:1001', '-100'), 'open', 'kim')).toEqual([]);
  });

  it('are in a group its own and the person’s own, which only that person sees', async () => {
    const w = await commandWorld();
    const own = await w.begin(kim, 'Private');
    const shared = await w.begin(kimInThread, 'Shared');
    expect((await w.suggest(kimInThread, 'open', '')).map(({ value }) => value)).toEqual([shared, own]);
    expect((await w.suggest(guest, 'open', '')).map(({ value }) => value)).toEqual([shared]);
    // What other commands take is only what they show there.
    expect((await w.suggest(kimInThread, 'status', '')).map(({ value }) => value)).toEqual([shared]);
  });

  it('are at most 25 of at most 100 characters, and thousands of tasks do not slow them', async () => {
    const w = await commandWorld();
    for (let n = 0; n < 30; n++) await w.begin(kim, `Task ${n} ${'👩‍👩‍👧 long '.repeat(20)}`);
    for (let n = 0; n < 3_000; n++) fs.mkdirSync(path.join(w.home.artifacts, newTaskId(new Date())));
    await w.begin(kim, 'The newest');
    await w.suggest(kim, 'open', 'nothing like it');
    const before = ownTime();
    expect(await w.suggest(kim, 'open', 'nothing like it')).toEqual([]);
    expect(ownTime() - before).toBeLessThan(250);
    const w2 = await commandWorld();
    for (let n = 0; n < 30; n++) await w2.begin(kim, `Task ${n} ${'👩‍👩‍👧 long '.repeat(20)}`);
    const offered = await w2.suggest(kim, 'open', 'task');
    expect(offered).toHaveLength(25);
    for (const { value, label } of offered) {
      expect(value.length).toBeLessThanOrEqual(100);
      expect(label.length).toBeLessThanOrEqual(100);
      expect(label.isWellFormed()).toBe(true);
    }
  });
});

describe('files for /get', () => {
  it('are those of the conversation’s task, the newest first', async () => {
    const w = await commandWorld();
    const id = await w.begin(kim, 'Files');
    const a = await w.file(id, 'alpha.md');
    const b = await w.file(id, 'beta.md');
    expect(await w.suggest(kim, 'get', '', id)).toEqual([
      { value: b, label: 'beta.md (7 B)' },
      { value: a, label: 'alpha.md (8 B)' },
    ]);
    expect(await w.suggest(kim, 'get', 'ALP', id)).toHaveLength(1);
    expect(await w.suggest(kim, 'get', '')).toEqual([]);
  });
});

it('commands without suggestions have none, whatever is asked', async () => {
  const w = await commandWorld();
  await w.begin(kim, 'A task');
  for (const command of ['link', 'new', 'memory', 'help', 'tasks', 'pair', '__proto__', 'constructor', ''])
    expect(await w.suggest(kim, command, '')).toEqual([]);
});

it('the runs of scheduled jobs are shown only to whoever asks for them', async () => {
  const w = await commandWorld();
  const mine = await w.begin(alex, 'Paint the shed');
  const run = await w.begin(alex, 'Morning digest', { job: 'digest' });
  const offered = async (text: string) => (await w.suggest(alex, 'open', text)).map(({ value }) => value);
  expect(await offered('')).toEqual([mine]);
  expect(await offered('digest')).toEqual([run]);
  expect((await w.say(alex, '/tasks')).text).not.toContain('Morning digest');
  expect((await w.say(alex, '/tasks all')).text).toContain('Morning digest');
});
