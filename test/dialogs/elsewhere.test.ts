/** Commands given where the bot is not: whoever gave one is told what to do, and nothing is begun. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { quiet } from '../kit/quiet.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { openThree } from './three.ts';

it('a goal by slash command in a Slack channel without the app is answered with an invitation, before any model call', async () => {
  const { world, slack } = await openThree({ on: ['slack'] });
  const { emulator } = slack;
  emulator.leave(slack.room.chat, emulator.bot.userId);
  const asked = await emulator.slash({ channel: slack.room.chat, text: 'summarise the week' });
  const [post] = await emulator.responses(asked.id, 1);
  expect(post).toMatchObject({ result: 'ok', body: { response_type: 'ephemeral' } });
  expect(String(post?.body.text)).toMatch(/not in this channel[\s\S]*\/invite @viber/);
  const status = await emulator.slash({ channel: slack.room.chat, text: 'status' });
  expect(await emulator.responses(status.id, 1)).toMatchObject([{ result: 'ok' }]);
  await world.restart();
  await quiet();
  expect(world.llm.requests()).toEqual([]);
  expect(await emulator.responses(asked.id, 0)).toHaveLength(1);
  expect(fs.readdirSync(path.join(world.home, 'spool/dead'))).toEqual([]);
  // Invited, it works there.
  emulator.join(slack.room.chat, emulator.bot.userId);
  await emulator.slash({ channel: slack.room.chat, text: 'summarise the week' });
  await expect.poll(() => world.llm.requests().length).toBe(1);
});

it('a command in a direct message of two others on Slack is answered there to its person alone, and leads nothing astray', async () => {
  const { world, slack } = await openThree({ on: ['slack'] });
  const { emulator } = slack;
  const { alex, sam } = emulator.users;
  const others = emulator.addForeignDm([alex.id, sam.id]);
  const owners = () => world.read('access/owners.json');
  await ask(slack, slack.dm('alex'), 'hello', { text: 're hello' });
  const before = owners();
  expect(before).toContain(slack.dm('alex').chat);
  const status = await emulator.slash({ channel: others, text: 'status' });
  expect(await emulator.responses(status.id, 1)).toMatchObject([
    { result: 'ok', body: { response_type: 'ephemeral' } },
  ]);
  const goal = await emulator.slash({ channel: others, text: 'write a plan for the launch' });
  expect(goal.ack.body).toMatchObject({
    response_type: 'ephemeral',
    text: expect.stringContaining('not part of this conversation'),
  });
  await quiet();
  expect(owners()).toBe(before);
  expect(world.llm.requests()).toHaveLength(1);
  expect(fs.readdirSync(path.join(world.home, 'spool/dead'))).toEqual([]);
  // What moves the conversation moves the one that they have with us.
  const [first] = world.tasks();
  await emulator.responses((await emulator.slash({ channel: others, text: 'new' })).id, 1);
  await ask(slack, slack.dm('alex'), 'something else', { text: 're something else' });
  expect(world.tasks()).toHaveLength(2);
  const opened = await emulator.slash({ channel: others, text: `open ${first}` });
  expect(await emulator.responses(opened.id, 1)).toMatchObject([{ result: 'ok' }]);
  await ask(slack, slack.dm('alex'), 'the first again', { text: 're the first again' });
  expect(world.tasks()).toHaveLength(2);
  expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).toContain('re hello');
});

it('a stranger who comes in by a command in a direct message of others is greeted in private', async () => {
  const { world, slack } = await openThree({ on: ['slack'] });
  const { emulator } = slack;
  await ask(slack, slack.dm('alex'), 'hello', { text: 're hello' });
  const kim = slack.identity('kim').split(':').at(-1) ?? '';
  const others = emulator.addForeignDm([kim, emulator.users.sam.id]);
  const asked = await emulator.slash({ channel: others, user: kim, text: 'status' });
  expect(await emulator.responses(asked.id, 1)).toMatchObject([{ result: 'ok' }]);
  await waitFor(slack, slack.dm('alex'), { after: 1, text: 'kim' });
  await slack.press(slack.dm('alex'), 'Approve');
  await waitFor(slack, slack.dm('kim'), { text: "You're in" });
  expect(world.read('access/pending.json')).not.toContain(others);
});

it('a goal by slash command in a Discord channel where the bot may not write is answered to its person alone', async () => {
  const { world, discord } = await openThree({ on: ['discord'] });
  const { emulator } = discord;
  await expect.poll(() => emulator.commands().length).toBe(1);
  emulator.deny(discord.room.chat, ['SendMessages']);
  const { id } = await emulator.slash({
    channel: discord.room.chat,
    subcommandGroup: 'task',
    subcommand: 'new',
    options: { goal: 'a plan' },
  });
  await expect
    .poll(() => emulator.interaction(id).response?.text)
    .toMatch(/not allowed to write in this channel.*"Send Messages"/);
  await quiet();
  expect(world.llm.requests()).toEqual([]);
  expect(fs.readdirSync(path.join(world.home, 'spool/dead'))).toEqual([]);
});
