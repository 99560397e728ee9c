/** A home that several machines share: every change of a shared file is made under a lock of all of them, and locks never wait in a circle. */

import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { appendDailyLogs } from '../../src/features/memory/store/daily.ts';
import { addToMemory } from '../../src/features/memory/store/memory.ts';
import { addSuggestion, listSuggestions, takeSuggestion } from '../../src/features/memory/store/suggestions.ts';
import { exclusively, shareLocks } from '../../src/lib/locks.ts';
import { ownerOf, ownMark } from '../../src/lib/processes.ts';
import { writeJson } from '../../src/lib/write-json.ts';
import { type Home, openHome } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { openSharedEngine } from '../helpers/shared-engine.ts';
import { tempFolder } from '../helpers/temp.ts';

const fact = (text: string) => ({ text, section: 'Learned Patterns', provenance: 'test' });

/** Takes the locks of an engine; gives the names in the order in which they were taken, with what was held then. */
async function watched(home: Home): Promise<{ name: string; held: readonly string[] }[]> {
  const engine = await openSharedEngine();
  const holding = new AsyncLocalStorage<readonly string[]>();
  const taken: { name: string; held: readonly string[] }[] = [];
  const unshare = shareLocks(home.root, (name, work) => {
    const held = holding.getStore() ?? [];
    // It would wait for itself for ever.
    if (held.includes(name)) throw new Error(`${name} within itself`);
    taken.push({ name, held });
    return engine.lock(name, () => holding.run([...held, name], work));
  });
  onTestFinished(unshare);
  return taken;
}

it('takes a lock of all for memory, daily logs, plans and artifacts, never one within itself, and in one order', async () => {
  const home = await openHome(path.join(tempFolder(), 'home'));
  const taken = await watched(home);
  const task = '20260101-aaaaa';
  const work = Array.from({ length: 8 }, async (_, n) => {
    await addToMemory(home, 'default', fact(`fact ${n}`));
    const { id } = await addSuggestion(home, 'default', fact(`suggested ${n}`));
    await takeSuggestion(home, 'default', id, async () => void (await addToMemory(home, 'default', fact(`kept ${n}`))));
    await appendDailyLogs(home, 'default', '2026-01-31', [{ notes: [`note ${n}`] }]);
    await openTask(home, task).plan.write(`## Goal\ng\n\n## Plan\n- [ ] step ${n}\n`);
    await openTask(home, task).artifacts.create({
      id: `a${n}`,
      title: `a${n}.md`,
      type: 'text/markdown',
      origin: 'agent' as const,
      content: Buffer.from(`${n}`),
    });
  });
  await Promise.all(work);
  const names = [...new Set(taken.map(({ name }) => name))].join('\n');
  for (const part of ['run/memory-default.lock', 'task.md', '2026-01-31.md', 'artifacts.jsonl'])
    expect(names).toContain(part);
  const pairs = new Set(taken.flatMap(({ name, held }) => held.map((outer) => `${outer} > ${name}`)));
  for (const pair of pairs) expect(pairs.has(pair.split(' > ').reverse().join(' > '))).toBe(false);
  const memory = fs.readFileSync(path.join(home.viberDir('default'), 'MEMORY.md'), 'utf8');
  for (let n = 0; n < 8; n++) expect(memory).toContain(`kept ${n}`);
});

it('leaves files of other folders, and those of a home that is not shared, to this process', async () => {
  const home = await openHome(path.join(tempFolder(), 'home'));
  const taken = await watched(home);
  await exclusively(`${home.root}-other/x`, async () => undefined);
  await exclusively(path.join(home.root, 'x'), async () => undefined);
  expect(taken.map(({ name }) => name)).toEqual(['file x']);
});

it('leaves a suggestion that another machine has in hand alone for a minute, and one that was left on this one at once', async () => {
  const home = await openHome(path.join(tempFolder(), 'home'));
  const { id } = await addSuggestion(home, 'default', fact('it rains'));
  const folder = path.dirname(findFile(home.root, `${id}.json`));
  const claimed = path.join(folder, `${id}.1-0123abcd.taken`);
  fs.renameSync(path.join(folder, `${id}.json`), claimed);
  expect(await listSuggestions(home, 'default')).toEqual([]);
  fs.renameSync(claimed, path.join(folder, `${id}.999999999.taken`));
  expect((await listSuggestions(home, 'default')).map((one) => one.id)).toEqual([id]);
  expect([ownerOf(ownMark()), ownerOf('1-0123abcd'), ownerOf('999999999')]).toEqual(['self', 'unknown', 'gone']);
});

it('writes by names that no two processes share, and clears away what a crash has left by age', async () => {
  const folder = tempFolder();
  const left = path.join(folder, `.${'a'.repeat(16)}.tmp`);
  const fresh = path.join(folder, `.${'b'.repeat(16)}.tmp`);
  for (const file of [left, fresh]) fs.writeFileSync(file, '{');
  fs.utimesSync(left, 1, 1);
  writeJson(path.join(folder, 'x.json'), { a: 1 });
  expect(fs.readdirSync(folder).sort()).toEqual([path.basename(fresh), 'x.json']);
});

function findFile(root: string, name: string): string {
  for (const entry of fs.readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.name === name) return path.join(entry.parentPath, name);
  throw new Error(`${name} is not there`);
}
