/** Published bundles in the chats: what their text is to the model, who may call them, and which tools they want used. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { tempFolder } from '../helpers/temp.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { NAMES, openPlatforms, type PlatformName } from '../platforms/world.ts';

const file = (name: string, front: string, body: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${front}${front === '' ? '' : '\n'}---\n${body}\n`;

const DEPLOY = file(
  'deploy-app',
  'metadata:\n  author: somebody',
  'Always as a preview.\n\n```bash\nship deploy --prod -y > shipped\n```',
);
const MARK = file('mark', 'parameters: {}', 'echo marked > marks.txt');

/** Calls these tools one after the other, one a step, and says what came of the last one. */
const calls =
  (...given: ToolCall[]) =>
  ({ toolResults }: LlmRequest): Turn => {
    const call = given[toolResults.length];
    return call ? { toolCalls: [call] } : { text: `I was told: ${toolResults.at(-1)}` };
  };
const read = (name: string): ToolCall => ({ name: 'read_skill', arguments: { name } });

async function open(name: PlatformName, files: Record<string, string>, agent = '') {
  const prepare = (home: string) => {
    const all = { ...files, ...(agent === '' ? {} : { 'agents/default.yaml': agent }) };
    for (const [at, text] of Object.entries(all)) {
      fs.mkdirSync(path.dirname(path.join(home, at)), { recursive: true });
      fs.writeFileSync(path.join(home, at), text);
    }
  };
  const world = await openPlatforms({ on: [name], prepare });
  const platform = world.platforms[name];
  return { world, platform, dm: platform.dm('alex'), asked: () => world.llm.requests().at(-1) };
}

describe.each(NAMES)('a bundle on %s', (name) => {
  it('whose text holds commands is read and not called; the text of a tool is read as well', async () => {
    const folder = tempFolder();
    const files = { 'skills/deploy-app/SKILL.md': DEPLOY, 'skills/mark/SKILL.md': MARK };
    const { world, platform, dm, asked } = await open(name, files, `folder: ${folder}\nmode: execute\n`);
    world.llm.script(calls(read('deploy-app'), read('mark')));
    const done = await ask(platform, dm, 'deploy it', { text: 'I was told' });
    expect(asked()?.tools).not.toContain('deploy-app');
    expect(asked()?.tools).toContain('mark');
    expect(asked()?.system).toContain('- deploy-app: Does deploy-app.');
    expect(asked()?.toolResults[0]).toContain('Always as a preview.');
    expect(done.text).toContain('echo marked');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('that is not for the model begins when a person calls it, and stays at hand in that task', async () => {
    const files = { 'skills/ship/SKILL.md': file('ship', 'disable-model-invocation: true', 'Ship on Fridays only.') };
    const { world, platform, dm, asked } = await open(name, files);
    world.llm.script(calls(read('ship')));
    expect((await ask(platform, dm, 'ship it', { text: 'I was told' })).text).toContain('no skill');
    expect(asked()?.system).not.toContain('ship: Does');
    expect((await platform.command(dm, 'skills')).text).toMatch(/ship.*only when you call it/);
    const after = platform.answers(dm).length;
    await platform.command(dm, 'skills', 'use ship the new version');
    const done = await waitFor(platform, dm, { after, text: 'I was told' });
    expect(done.text).toContain('Fridays only');
    expect(JSON.stringify(asked()?.messages)).toContain('Use the skill ship: the new version');
    expect((await ask(platform, dm, 'and the next one', { text: 'I was told' })).text).toContain('Fridays only');
  });

  it('that is not for people is not called by its name; nor is one by a guest, nor one that is not there', async () => {
    const files = { 'skills/inner/SKILL.md': file('inner', 'user-invocable: false', 'For the model.') };
    const { world, platform, dm } = await open(name, files);
    expect((await platform.command(dm, 'skills', 'use inner now')).text).toContain('not one to be called by its name');
    expect((await platform.command(dm, 'skills', 'use no-such now')).text).toContain('There is no skill');
    expect((await platform.command(platform.room, 'skills', 'use inner now', 'kim')).text).toContain(
      'people of this bot',
    );
    expect(world.llm.requests()).toEqual([]);
  });

  it('with a list of tools has people asked before others, in every mode', async () => {
    const folder = tempFolder();
    const files = {
      'skills/mark/SKILL.md': MARK,
      'skills/careful/SKILL.md': file('careful', 'allowed-tools: Read, Grep', 'Look and touch nothing.'),
    };
    const { world, platform, dm } = await open(name, files, `folder: ${folder}\nmode: execute\n`);
    world.llm.script(calls(read('careful'), { name: 'mark', arguments: {} }));
    await ask(platform, dm, 'be careful', { text: 'May I run' });
    expect(fs.readdirSync(folder)).toEqual([]);
    await platform.press(dm, 'No');
    await waitFor(platform, dm, { text: 'execution denied' });
  });
});

it('is called by its name alone as well, where that is no command', async () => {
  const files = { 'skills/fast-ship/SKILL.md': file('fast-ship', '', 'Ship on Fridays only.') };
  const { world, platform, dm } = await open('telegram', files);
  world.llm.script(calls(read('fast-ship')));
  await platform.command(dm, 'fast_ship', 'the new version');
  const done = await waitFor(platform, dm, { text: 'I was told' });
  expect(done.text).toContain('Fridays only');
});

it('named in words, with a long description, or beside another of its name: told to owners', async () => {
  const files = {
    'skills/vibe/SKILL.md': file('Vibe Coding', '', 'Code.'),
    'skills/tea/SKILL.md': `---\nname: tea\ndescription: ${'Tea. '.repeat(300)}\n---\nBoil.\n`,
    'skills/a-tea/SKILL.md': file('tea', '', 'Another.'),
    'skills/gh/SKILL.md': file(
      'gh',
      'metadata: {"openclaw":{"requires":{"bins":["no-such-gh"]},"install":[{"kind":"brew","formula":"gh","bins":["no-such-gh"]}]}}',
      'Use gh.',
    ),
  };
  const { platform, dm } = await open('telegram', files);
  const said = (await platform.command(dm, 'skills')).text;
  expect(said).toMatch(/vibe-coding: .*can be read/);
  expect(said).toMatch(/tea: Tea \(can be read\)/);
  expect(said).toMatch(/git-commit: .*can run/);
  expect(said).toMatch(/gh: .*lacks no-such-gh: install no-such-gh.*brew install gh/);
  expect(said).toMatch(/Not loaded:[\s\S]*skills\/a-tea\/SKILL\.md: name: "tea" is taken/);
  expect(said).toMatch(/not quite[\s\S]*skills\/tea\/SKILL\.md: .*1,024[\s\S]*skills\/vibe\/SKILL\.md: .*kebab-case/);
});
