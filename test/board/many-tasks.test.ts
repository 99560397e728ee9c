/** Ten thousand tasks: every page of the list costs the same, all are in it once, and they stand in one order. */

import { expect, test } from 'vitest';
import { openHome } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { openWorld } from '../dialogs/harness.ts';
import { fillTasks } from '../helpers/many-tasks.ts';

const TOKEN = 'the-token-of-the-owner';
const COUNT = 10_000;

interface Row {
  taskId: string;
  updatedAt: string;
  state: string;
}
interface Page {
  tasks: Row[];
  next?: string;
}

const inOrder = (one: Row, other: Row) =>
  one.updatedAt > other.updatedAt || (one.updatedAt === other.updatedAt && one.taskId > other.taskId);

/** Milliseconds of this process's processors, as the best of some tries: others have the machine as well. */
async function cost(work: () => Promise<unknown>, tries = 5): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < tries; n += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

test('the list of 10,000 tasks', async () => {
  const clients = { other: { token: 'token-of-other' } };
  const world = await openWorld({
    prepare: (home) => fillTasks(home, COUNT),
    config: { http: { port: 0, token: TOKEN, clients } },
  });
  const get = async (query: string, token = TOKEN): Promise<Page> => {
    const url = `http://127.0.0.1:${world.app.port}/api/tasks${query}`;
    return JSON.parse(await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text());
  };
  const find = async (words: string): Promise<Page> => {
    const url = `http://127.0.0.1:${world.app.port}/api/find?q=${encodeURIComponent(words)}`;
    return JSON.parse(await (await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })).text());
  };
  const first = await cost(() => get(''), 1);
  const pages: Page[] = [];
  let after = '';
  do {
    const page = await get(after === '' ? '' : `?after=${encodeURIComponent(after)}`);
    pages.push(page);
    after = page.next ?? '';
  } while (after !== '');
  const all = pages.flatMap(({ tasks }) => tasks);
  expect([pages.length, all.length, new Set(all.map(({ taskId }) => taskId)).size]).toEqual([100, COUNT, COUNT]);
  expect(all.every((row, at) => at === 0 || inOrder(all[at - 1] ?? row, row))).toBe(true);

  const lastAfter = encodeURIComponent(pages.at(-2)?.next ?? '');
  const costs = {
    'the first look': first,
    'the first page': await cost(() => get('')),
    'the last page': await cost(() => get(`?after=${lastAfter}`)),
    'of one state': await cost(() => get('?state=error')),
    'of somebody with few': await cost(() => get('', 'token-of-other')),
    'a search': await cost(() => find('task 99')),
  };
  process.stdout.write(`own ms of 10,000 tasks: ${JSON.stringify(costs)}\n`);
  expect((await get('?state=error')).tasks).toHaveLength(10);
  expect((await get('', 'token-of-other')).tasks).toHaveLength(100);
  expect(costs['the first look']).toBeLessThan(6_000);
  for (const name of ['the first page', 'the last page', 'of one state', 'of somebody with few', 'a search'] as const)
    expect(costs[name], name).toBeLessThan(300);

  // What changes moves to the top; those that a reader has still to see stay where they are.
  const [oldest] = pages.at(-1)?.tasks.slice(-1) ?? [];
  const home = await openHome(world.home);
  await openTask(home, oldest?.taskId ?? '').update((task) => ({ ...task, state: 'running' }));
  expect((await get('')).tasks[0]).toMatchObject({ taskId: oldest?.taskId, state: 'running' });
  const again = await get(`?after=${encodeURIComponent(pages[49]?.next ?? '')}`);
  expect(again.tasks).toEqual(pages[50]?.tasks);
  expect(
    (
      await fetch(`http://127.0.0.1:${world.app.port}/api/tasks?after=nonsense`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      })
    ).status,
  ).toBe(400);
});
