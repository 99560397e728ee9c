/** Commands given where the bot is not: whoever gave one is told what to do, and nothing is begun. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openThree } from './three.ts';

it('a goal by slash command in a Slack channel without the app is answered with an invitation, before any model call', async () => {
  const { world, slack } = await openThree();
  const { emulator } = slack;
  emulator.leave(slack.room.chat, emulator.bot.userId);
  const asked = await emulator.slash({ channel: slack.room.chat, text: 'summarise the week' });
  const [post] = await emulator.responses(asked.id, 1);
  expect(post).toMatchObject({ result: 'ok', body: { response_type: 'ephemeral' } });
  expect(String(post?.body.text)).toMatch(/not in this channel[\s\S]*\/invite @viber/);
  const status = await emulator.slash({ channel: slack.room.chat, text: 'status' });
  expect(await emulator.responses(status.id, 1)).toMatchObject([{ result: 'ok' }]);
  await world.restart();
  await sleep(300);
  expect(world.llm.requests()).toEqual([]);
  expect(await emulator.responses(asked.id, 0)).toHaveLength(1);
  expect(fs.readdirSync(path.join(world.home, 'spool/dead'))).toEqual([]);
  // Invited, it works there.
  emulator.join(slack.room.chat, emulator.bot.userId);
  await emulator.slash({ channel: slack.room.chat, text: 'summarise the week' });
  await expect.poll(() => world.llm.requests().length, { timeout: 20_000 }).toBe(1);
});

it('a goal by slash command in a Discord channel where the bot may not write is answered to its person alone', async () => {
  const { world, discord } = await openThree();
  const { emulator } = discord;
  await expect.poll(() => emulator.commands().length, { timeout: 20_000 }).toBe(1);
  emulator.deny(discord.room.chat, ['SendMessages']);
  const { id } = await emulator.slash({ channel: discord.room.chat, subcommand: 'task', options: { goal: 'a plan' } });
  await expect
    .poll(() => emulator.interaction(id).response?.text, { timeout: 20_000 })
    .toMatch(/may not write in this channel.*"Send Messages"/);
  await sleep(200);
  expect(world.llm.requests()).toEqual([]);
  expect(fs.readdirSync(path.join(world.home, 'spool/dead'))).toEqual([]);
});
