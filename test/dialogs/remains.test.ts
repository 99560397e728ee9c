/** What is done for a person goes where they asked for it, and what cannot be done is said: threads, memories, tasks, looks. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { onEveryPlatform, onThreads, openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

const skill = '---\nname: look-out\ndescription: Looks out of the window.\n---\nLook.\n';

describe.each(onThreads)('where every task has its thread, on %s', (name) => {
  it('a skill that is called begins a task and its thread; a list of skills begins none', async () => {
    const files = { 'skills/look-out/SKILL.md': skill };
    const { world, platform } = await openChat({ channel: { live: 'off' }, files }, name);
    world.llm.script((request) => ({ text: `re ${request.lastUser.slice(-60)}` }));
    await platform.command(platform.room, 'skills');
    expect(platform.threads()).toEqual([]);
    await platform.command(platform.room, 'skills', 'use look-out at Berlin');
    await expect.poll(() => platform.threads().length).toBe(1);
    const [first = platform.room] = platform.threads();
    await waitFor(platform, first, { text: 'at Berlin' });
    // A second call is a second task.
    await platform.command(platform.room, 'skills', 'use look-out at Rome');
    await expect.poll(() => platform.threads().length).toBe(2);
    const [, second = platform.room] = platform.threads();
    await waitFor(platform, second, { text: 'at Rome' });
    await ask(platform, first, 'and now?', { text: 'and now?' });
    expect(world.tasks()).toHaveLength(2);
  });
});

describe.each(onEveryPlatform)('on %s', (name) => {
  it('an answer comes whole when one of its files was taken away meanwhile, and says so', async () => {
    const { world, platform } = await openChat({ channel: { live: 'off' } }, name);
    const make = (title: string) => ({
      name: 'create_artifact',
      arguments: { title, type: 'text/markdown', content: `# ${title}` },
    });
    world.llm.script(({ toolResults }) => {
      if (toolResults.length === 0) return { toolCalls: [make('stays.md'), make('goes.md')] };
      const [task = ''] = world.tasks();
      const lines = world.read(`artifacts/${task}/artifacts.jsonl`).trim().split('\n');
      const { ref } = lines.map((line) => JSON.parse(line)).find(({ title }) => title === 'goes.md');
      fs.rmSync(path.join(world.home, ref), { force: true });
      return { text: 'Both are made.' };
    });
    const dm = platform.dm('alex');
    const { text } = await ask(platform, dm, 'make two files', { text: 'Both are made.' });
    expect(text).toContain('goes.md is no longer in the folder of this task. Ask me to make it again.');
    const names = () => platform.answers(dm).flatMap(({ files }) => files);
    await expect.poll(() => JSON.stringify(names())).toContain('stays.md');
    expect(names()).toHaveLength(1);
  });
});

describe('what remains', () => {
  it('a button that forgets means the memory it was shown for, whoever the chat is with by then', async () => {
    const memory = '# Memory\n\n- tea is green\n- tea is black\n';
    const { world, platform, dm } = await openChat({
      files: {
        'workspace/MEMORY.md': memory,
        'vibers/dev/MEMORY.md': memory,
        'agents/dev.yaml': 'description: Mends programs\n',
      },
    });
    await ask(platform, dm, 'hello');
    const asked = await platform.command(dm, 'memory', 'forget tea');
    expect(asked.buttons).toHaveLength(2);
    const after = platform.answers(dm).length;
    await platform.command(dm, 'use', 'dev');
    await waitFor(platform, dm, { after });
    await platform.press(dm, asked.buttons[0] ?? '');
    await expect.poll(() => world.read('workspace/MEMORY.md')).not.toContain('tea is green');
    expect(world.read('vibers/dev/MEMORY.md')).toBe(memory);
    // So does what takes it back.
    await expect.poll(() => platform.answers(dm).at(-1)?.buttons).toEqual(['Undo']);
    await platform.press(dm, 'Undo');
    await expect.poll(() => world.read('workspace/MEMORY.md')).toContain('tea is green');
    expect(world.read('vibers/dev/MEMORY.md')).toBe(memory);
  });

  it('a task whose message was given up is one that failed', async () => {
    const { world, platform } = await openChat({ channel: { injection: 'followup' } });
    const sam = platform.dm('sam');
    world.llm.script((request) => ({ text: `re ${request.lastUser}` }));
    // Nothing that a run writes of itself can be written.
    const sessions = path.join(world.home, 'agents', 'default', 'sessions');
    fs.rmSync(sessions, { recursive: true, force: true });
    fs.mkdirSync(path.dirname(sessions), { recursive: true });
    fs.writeFileSync(sessions, 'no folder');
    platform.say(sam, 'first', { by: 'sam' });
    await waitFor(platform, sam, { text: /trace [0-9a-f]{12}/ });
    const [task = ''] = world.tasks();
    await eventually(() => expect(JSON.parse(world.read(`artifacts/${task}/task.json`)).state).toBe('error'));
  });
});
