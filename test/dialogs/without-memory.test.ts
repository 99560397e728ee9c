/** The gateway without the feature that remembers: it starts, answers, keeps nothing, and cuts what is too long. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FEATURES } from '../helpers/features.ts';
import { openWorld } from './harness.ts';

const features = FEATURES.filter(({ name }) => name !== 'memory');
const BLOCK = '<memory_suggestion>Kim drinks tea</memory_suggestion>';

describe('without memory', () => {
  it('an answer is given, nothing of it is kept, and no tool or command of memory is there', async () => {
    const world = await openWorld({ features, config: { memory: { autoAccept: true } } });
    world.llm.script(() => ({ text: `Kim will come to the meeting on Friday at noon.\n\n${BLOCK}` }));
    const answer = await world.ask('Kim drinks tea. Will Kim come?');
    expect(answer.text).toBe('Kim will come to the meeting on Friday at noon.');
    expect(answer.buttons ?? []).toEqual([]);
    const tools = world.llm.requests()[0]?.tools ?? [];
    expect(tools).toContain('update_plan');
    for (const name of ['remember', 'memory_search', 'forget', 'what_was_done']) expect(tools).not.toContain(name);
    expect((await world.ask('/help all')).text).not.toMatch(/\/memory|\/compact/);
    await world.restart();
    expect((await world.ask('and then?')).text).not.toBe('');
    expect(world.read('workspace/MEMORY.md')).not.toContain('tea');
    const kept = fs.readdirSync(path.join(world.home, 'workspace/memory'), { recursive: true });
    expect(kept.filter((name) => /\.(?:md|json)$/.test(String(name)))).toEqual([]);
  });

  it('a conversation that is too long is cut, and nothing stands for what was left out', async () => {
    const world = await openWorld({ features, config: { history: { maxMessages: 4 } } });
    for (let n = 0; n < 8; n++) await world.ask(`This is number ${n} of the things that I have to say.`);
    const last = world.llm.requests().at(-1)?.body;
    const said = JSON.stringify(last);
    expect(said).toContain('number 7 of');
    expect(said).not.toContain('number 0 of');
    expect(world.llm.requests()).toHaveLength(8);
  });
});
