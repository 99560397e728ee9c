/** What a job names that does not exist: said when its file loads, shown by /jobs, and gone once it is there. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { manualClock } from '../jobs/manual-clock.ts';
import { quiet } from '../kit/quiet.ts';
import { waitFor } from '../platforms/platform.ts';
import { NAMES, openPlatforms, type PlatformWorld } from '../platforms/world.ts';

const START = '2026-01-12T06:00:00Z';
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

function put(world: Pick<PlatformWorld, 'home'>, file: string, text: string): void {
  const full = path.join(world.home, file);
  fs.mkdirSync(path.dirname(full), { recursive: true });
  fs.writeFileSync(full, text);
}

const skill = (name: string) =>
  `---\nname: ${name}\ndescription: Says what ${name} says.\n---\nLook out of the window.\n`;

/** A gateway whose owner can be reached on all three platforms. */
async function openOwned(config?: Record<string, unknown>) {
  const clock = manualClock(START);
  const world = await openPlatforms({ clock, channel: { live: 'off' }, ...(config && { config }) });
  world.llm.script((request) => ({ text: `re ${request.lastUser}` }));
  for (const name of NAMES) {
    const platform = world.platforms[name];
    platform.say(platform.dm('alex'), 'hello');
    await waitFor(platform, platform.dm('alex'), { text: 're hello' });
  }
  return { clock, world };
}

/** The newest answer of the bot to /jobs. */
async function jobsOn(world: PlatformWorld, name: (typeof NAMES)[number], args = ''): Promise<string> {
  const platform = world.platforms[name];
  return (await platform.command(platform.dm('alex'), 'jobs', args)).text.replace(/[*`\\]/g, '');
}

test('a skill and a tool that are misspelt are named to the owner, in /jobs, and no more once they are there', async () => {
  const { clock, world } = await openOwned();
  put(world, 'skills/weather/SKILL.md', skill('weather'));
  const { telegram } = world.platforms;
  const deliver = [`telegram:${telegram.room.chat}`];
  const job = { name: 'Morning', schedule: '0 9 * * *', timezone: 'UTC', prompt: 'Write it', deliver };
  const named = { ...job, skills: ['wether', 'weather'], tools: ['memory_serch', 'read_file'] };
  put(world, 'jobs/morning.yaml', `${JSON.stringify(named)}\n`);
  for (const name of NAMES) {
    const platform = world.platforms[name];
    const told = await waitFor(platform, platform.dm('alex'), { text: /memory\\?_serch/ });
    const text = told.text.replaceAll('\\', '');
    expect(text).toContain('Morning');
    expect(text).toContain('wether');
    expect(text).toContain('weather?');
    expect(text).toContain('memory_search?');
    expect(text).toMatch(/without/);
    expect(text).not.toContain('read_file');
  }
  for (const name of NAMES) {
    const listed = await jobsOn(world, name);
    expect(listed).toMatch(/no skill wether.*weather\?/);
    expect(listed).toMatch(/no tool memory_serch.*memory_search\?/);
    expect(await jobsOn(world, name, 'show morning')).toMatch(/no skill wether/);
  }
  // It runs with what there is.
  await clock.advanceTo('2026-01-12T09:00:10Z', pause);
  await waitFor(telegram, telegram.room, { text: 're Write it' });
  put(world, 'skills/wether/SKILL.md', skill('wether'));
  put(world, 'jobs/morning.yaml', `${JSON.stringify({ ...named, tools: ['read_file'] })}\n`);
  await expect.poll(() => jobsOn(world, 'telegram')).not.toMatch(/memory_serch|wether/);
  fs.rmSync(path.join(world.home, 'skills/wether'), { recursive: true });
  await expect.poll(() => jobsOn(world, 'slack')).toMatch(/no skill wether/);
  // Once is enough.
  const told = telegram.answers(telegram.dm('alex')).filter(({ text }) => text.includes('memory_serch'));
  expect(told.filter(({ text }) => !text.includes('09:00'))).toHaveLength(1);
});

test('with an unknown viber or provider a job is not done, says so, and is done once there is one', async () => {
  const { clock, world } = await openOwned();
  const { telegram } = world.platforms;
  const deliver = [`telegram:${telegram.room.chat}`];
  fs.mkdirSync(path.join(world.home, 'vibers/writer'), { recursive: true });
  const job = { schedule: '0 9 * * *', timezone: 'UTC', prompt: 'Write it', deliver };
  put(world, 'jobs/story.yaml', `${JSON.stringify({ ...job, name: 'Story', viber: 'writr' })}\n`);
  put(world, 'jobs/news.yaml', `${JSON.stringify({ ...job, name: 'News', model: 'locl/big' })}\n`);
  for (const name of NAMES) {
    const platform = world.platforms[name];
    const story = await waitFor(platform, platform.dm('alex'), { text: 'writr' });
    expect(story.text).toMatch(/Story.*no viber writr.*writer\?/s);
    expect(story.text).toContain("I won't run it until");
    const news = await waitFor(platform, platform.dm('alex'), { text: 'locl' });
    expect(news.text).toMatch(/News.*no provider locl.*local\?/s);
    expect(await jobsOn(world, name)).toMatch(/no viber writr/);
  }
  const asked = world.llm.requests.length;
  await clock.advanceTo('2026-01-12T09:00:10Z', pause);
  await quiet();
  expect(world.llm.requests).toHaveLength(asked);
  expect(telegram.answers(telegram.room)).toEqual([]);
  expect(fs.existsSync(path.join(world.home, 'vibers/writr'))).toBe(false);
  expect(await jobsOn(world, 'discord', 'run story')).toMatch(/no viber writr/);
  expect(await jobsOn(world, 'slack', 'run news')).toMatch(/no provider locl/);
  expect(world.llm.requests).toHaveLength(asked);
  fs.mkdirSync(path.join(world.home, 'vibers/writr'));
  expect(await jobsOn(world, 'telegram')).not.toMatch(/no viber/);
  await clock.advanceTo('2026-01-13T09:00:10Z', pause);
  await waitFor(telegram, telegram.room, { text: 're Write it' });
});

test('a job asked for in a chat with a skill that does not exist is refused before anybody is asked', async () => {
  const { world } = await openOwned();
  put(world, 'skills/weather/SKILL.md', skill('weather'));
  const { discord } = world.platforms;
  const make = { name: 'Morning', schedule: 'every day at 9', prompt: 'x', skills: ['wether'], model: 'locl/big' };
  world.llm.script((request) => {
    const result = request.messages.findLast(({ role }) => role === 'tool');
    if (result) return { text: `told: ${JSON.stringify(result.content)}` };
    return { toolCalls: [{ name: 'create_scheduled_job', arguments: make }] };
  });
  discord.say(discord.dm('alex'), 'every day at 9 tell me the weather');
  const { text } = await waitFor(discord, discord.dm('alex'), { text: 'told:' });
  expect(text).toMatch(/no skill wether.*weather\?/);
  expect(text).toMatch(/no provider locl.*local\?/);
  expect(fs.readdirSync(path.join(world.home, 'jobs'))).toEqual([]);
});
