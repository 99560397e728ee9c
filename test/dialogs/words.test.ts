/** What people say in words instead of a command, and by whose clock: each with the rights of its command, and a question where it changes something. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { localDay } from '../../src/features/memory/store/daily.ts';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { manualClock } from '../jobs/manual-clock.ts';
import { onEveryPlatform, openChat, press } from '../kit/kit.ts';
import { ask, type Person } from '../platforms/platform.ts';
import type { ChannelName, PlatformWorld } from '../platforms/world.ts';

const calls =
  (...given: ToolCall[]) =>
  ({ toolResults, lastUser }: LlmRequest): Turn => {
    const call = given[toolResults.length];
    return call
      ? { toolCalls: [call] }
      : { text: given.length === 0 ? `re ${lastUser}` : `I was told: ${toolResults.at(-1)}` };
  };
const call = (name: string, args: object = {}): ToolCall => ({ name, arguments: args });

/** Sunday, 12:00 in Berlin. */
function open(memory = '', on?: ChannelName) {
  return openChat(
    {
      ...{ clock: manualClock('2026-01-11T11:00:00Z'), channel: { live: 'off', access: { dm: 'open' } } },
      config: { jobs: { timezone: 'Europe/Berlin' } },
      files: memory === '' ? {} : { 'workspace/MEMORY.md': memory },
    },
    on,
  );
}

/** The last words of a person as the model gets them, with what stands before them, and the instructions. */
const told = (world: PlatformWorld) => {
  const request = world.llm.requests().at(-1);
  const said = request?.messages.filter(({ role }) => role === 'user').slice(-2);
  return { said: JSON.stringify(said), system: request?.system ?? '' };
};
const toolsOf = (world: PlatformWorld) => JSON.stringify(world.llm.requests().at(-1)?.tools ?? []);
const jobFile = (world: PlatformWorld) => parse(world.read('jobs/call-mum.yaml'));
const reminding = (fields: object = {}) =>
  call('create_scheduled_job', {
    name: 'Call mum',
    schedule: 'every day at 9',
    prompt: 'Remind Alex to call mum',
    ...fields,
  });

describe.each(onEveryPlatform)('the clock on %s', (name) => {
  it('is asked for in one turn at most, where a time matters, and never again after a restart', async () => {
    const { world, platform, dm } = await open('', name);
    world.llm.script(calls());
    const asks = async (text: string) => {
      await ask(platform, dm, text, { text: `re ${text}` });
      return told(world).said.includes('ask them now where they are');
    };
    const first = [await asks('hello'), await asks('remind me of mum at 9'), await asks('and at 10:00 of dad')];
    await world.restart();
    const later = [await asks('morgen um 9 Uhr auch'), await asks('tomorrow at 11')];
    // Slack has told it by itself, soon.
    if (name === 'slack') expect([...first, ...later].filter(Boolean).length).toBeLessThan(2);
    else expect([...first, ...later]).toEqual([false, true, false, false, false]);
    await platform.command(dm, 'timezone', 'Berlin');
    await asks('tomorrow at 9 too');
    expect(told(world).said).not.toContain('a guess');
  });
});

describe('the clock', () => {
  it('is told in every turn behind the prefix, said once, and holds for reminders; those who travel take jobs along', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(calls());
    await ask(platform, dm, 'hello', { text: 're hello' });
    expect(told(world).said).toContain('Now: Sunday, 2026-01-11 12:00');
    expect(told(world).system).not.toMatch(/2026-01-11|12:00/);
    const system = told(world).system;
    expect((await platform.command(dm, 'timezone', 'Berlin')).text).toContain('Europe/Berlin');
    world.llm.script(calls(reminding()));
    await ask(platform, dm, 'remind me every day at 9', {
      text: 'Remind you every day at 09:00 (Berlin time), until you stop it: call mum?',
    });
    await press(platform, dm, 'Yes', 'I was told');
    expect(jobFile(world).timezone).toBe('Europe/Berlin');
    const moved = await platform.command(dm, 'timezone', 'New York');
    expect(moved.text).toMatch(/America\/New\\?_York.*One job of yours uses Berlin time/s);
    await press(platform, dm, 'Move them', 'One job uses New York time now.');
    expect(jobFile(world)).toMatchObject({
      timezone: 'America/New_York',
      schedule: 'every day at 9',
      name: 'Call mum',
    });
    world.llm.script(calls());
    await ask(platform, dm, 'what time is it?', { text: 're what' });
    expect(told(world).said).toContain('Now: Sunday, 2026-01-11 06:00, America/New_York]');
    expect(told(world).system).toBe(system);
    await world.restart();
    await ask(platform, dm, 'and now?', { text: 're and now' });
    expect(told(world).said).toContain('America/New_York');
    expect((await platform.command(dm, 'timezone', 'Atlantis')).text).toContain("I can't find a time zone");
  });

  it('is set in words, after a question', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(calls(call('set_timezone', { timezone: 'Tokyo' })));
    const asked = await ask(platform, dm, 'I moved to Tokyo', {
      text: 'Use Tokyo time as your time zone from now on?',
    });
    expect(asked.buttons.slice(0, 2)).toEqual(['Yes', 'No']);
    await press(platform, dm, 'Yes', 'I was told');
    expect((await platform.command(dm, 'timezone')).text).toContain('Asia/Tokyo');
  });
});

describe('in words', () => {
  it('a line of the memory is forgotten after a look at it, by an owner alone', async () => {
    const { world, platform, dm } = await open('# Memory\n\n## People\n- Kim drinks tea\n- Sam drinks tea and milk\n');
    const memory = () => world.read('workspace/MEMORY.md');
    world.llm.script(calls(call('forget', { words: 'tea' })));
    expect((await ask(platform, dm, 'forget the tea', { text: 'I was told' })).text).toContain('Several lines');
    world.llm.script(calls(call('forget', { words: 'Kim tea' })));
    await ask(platform, dm, "don't keep that Kim drinks tea", { text: 'Forget this: Kim drinks tea?' });
    expect(memory()).toContain('Kim');
    await press(platform, dm, 'Forget it', 'I was told');
    expect(memory()).not.toContain('Kim');
    expect(memory()).toContain('Sam drinks');
    const sam = platform.dm('sam');
    world.llm.script(calls(call('forget', { words: 'Sam milk' })));
    const refused = await ask(platform, sam, 'forget me', { by: 'sam' as Person, text: 'I was told' });
    expect(refused.text).toContain('Only an owner');
    expect(memory()).toContain('Sam drinks');
  });

  it('tasks are listed, another is begun, and an old one is gone on with', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(calls());
    await ask(platform, dm, 'paint the kitchen', { text: 're paint' });
    world.llm.script(calls(call('new_task')));
    await ask(platform, dm, "let's start something else", { text: 'I was told' });
    world.llm.script(calls());
    await ask(platform, dm, 'book the train', { text: 're book' });
    expect(world.tasks()).toHaveLength(2);
    world.llm.script(calls(call('list_tasks')));
    const listed = await ask(platform, dm, 'what am I working on?', { text: 'I was told' });
    expect(listed.text).toMatch(/book the train[\s\S]*paint the kitchen/);
    world.llm.script(calls(call('open_task', { task: 'kitchen' })));
    await ask(platform, dm, 'back to the kitchen', { text: 'I was told' });
    world.llm.script(calls());
    await ask(platform, dm, 'which colour?', { text: 're which' });
    expect(world.tasks()).toHaveLength(2);
    expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).toContain('paint the kitchen');
  });

  it('a job is moved after a question, and what was done yesterday is told', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(calls(reminding()));
    await ask(platform, dm, 'remind me every day at 9', { text: 'call mum?' });
    await press(platform, dm, 'Yes', 'I was told');
    world.llm.script(calls(call('change_scheduled_job', { name: 'call mum', schedule: 'every weekday at 18:30' })));
    await ask(platform, dm, 'make that half past six, on weekdays', {
      text: 'Move Call mum to every weekday at 18:30 Berlin time?',
    });
    expect(jobFile(world).schedule).toBe('every day at 9');
    await press(platform, dm, 'Yes', 'I was told');
    expect(jobFile(world)).toMatchObject({ schedule: 'every weekday at 18:30', prompt: 'Remind Alex to call mum' });
    const yesterday = localDay(new Date(Date.now() - 86_400_000));
    const folder = path.join(world.home, 'workspace', 'memory');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, `${yesterday}.md`), `# ${yesterday}\n\n- 10:00 Painted the kitchen\n`);
    world.llm.script(calls(call('what_was_done')));
    expect((await ask(platform, dm, 'what did we do yesterday?', { text: 'I was told' })).text).toContain(
      'Painted the kitchen',
    );
  });

  it('guests are offered none of it', async () => {
    const { world, platform } = await open();
    world.llm.script(calls());
    const kim = platform.dm('kim');
    await ask(platform, kim, 'hello', { by: 'kim' as Person, text: 're hello' });
    for (const tool of ['forget', 'list_tasks', 'open_task', 'what_was_done', 'set_timezone', 'change_scheduled_job'])
      expect(toolsOf(world)).not.toContain(`"${tool}"`);
  });
});
