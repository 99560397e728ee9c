/** Published bundles in the chats: what their text is to the model, who may call them, and which tools they want used. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../emulators/llm.ts';
import { tempFolder } from '../helpers/temp.ts';
import { calls, openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

const file = (name: string, front: string, body: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${front}${front === '' ? '' : '\n'}---\n${body}\n`;

const DEPLOY = file(
  'deploy-app',
  'metadata:\n  author: somebody',
  'Always as a preview.\n\n```bash\nship deploy --prod -y > shipped\n```',
);
const MARK = file('mark', 'parameters: {}', 'echo marked > marks.txt');

const read = (name: string): ToolCall => ({ name: 'read_skill', arguments: { name } });

async function open(files: Record<string, string>, agent = '') {
  const chat = await openChat({ files: { ...files, ...(agent !== '' && { 'agents/default.yaml': agent }) } });
  return { ...chat, asked: () => chat.world.llm.requests().at(-1) };
}

describe('a bundle', () => {
  it('whose text holds commands is read and not called; the text of a tool is read as well', async () => {
    const folder = tempFolder();
    const files = { 'skills/deploy-app/SKILL.md': DEPLOY, 'skills/mark/SKILL.md': MARK };
    const { world, platform, dm, asked } = await open(files, `folder: ${folder}\nmode: execute\n`);
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
    const { world, platform, dm, asked } = await open(files);
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
    const { world, platform, dm } = await open(files);
    expect((await platform.command(dm, 'skills', 'use inner now')).text).toContain(
      'by name. Tell me what you want done',
    );
    expect((await platform.command(dm, 'skills', 'use no-such now')).text).toContain('There is no skill');
    expect((await platform.command(platform.room, 'skills', 'use inner now', 'kim')).text).toContain(
      "this bot's members",
    );
    expect(world.llm.requests()).toEqual([]);
  });

  it('with a list of tools has people asked before others, in every mode', async () => {
    const folder = tempFolder();
    const files = {
      'skills/mark/SKILL.md': MARK,
      'skills/careful/SKILL.md': file('careful', 'allowed-tools: Read, Grep', 'Look and touch nothing.'),
    };
    const { world, platform, dm } = await open(files, `folder: ${folder}\nmode: execute\n`);
    world.llm.script(calls(read('careful'), { name: 'mark', arguments: {} }));
    await ask(platform, dm, 'be careful', { text: 'May I run' });
    expect(fs.readdirSync(folder)).toEqual([]);
    await platform.press(dm, 'No');
    await waitFor(platform, dm, { text: 'execution denied' });
  });
});

it('is called by its name alone as well, where that is no command', async () => {
  const files = { 'skills/fast-ship/SKILL.md': file('fast-ship', '', 'Ship on Fridays only.') };
  const { world, platform, dm } = await open(files);
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
  const { platform, dm } = await open(files);
  const said = (await platform.command(dm, 'skills')).text;
  expect(said).toMatch(/vibe-coding: .*can be read/);
  expect(said).toMatch(/tea: Tea \(can be read\)/);
  expect(said).toMatch(/git-commit: .*can run/);
  expect(said).toMatch(/gh: .*lacks no-such-gh: install no-such-gh.*brew install gh/);
  expect(said).toMatch(/Not loaded:[\s\S]*skills\/a-tea\/SKILL\.md: name: "tea" is already used by/);
  expect(said).toMatch(
    /with warnings[\s\S]*skills\/tea\/SKILL\.md: .*1,024[\s\S]*skills\/vibe\/SKILL\.md: .*kebab-case/,
  );
});
