/** Where nothing of ours may be said: known before a model is paid, and told once to whoever asked, where they can read it. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { onEveryPlatform, onThreads } from '../kit/kit.ts';
import { ask, type Platform, waitFor } from '../platforms/platform.ts';
import type { PlatformWorld } from '../platforms/world.ts';
import { openThree } from './three.ts';

type Three = Awaited<ReturnType<typeof openThree>>;
type Name = 'telegram' | 'discord' | 'slack';

/** The platform takes the right to write in the room away, and tells so whoever asks. */
const CLOSE: Record<Name, (three: Three, isClosed: boolean) => void> = {
  telegram: ({ telegram }, isClosed) => telegram.emulator.mute(Number(telegram.room.chat), isClosed),
  discord: ({ discord }, isClosed) =>
    discord.emulator.deny(discord.room.chat, isClosed ? ['SendMessages', 'SendMessagesInThreads'] : []),
  slack: ({ slack }, isClosed) => slack.emulator.restrict(slack.room.chat, isClosed),
};

/** Nothing was seen of it before the answer is sent. */
const REFUSE: Record<Name, (three: Three) => void> = {
  telegram: ({ telegram }) =>
    telegram.emulator.fault({
      method: 'sendMessage',
      chat: Number(telegram.room.chat),
      kind: 'status',
      status: 403,
      description: 'Forbidden: CHAT_WRITE_FORBIDDEN',
      times: 9,
    }),
  discord: ({ discord }) =>
    discord.emulator.fault({
      method: 'POST',
      path: `/channels/${discord.room.chat}/messages`,
      kind: 'status',
      status: 403,
      body: { message: 'Missing Permissions', code: 50013 },
      times: 9,
    }),
  slack: ({ slack }) =>
    slack.emulator.fault({
      method: 'chat.postMessage',
      channel: slack.room.chat,
      kind: 'error',
      error: 'restricted_action',
      times: 9,
    }),
};

/** What alex was told directly. */
const told = (platform: Platform) =>
  platform.answers(platform.dm('alex')).filter(({ text }) => text.includes('where you wrote it'));

async function opened(name: Name): Promise<{ three: Three; world: PlatformWorld; platform: Platform }> {
  const three = await openThree({ on: [name] });
  const platform = three[name];
  await ask(platform, platform.dm('alex'), 'hello', { text: 're hello' });
  return { three, world: three.world, platform };
}

describe.each(onEveryPlatform)('on %s', (name) => {
  it('what the platform tells is known before a model is asked, is told once, and is over once it is', async () => {
    const { three, world, platform } = await opened(name);
    const before = world.llm.requests().length;
    CLOSE[name](three, true);
    platform.say(platform.room, 'what is new?', { mention: true });
    await expect.poll(() => told(platform).length).toBe(1);
    expect(told(platform)[0]?.text).toContain('what is new?');
    platform.say(platform.room, 'and now?', { mention: true });
    await ask(platform, platform.dm('alex'), 'still there?', { text: 're still there' });
    expect(told(platform)).toHaveLength(1);
    expect(world.llm.requests().length).toBe(before + 1);
    expect(fs.readdirSync(path.join(world.home, 'spool/dead'))).toEqual([]);
  });

  it('where it tells nothing, the refused answer goes to whoever asked, and the next message asks no model', async () => {
    const { three, world, platform } = await opened(name);
    const before = world.llm.requests().length;
    REFUSE[name](three);
    platform.say(platform.room, 'what is new?', { mention: true });
    await expect.poll(() => told(platform).length).toBe(1);
    expect(told(platform)[0]?.text).toContain('re what is new?');
    expect(world.llm.requests().length).toBe(before + 1);
    platform.say(platform.room, 'and now?', { mention: true });
    await ask(platform, platform.dm('alex'), 'still there?', { text: 're still there' });
    expect(world.llm.requests().length).toBe(before + 2);
    expect(told(platform)).toHaveLength(1);
  });
});

it.each(onThreads)(
  'on %s nobody stays untold because their direct messages could not be opened at once',
  async (name) => {
    const { three, world, platform } = await opened(name);
    const before = world.llm.requests().length;
    CLOSE[name](three, true);
    if (name === 'slack')
      three.slack.emulator.fault({ method: 'conversations.open', kind: '429', retryAfter: 1, times: 1 });
    else
      three.discord.emulator.fault({
        ...{ method: 'POST', path: '/users/@me/channels' },
        ...{ kind: 'status', status: 500, times: 1 },
      });
    platform.say(platform.room, 'what is new?', { mention: true });
    await expect.poll(() => told(platform).length).toBe(1);
    expect(world.llm.requests().length).toBe(before);
  },
);

it('a place that is open again is answered in', async () => {
  const { three, platform } = await opened('discord');
  CLOSE.discord(three, true);
  platform.say(platform.room, 'what is new?', { mention: true });
  await expect.poll(() => told(platform).length).toBe(1);
  CLOSE.discord(three, false);
  const said = platform.say(platform.room, 'and now?', { mention: true });
  await waitFor(platform, platform.answerPlace(said), { text: 're and now?' });
});
