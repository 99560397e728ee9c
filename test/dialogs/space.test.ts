/** The disk: what people who are no owners may fill of it, and that owners hear of it in a chat. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openChat } from '../kit/kit.ts';
import { ask, type Person, waitFor } from '../platforms/platform.ts';

const SIZE = 300_000;
const bytes = (seed: number) => Buffer.alloc(SIZE, `${seed} is what stands in this file. `);

async function open(limits: Record<string, number>) {
  const { world, platform } = await openChat({
    channel: { access: { dm: 'open' } },
    config: { limits: { freeBytes: 0, messagesPerMinute: 1000, ...limits } },
  });
  await ask(platform, platform.dm('alex'), 'hello');
  const stored = () => {
    const all = fs.readdirSync(path.join(world.home, 'artifacts'), { recursive: true, encoding: 'utf8' });
    const files = all.map((file) => fs.statSync(path.join(world.home, 'artifacts', file)));
    return files.filter((stat) => stat.isFile()).reduce((sum, { size }) => sum + size, 0);
  };
  const send = (by: Person, seed: number) =>
    ask(platform, platform.dm(by), `file ${seed}`, {
      ...{ by, files: [{ name: `f${seed}.bin`, type: 'application/octet-stream', bytes: bytes(seed) }] },
    });
  return { world, platform, stored, send };
}

describe('the disk', () => {
  it('the files of a guest have a budget, over tasks and restarts, and the owner hears of it once', async () => {
    const { world, platform, stored, send } = await open({ bytesPerGuest: 1_000_000 });
    for (let seed = 0; seed < 3; seed++) await send('kim', seed);
    const before = stored();
    expect(before).toBeGreaterThan(3 * SIZE);
    await send('kim', 3);
    expect(world.llm.requests().at(-1)?.lastUser).toMatch(/f3\.bin.*room/);
    const { text } = await waitFor(platform, platform.dm('alex'), { text: /1 MB/ });
    expect(text).toMatch(/files of .* have reached 1 MB/);
    await world.restart();
    await ask(platform, platform.dm('kim'), '/new', { by: 'kim' });
    await send('kim', 4);
    expect(stored() - before).toBeLessThan(SIZE);
    // Somebody else has room, and the owner has no limit.
    await send('alex', 5);
    await send('alex', 6);
    expect(stored() - before).toBeGreaterThan(2 * SIZE);
    expect(platform.answers(platform.dm('alex')).filter((answer) => /1 MB/.test(answer.text))).toHaveLength(1);
    // What somebody removes is room again.
    for (const file of fs.globSync(path.join(world.home, 'artifacts/*/in-*'))) fs.rmSync(file);
    await world.restart();
    await send('kim', 7);
    expect(stored()).toBeGreaterThan(SIZE);
  });
});

it('what a model writes for a guest counts too', async () => {
  const { world, platform, stored } = await open({ bytesPerGuest: 200_000 });
  world.llm.script(({ toolResults: { length } }) =>
    length < 8
      ? {
          toolCalls: [
            { name: 'write_file', arguments: { path: `n${length}.txt`, content: `${length}`.repeat(60_000) } },
          ],
        }
      : { text: 'the end' },
  );
  await ask(platform, platform.dm('kim'), 'write', { by: 'kim', text: 'the end' });
  expect(stored()).toBeLessThan(260_000);
  expect(JSON.stringify(world.llm.requests().at(-1))).toMatch(/no room left/);
});

it('what a member writes into the workspace counts, over restarts, until it is removed', async () => {
  const { world, platform } = await open({ bytesPerMember: 170_000 });
  const written = () => fs.globSync(path.join(world.home, '**/workspace/w*.txt'));
  world.llm.script(({ toolResults, lastUser }) => {
    if (toolResults.length > 0)
      return { text: `end: ${toolResults.at(-1)?.includes('no room left') ? 'full' : 'written'}` };
    const given = { path: `workspace/w${/write (\d)/.exec(lastUser)?.[1]}.txt`, content: 'x'.repeat(60_000) };
    return { toolCalls: [{ name: 'write_file', arguments: given }] };
  });
  const dm = platform.dm('sam');
  const write = async (n: number) => {
    await ask(platform, dm, `write ${n}`, { by: 'sam', text: `Save w${n}` });
    return (await ask(platform, dm, 'yes', { by: 'sam', text: 'end' })).text;
  };
  for (let n = 0; n < 2; n++) expect(await write(n)).toBe('end: written');
  expect(await write(2)).toBe('end: full');
  const forget = () =>
    fs.globSync(path.join(world.home, 'agents/*/sessions/*')).forEach((file) => void fs.rmSync(file));
  forget();
  await world.restart();
  await ask(platform, dm, '/new', { by: 'sam' });
  expect(await write(3)).toBe('end: full');
  expect(written()).toHaveLength(2);
  for (const file of written()) fs.rmSync(file);
  forget();
  await world.restart();
  await ask(platform, dm, '/new', { by: 'sam' });
  expect(await write(4)).toBe('end: written');
});

it('the conversations of a guest have the budget too, and others go on', async () => {
  const { world, platform } = await open({ bytesPerGuest: 30_000 });
  const dm = platform.dm('kim');
  const words = (n: number) => `${n} ${'words '.repeat(300)}`;
  const say = (n: number, text = `${n} words`) => ask(platform, dm, words(n), { by: 'kim', text });
  for (let n = 0; n < 3; n++) await say(n);
  const asked = world.llm.requests().length;
  let refused = 0;
  for (let n = 3; n < 20 && refused < 2; n++) {
    const after = platform.answers(dm).length;
    platform.say(dm, words(n), { by: 'kim' });
    const answer = await waitFor(platform, dm, { after, text: /words|no room/ });
    if (answer.text.includes('There is no room left for our conversations')) refused++;
  }
  expect(refused).toBe(2);
  expect(world.llm.requests().length - asked).toBeLessThan(16);
  expect((await platform.command(dm, 'tasks', '', 'kim')).text).toMatch(/words/);
  await ask(platform, platform.dm('alex'), words(1));
  for (const file of fs.globSync(path.join(world.home, 'agents/*/sessions/*'))) fs.rmSync(file);
  await world.restart();
  await say(99);
});

it('an owner hears in a chat when the disk is nearly full', async () => {
  const { platform } = await open({});
  expect(platform.answers(platform.dm('alex')).filter(({ text }) => /disk/.test(text))).toEqual([]);
  const { bavail, bsize } = fs.statfsSync(path.dirname(process.execPath));
  const { platform: short } = await open({ freeBytes: Math.floor((bavail * bsize) / 5) });
  const { text } = await waitFor(short, short.dm('alex'), { text: /nearly full/ });
  expect(text).toMatch(/^My disk is nearly full: [\d.]+ [GM]B are free\. Below [\d.]+ [GM]B/);
});
