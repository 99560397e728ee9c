/** An old button of a step of a plan: it acts on that step wherever it has gone, or says that it is gone, and never on another one. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Chat as OpenChat, openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

interface Chat extends OpenChat {
  /** Plans of several tasks are told apart by their words. */
  round: number;
}

const doneIn = ({ round }: Chat) => ['A', 'B', 'C', 'D'].map((title) => `- [x] ${title}${round}`);
const planOf = (chat: Chat) =>
  ['## Goal', `Ship ${chat.round}`, '', '## Plan', ...doneIn(chat), '- [ ] Test', '- [ ] Deploy', '- [ ] Test'].join(
    '\n',
  );

/** Gives the model one answer, and asks for it. */
async function model({ world, platform, dm }: Chat, plan: unknown, isBlock = false): Promise<void> {
  const text = `\`\`\`plan\n${String(plan)}\n\`\`\`\nDone so.`;
  const call = { toolCalls: [{ name: 'update_plan', arguments: { plan } }] };
  world.llm.script((request) => (isBlock ? { text } : request.toolResults.length === 0 ? call : { text: 'Done so.' }));
  await ask(platform, dm, 'plan it', { text: 'Done so.' });
}

/** A new task with that plan, whose button for step 5, the first Test, has been seen. Gives the plan's file. */
async function begin(chat: Chat): Promise<string> {
  const { world, platform, dm } = chat;
  const before = world.tasks();
  if (before.length > 0) await platform.command(dm, 'new');
  chat.round += 1;
  await model(chat, planOf(chat));
  expect((await platform.command(dm, 'plan')).buttons).toContain('5 is done');
  const task = world.tasks().find((id) => !before.includes(id)) ?? '';
  return path.join(world.home, 'artifacts', task, 'task.md');
}

const stepsOf = (file: string): string[] =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => /^- (\[.\] .*)$/.exec(line)?.[1] ?? []);

const edit = (file: string, change: (text: string) => string) =>
  fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')));

const gone = /no longer in the plan/;

/** What happens meanwhile, and the open steps and the steps done since once the old button has been pressed. */
const TABLE: [what: string, change: (chat: Chat, file: string) => Promise<unknown>, answer: RegExp, after: string[]][] =
  [
    [
      'it was dropped',
      async ({ platform, dm }) => {
        await platform.command(dm, 'plan', 'drop 1');
        await platform.command(dm, 'plan', 'drop 4');
      },
      gone,
      ['[ ] Deploy', '[ ] Test'],
    ],
    [
      'it was dropped, and one with the same words added',
      async ({ platform, dm }) => {
        await platform.command(dm, 'plan', 'drop 1');
        await platform.command(dm, 'plan', 'drop 4');
        await platform.command(dm, 'plan', 'drop 5');
        await platform.command(dm, 'plan', 'add Test');
      },
      gone,
      ['[ ] Deploy', '[ ] Test'],
    ],
    [
      'the other Test was moved before it',
      ({ platform, dm }) => platform.command(dm, 'plan', 'move 7 1'),
      /done/,
      ['[ ] Test', '[x] Test', '[ ] Deploy'],
    ],
    [
      'one more Test was added and moved to the top, after a restart',
      async ({ world, platform, dm }) => {
        await platform.command(dm, 'plan', 'add Test');
        await world.restart();
        await platform.command(dm, 'plan', 'move 8 1');
      },
      /done/,
      ['[ ] Test', '[x] Test', '[ ] Deploy', '[ ] Test'],
    ],
    [
      'an editor put a Test above',
      async (_chat, file) => edit(file, (text) => text.replace('- [x] A', '- [ ] Test\n- [x] A')),
      /done/,
      ['[ ] Test', '[x] Test', '[ ] Deploy', '[ ] Test'],
    ],
    [
      'an editor took it out and ticked nothing',
      async (_chat, file) =>
        edit(file, (text) => text.replace('- [ ] Test\n', '').replace('- [x] B', '- [x] A22\n- [x] B')),
      gone,
      ['[ ] Deploy', '[ ] Test'],
    ],
    [
      'an editor said more about it',
      async (_chat, file) =>
        edit(file, (text) => text.replace('- [ ] Test\n', '- [ ] Test the *pump*\n').replace(/- \[x\] A\d\n/, '')),
      /done/,
      ['[x] Test the *pump*', '[ ] Deploy', '[ ] Test'],
    ],
    [
      'an editor put other words in its place',
      async (_chat, file) => edit(file, (text) => text.replace('- [ ] Test\n', '- [ ] Call Ana\n')),
      gone,
      ['[ ] Call Ana', '[ ] Deploy', '[ ] Test'],
    ],
    [
      'the model took it out and numbered the rest anew',
      (chat) => {
        const titles = [...['B', 'C', 'D'].map((title) => `${title}${chat.round}`), 'Deploy', 'Test'];
        const steps = titles.map((title, index) => ({
          ...{ id: String(index + 1), title, status: index < 3 ? 'done' : 'pending' },
        }));
        return model(chat, { goal: 'Ship it', steps });
      },
      gone,
      ['[ ] Deploy', '[ ] Test'],
    ],
    [
      'a plan in a reply moved it and added one',
      (chat) =>
        model(
          chat,
          ['- [ ] Write', '- [ ] Test', ...doneIn(chat).slice(1), '- [ ] Deploy', '- [ ] Test'].join('\n'),
          true,
        ),
      gone,
      ['[ ] Write', '[ ] Test', '[ ] Deploy', '[ ] Test'],
    ],
  ];

describe('an old button', () => {
  it('acts on its own step or says that it is gone', async () => {
    const chat: Chat = { ...(await openChat({ channel: { live: 'off' } }, 'telegram')), round: 0 };
    const { platform, dm } = chat;
    for (const [what, change, answer, after] of TABLE) {
      const file = await begin(chat);
      await change(chat, file);
      const count = platform.answers(dm).length;
      // Where the plan's message is edited meanwhile, on a client that hasn't seen it yet.
      await platform.press(dm, '5 is done', 'alex', true);
      const { text } = await waitFor(platform, dm, { after: count });
      expect(text, what).toMatch(answer);
      const open = stepsOf(file).filter((step) => !/\] [A-D]\d+$/.test(step));
      expect(open, what).toEqual(after);
      expect(fs.readFileSync(file, 'utf8'), 'a plain list').not.toMatch(/<!--|\{#|\^[0-9a-f]/);
    }
  });
});
