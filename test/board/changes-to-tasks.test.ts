/** Tasks are named, archived, deleted and brought back, over both ways in, on disk, and in the chats they were about. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { UNDO_MS } from '../../src/runtime/commands/tasks/deletions.ts';
import { openHome } from '../../src/workspace/home.ts';
import { deletedTask, moveToDeleted, openTask, recordDeletion } from '../../src/workspace/tasks/index.ts';
import { ALEX, openWorld } from '../dialogs/harness.ts';
import { request } from './browser.ts';
import { openWire } from './wire.ts';

const TOKEN = 'the-token-of-the-owner';
const OTHER = 'the-token-of-another';

async function open() {
  const http = { port: 0, token: TOKEN, clients: { other: { token: OTHER } } };
  const world = await openWorld({ config: { http } });
  world.llm.script((asked) => ({ text: `The walrus: ${JSON.stringify(asked.messages.at(-1)).length}` }));
  await world.ask('Tell me about the walrus');
  const id = path.basename(world.task());
  const ask = async (method: string, place: string, body?: object, token = TOKEN) =>
    request(
      world.app.port ?? 0,
      method,
      place,
      { host: `127.0.0.1:${world.app.port}`, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body && JSON.stringify(body),
    );
  const list = async (query = '') =>
    ((await ask('GET', `/api/tasks${query}`)).body.tasks as { taskId: string; title: string }[]).map((task) => [
      task.taskId,
      task.title,
    ]);
  const said = (words: string) => world.telegram.chat(ALEX).messages.some(({ text }) => text.includes(words));
  return { world, id, ask, list, said };
}

const filesNamed = (root: string, id: string): string[] =>
  fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes(id) && !name.startsWith('spool/') && !name.startsWith('conversations/'));

it('a name that a person gave stays, and an archived task comes back when somebody writes to it', async () => {
  const { world, id, ask, list } = await open();
  const named = await ask('PUT', `/api/tasks/${id}`, { title: ' Walrus \n facts ' });
  expect(named.body).toMatchObject({ taskId: id, title: 'Walrus facts', archived: false, deleted: false });
  expect((await ask('PUT', `/api/tasks/${id}`, { title: ' ' })).status).toBe(400);
  expect((await ask('PUT', `/api/tasks/${id}`, { archived: true })).body).toMatchObject({ archived: true });
  expect(await list()).toEqual([]);
  expect(await list('?archived=true')).toEqual([[id, 'Walrus facts']]);
  expect((await world.ask('/tasks')).text).not.toContain('Walrus');
  await world.ask('And how much does it weigh?');
  await expect.poll(() => list()).toEqual([[id, 'Walrus facts']]);
  // A stranger to the task neither sees nor changes it.
  for (const change of [{ title: 'Mine' }, { archived: true }, { deleted: true }, { deleted: false }])
    expect((await ask('PUT', `/api/tasks/${id}`, change, OTHER)).status).toBe(404);
});

it('a deleted task is nowhere, its chat is told and begins another, and undoing brings all of it back', async () => {
  const { world, id, ask, list, said } = await open();
  const deleted = await ask('PUT', `/api/tasks/${id}`, { deleted: true });
  expect(deleted.body).toMatchObject({ taskId: id, deleted: true });
  expect(Date.parse(String(deleted.body.undoUntil))).toBeGreaterThan(Date.now());
  // Repeating it changes nothing.
  expect((await ask('PUT', `/api/tasks/${id}`, { deleted: true })).body.undoUntil).toBe(deleted.body.undoUntil);
  expect(await list()).toEqual([]);
  for (const place of [`tasks/${id}`, `tasks/${id}/messages`])
    expect((await ask('GET', `/api/${place}`)).status).toBe(404);
  expect((await ask('GET', '/api/find?q=walrus')).body.tasks).toEqual([]);
  expect((await ask('GET', '/api/find/messages?q=walrus')).body.messages).toEqual([]);
  expect(filesNamed(world.home, id)).toEqual([]);
  await expect.poll(() => said('deleted on the Board')).toBe(true);
  for (const token of [OTHER])
    expect((await ask('PUT', `/api/tasks/${id}`, { deleted: false }, token)).status).toBe(404);
  const back = await ask('PUT', `/api/tasks/${id}`, { deleted: false });
  expect(back.body).toMatchObject({ taskId: id, deleted: false });
  expect((await list()).map(([taskId]) => taskId)).toEqual([id]);
  await expect.poll(() => said('is back')).toBe(true);
  await world.ask('Where were we?');
  expect((await ask('GET', `/api/tasks/${id}/messages`)).body.messages).toHaveLength(4);
  await expect
    .poll(async () => ((await ask('GET', '/api/find/messages?q=walrus')).body.messages as []).length)
    .toBeGreaterThan(0);
});

it('what is written after a deletion begins another task, which stays when it is undone', async () => {
  const { world, id, ask, list } = await open();
  await ask('PUT', `/api/tasks/${id}`, { deleted: true });
  await world.ask('Now about seals');
  const [[other] = []] = await list();
  expect(other).not.toBe(id);
  await ask('PUT', `/api/tasks/${id}`, { deleted: false });
  expect((await list()).map(([taskId]) => taskId).sort()).toEqual([id, other].sort());
  await world.ask('More about seals');
  expect((await ask('GET', `/api/tasks/${other}/messages`)).body.messages).toHaveLength(4);
});

it('works the same over a socket, and everybody who follows hears of it', async () => {
  const { world, id } = await open();
  const client = await openWire(world.app.port, TOKEN);
  await client.command({ type: 'task:subscribe', taskIds: '*' });
  expect(await client.command({ type: 'task:change', taskId: id, title: 'Walruses' })).toMatchObject({
    ok: true,
    title: 'Walruses',
  });
  expect(await client.command({ type: 'task:change', taskId: id, deleted: true })).toMatchObject({
    ok: true,
    deleted: true,
  });
  await expect
    .poll(() => client.frames.filter(({ type }) => type === 'task:changed'))
    .toMatchObject([
      { taskId: id, title: 'Walruses' },
      { taskId: id, deleted: true },
    ]);
});

it('what was interrupted is finished at the next start, and what can no longer be undone is gone from the disk', async () => {
  const { world, id, ask } = await open();
  const home = await openHome(world.home);
  const task = openTask(home, id).record();
  // As if the process had died between the note and the last rename.
  const note = { id, title: 'x', people: task?.people ?? [], by: 'owner', way: 'out' as const, places: [] };
  const now = { ...note, at: new Date().toISOString() };
  await recordDeletion(home, now);
  await moveToDeleted(home, now);
  fs.renameSync(path.join(home.spool, 'deleted', id, 'task'), home.taskDir(id));
  await world.restart();
  expect(fs.existsSync(home.taskDir(id))).toBe(false);
  expect(deletedTask(home, id)).toMatchObject({ id });
  const late = { ...note, at: new Date(Date.now() - UNDO_MS - 1_000).toISOString() };
  fs.writeFileSync(path.join(home.spool, 'deleted', id, 'deleted.json'), JSON.stringify(late));
  expect((await ask('PUT', `/api/tasks/${id}`, { deleted: false })).status).toBe(400);
  await world.restart();
  await expect.poll(() => fs.existsSync(path.join(home.spool, 'deleted', id))).toBe(false);
});
