/** A task gets a title from what was said, once its first answer is on its way: seen in threads and lists, never waited for. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../emulators/llm.ts';
import { quiet } from '../kit/quiet.ts';
import { discordPlatform } from '../platforms/discord.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { type ChannelName, openPlatforms, type PlatformWorld } from '../platforms/world.ts';

const GOAL = 'could you maybe help me a little with the walls of my kitchen, which are grey?';
const WORDS = 'could you maybe help me a little with…';
const TITLE = 'Grey kitchen walls';

async function open(on: readonly ChannelName[], named: (n: number) => Turn = () => ({ text: TITLE }), more = {}) {
  const world = await openPlatforms({ on, channel: { live: 'off' }, config: { smallModel: 'local/small' }, ...more });
  let asked = 0;
  world.llm.script((request) =>
    request.model === 'small' ? named(++asked) : { text: `re ${request.lastUser.replace(/^\[.*?\]: /, '')}` },
  );
  return { world, asked: () => asked };
}

const record = (world: PlatformWorld): { title: string; usage?: { inputTokens: number } } =>
  JSON.parse(world.read(`artifacts/${world.tasks()[0]}/task.json`));
const titled = (world: PlatformWorld, title = TITLE) => expect.poll(() => record(world).title).toBe(title);
const lines = (world: PlatformWorld): { model: string; task: string }[] =>
  fs
    .readdirSync(path.join(world.home, 'usage'))
    .flatMap((day) => world.read(`usage/${day}`).trim().split('\n'))
    .map((line) => JSON.parse(line));

describe('a title', () => {
  it('without a small model a greeting gives way to the first words that say something', async () => {
    const { world } = await open(['loopback'], undefined, { config: {} });
    const platform = world.platforms.loopback;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'hello');
    expect(record(world).title).toBe('hello');
    await ask(platform, dm, 'help me buy a tent');
    await titled(world, 'help me buy a tent');
    await ask(platform, dm, 'and a boat');
    expect((await platform.command(dm, 'tasks')).text).toContain('help me buy a tent');
  });

  it.each([true, false])(
    'a request that failed gives way to the first that was answered, small model: %s',
    async (small) => {
      const { world } = await open(['loopback'], undefined, small ? {} : { config: {} });
      const platform = world.platforms.loopback;
      const dm = platform.dm('alex');
      const named: string[] = [];
      world.llm.script(({ model, lastUser }) => {
        if (model === 'small') named.push(lastUser);
        if (model === 'small') return { text: TITLE };
        return /weather|sports/.test(lastUser) ? { fault: 'unauthorized' } : { text: 'Sure.' };
      });
      await ask(platform, dm, 'tell me the weather on Mars');
      await ask(platform, dm, 'or the sports news');
      expect(record(world).title).toBe('or the sports news');
      const title = small ? TITLE : 'help me buy a tent';
      await ask(platform, dm, 'help me buy a tent');
      await titled(world, title);
      expect(named.map((asked) => /buy a tent/.test(asked) && !/weather|sports/.test(asked))).toEqual(
        small ? [true] : [],
      );
      await ask(platform, dm, 'tell me the weather on Mars');
      await ask(platform, dm, 'and a boat');
      expect((await platform.command(dm, 'tasks')).text).toContain(title);
    },
  );

  it('a small model gives the title after the first answer, once, and it is counted', async () => {
    const { world, asked } = await open(['loopback'], () => ({ text: `**"${TITLE}."**`, delayMs: 700 }));
    const platform = world.platforms.loopback;
    const dm = platform.dm('alex');
    const answer = await ask(platform, dm, GOAL);
    expect([answer.text, record(world).title]).toEqual([`re ${GOAL}`, WORDS]);
    await titled(world);
    expect((await platform.command(dm, 'tasks')).text).toContain(TITLE);
    await ask(platform, dm, 'and the ceiling?');
    await quiet();
    expect(asked()).toBe(1);
    const [line] = lines(world).filter(({ model }) => model === 'local/small');
    expect(line).toMatchObject({ task: world.tasks()[0], person: 'person:alex' });
  });

  it('where the small model fails it is not asked again, and the goal’s first words stay', async () => {
    const { world, asked } = await open(['loopback'], () => ({ fault: 'server-error' }));
    const platform = world.platforms.loopback;
    await ask(platform, platform.dm('alex'), GOAL);
    await expect.poll(asked).toBe(1);
    await quiet();
    expect((await ask(platform, platform.dm('alex'), 'and the ceiling?')).text).toBe('re and the ceiling?');
    await quiet();
    expect([asked(), record(world).title]).toEqual([1, WORDS]);
  });
});

it('without a small model nobody is asked', async () => {
  const { world, asked } = await open(['telegram'], undefined, { config: {} });
  await ask(world.platforms.telegram, world.platforms.telegram.dm('alex'), GOAL);
  await quiet();
  expect([asked(), record(world).title]).toEqual([0, WORDS]);
});

it('a title that somebody has given stays', async () => {
  const { world, asked } = await open(['telegram'], () => ({ text: TITLE, delayMs: 600 }));
  const { telegram } = world.platforms;
  await ask(telegram, telegram.dm('alex'), GOAL);
  await expect.poll(asked).toBe(1);
  const file = path.join(world.home, 'artifacts', world.tasks()[0] ?? '', 'task.json');
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), title: 'My walls' }));
  await quiet();
  expect(record(world).title).toBe('My walls');
  await ask(telegram, telegram.dm('alex'), 'and the ceiling?');
  await quiet();
  expect([asked(), record(world).title]).toEqual([1, 'My walls']);
});

it('a title may try anything and is one short line that calls nobody', async () => {
  const nasty = `\u202e@everyone <!channel> <@U0SAM0000>\u0007 [x](https://evil.test/)\n${'a'.repeat(1_000)}`;
  const { world } = await open(['discord', 'slack'], () => ({ text: nasty }));
  const { discord, slack } = world.platforms;
  const there = await discord.begin(GOAL);
  const here = await slack.begin(GOAL);
  await waitFor(discord, there, { text: 're ' });
  await waitFor(slack, here, { text: 're ' });
  const titles = () => world.tasks().map((task): string => JSON.parse(world.read(`artifacts/${task}/task.json`)).title);
  await expect.poll(titles).toEqual([expect.stringMatching(/^@everyone/), expect.stringMatching(/^@everyone/)]);
  for (const title of titles()) {
    expect(title).toMatch(/^[^\p{Cc}\u202e]{1,60}$/u);
    expect(title).not.toContain('aaaa');
  }
  await discord.command(discord.dm('alex'), 'tasks');
  await slack.command(slack.dm('alex'), 'tasks');
  await quiet();
  expect([...discord.pings(), ...slack.pings()]).toEqual([]);
});

it('a thread on Discord is renamed, one that somebody has named is not', async () => {
  const discord = await discordPlatform();
  const { world } = await open(['discord'], () => ({ text: TITLE, delayMs: 500 }), { given: { discord } });
  const first = await discord.begin(GOAL);
  await waitFor(discord, first, { text: 're ' });
  const names = (thread = '') => discord.emulator.thread(thread).names;
  await expect.poll(() => names(first.thread)).toEqual([WORDS, TITLE]);
  const said = discord.say(discord.room, GOAL, { mention: true });
  await waitFor(discord, discord.answerPlace(said), { text: 're ' });
  discord.emulator.renameThread(said, 'Ours');
  await expect.poll(() => world.tasks().length).toBe(2);
  await quiet();
  expect(names(said)).toEqual([WORDS, 'Ours']);
});

it('a first message of ours on Slack and an assistant’s thread have it', async () => {
  const slack = await slackPlatform();
  const { world } = await open(['slack'], undefined, { given: { slack } });
  const place = await slack.begin(GOAL);
  const root = () => slack.emulator.channel(place.chat).messages.find(({ ts }) => ts === place.thread);
  await expect.poll(() => root()?.shown).toContain(TITLE);
  expect(root()?.shown).toContain(GOAL);
  await titled(world);
});

it('an event that comes twice makes one title, and a crash before it costs nothing', async () => {
  const { world, asked } = await open(['slack'], (n) => ({ text: TITLE, delayMs: n === 1 ? 60_000 : 0 }), {
    process: true,
  });
  const { slack } = world.platforms;
  const dm = slack.dm('alex');
  const said = slack.say(dm, GOAL);
  await waitFor(slack, dm, { text: `re ${GOAL}` });
  slack.redeliver(said, dm);
  await expect.poll(asked).toBe(1);
  await world.kill();
  expect(record(world).title).toBe(WORDS);
  await ask(slack, dm, 'and the ceiling?');
  await titled(world);
  expect(asked()).toBe(2);
});

it('a greeting gives no title: the first words with a subject do', async () => {
  const { world, asked } = await open(['telegram']);
  const { telegram } = world.platforms;
  const dm = telegram.dm('alex');
  await ask(telegram, dm, 'Hi!');
  await ask(telegram, dm, GOAL);
  await titled(world);
  expect(asked()).toBe(1);
});
