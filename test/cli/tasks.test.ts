/** `viber tasks` and `viber memory WORDS`: what people type before they have read which commands there are. */

import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/arguments.ts';
import { run } from '../../src/cli/tasks.ts';
import { openHome } from '../../src/workspace/home.ts';
import { printed } from '../helpers/cli.ts';
import { tempFolder } from '../helpers/temp.ts';

async function tasks(home: string, json = false): Promise<string[]> {
  const { code, lines } = await printed(run, home, { json });
  expect(code).toBe(0);
  return lines;
}

it('lists the newest tasks of a home with how each stands, and says how to begin one', async () => {
  const root = tempFolder();
  const home = await openHome(root);
  expect(await tasks(root)).toEqual([expect.stringContaining('There are no tasks yet.')]);
  for (let n = 10; n < 32; n++) {
    const id = `20260101-aaa${n}`;
    const at = `2026-01-01T10:00:${n}.000Z`;
    const state = n === 31 ? 'error' : 'completed';
    const record = {
      id,
      viber: 'default',
      goal: 'g',
      title: `task ${n}`,
      state,
      people: [],
      conversations: [],
      runs: 1,
    };
    fs.mkdirSync(home.taskDir(id), { recursive: true });
    const file = path.join(home.taskDir(id), 'task.json');
    fs.writeFileSync(file, JSON.stringify({ ...record, createdAt: at, updatedAt: at }));
  }
  const lines = await tasks(root);
  expect(lines.slice(0, 2)).toEqual(['20260101-aaa31  failed  task 31', '20260101-aaa30  done  task 30']);
  expect([lines.length, lines.at(-1)]).toEqual([21, 'and 2 older ones']);
  expect(JSON.parse((await tasks(root, true)).join('')).tasks[0]).toMatchObject({ title: 'task 31', state: 'error' });
});

it('searches memory for words that are no verb, and asks about one that is nearly one', () => {
  const argsOf = (...words: string[]) => {
    const request = parseCommandLine(['memory', ...words]);
    return 'args' in request ? request.args : [];
  };
  expect(argsOf('green', 'tea')).toEqual(['search', 'green', 'tea']);
  expect(argsOf('search', 'tea')).toEqual(['search', 'tea']);
  expect(argsOf('index')).toEqual(['index']);
  expect(() => argsOf('serach', 'tea')).toThrow('Did you mean search?');
  expect(() => argsOf()).toThrow('viber memory');
});

it.each([
  ...[
    ['setup', 'init'],
    ['restart', 'service'],
    ['task', 'tasks'],
    ['upgrade', 'update'],
  ],
  ...[
    ['memry', 'memory'],
    ['check', 'doctor'],
  ],
])('`viber %s` asks whether viber %s is meant', (typed, meant) => {
  expect(() => parseCommandLine([typed])).toThrow(`Did you mean viber ${meant}?`);
});
