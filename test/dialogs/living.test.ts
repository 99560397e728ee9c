/** The living task: a step ticked in one chat is ticked in the plans that all other chats and the Board show. */
import { describe, expect, it } from 'vitest';
import { openWire } from '../board/wire.ts';
import { onEveryPlatform } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { discordPlatform } from '../platforms/discord.ts';
import { ask, type Platform, waitFor } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { telegramPlatform } from '../platforms/telegram.ts';
import { NAMES, openPlatforms, type PlatformName, type PlatformWorldOptions } from '../platforms/world.ts';

const TOKEN = 'the-token-of-the-owner';
const STEPS = ['Find boxes', 'Book a van', 'Tell everybody', 'Clean up'];
const PLAN = ['# Move house', '', ...STEPS.map((step) => `- [ ] ${step}`)].join('\n');

async function open(on: readonly PlatformName[] = NAMES, given: PlatformWorldOptions['given'] = {}) {
  const world = await openPlatforms({
    on,
    given,
    channel: { live: 'off' },
    config: { http: { port: 0, token: TOKEN } },
  });
  const all = on.map((name) => world.platforms[name]);
  const [first] = all;
  if (!first) throw new Error('no platform');
  world.llm.script([{ toolCalls: [{ name: 'update_plan', arguments: { plan: PLAN } }] }, { text: 'Planned.' }]);
  await ask(first, first.dm('alex'), 'plan to move house', { text: 'Planned.' });
  for (const platform of all) await showPlan(platform);
  return { world, all };
}

const portOf = (logs: Record<string, unknown>[]): number =>
  Number(logs.find(({ port }) => typeof port === 'number')?.port);

async function showPlan(platform: Platform): Promise<void> {
  const dm = platform.dm('alex');
  const after = platform.answers(dm).length;
  platform.say(dm, '/plan');
  await waitFor(platform, dm, { after, text: 'Find boxes' });
}

/** The rows of the newest plan, as somebody there sees them. */
const seen = (platform: Platform): string => platform.answers(platform.dm('alex')).at(-1)?.text ?? '';
const offered = (platform: Platform): string[] => platform.answers(platform.dm('alex')).at(-1)?.buttons ?? [];

describe('a tick of a step', () => {
  it('on each platform is seen in place on the other platforms, and told to the Board', async () => {
    const { world, all } = await open();
    const wire = await openWire(portOf(world.logs), TOKEN);
    const [task = ''] = world.tasks();
    wire.send({ type: 'task:subscribe', id: 's', taskIds: [task] });
    await wire.until(({ type }) => type === 'ack');
    const told = () => wire.frames.filter(({ type }) => type === 'plan:changed');
    for (const [index, by] of all.entries()) {
      const others = all.filter((platform) => platform !== by);
      const before = told().length;
      const counts = others.map((platform) => platform.answers(platform.dm('alex')).length);
      by.say(by.dm('alex'), `/plan done ${index + 1}`);
      for (const platform of others) await expect.poll(() => offered(platform)).toContain(`${index + 2} is done`);
      for (const platform of others) expect(offered(platform)).not.toContain(`${index + 1} is done`);
      await expect.poll(() => told().length).toBeGreaterThan(before);
      expect(others.map((platform) => platform.answers(platform.dm('alex')).length)).toEqual(counts);
      for (const platform of others) expect(seen(platform)).toContain('Find boxes');
      await quiet();
    }
    wire.close();
  });

  it.each(onEveryPlatform)('on %s obeys a rate limit, and the newest state wins', async (name) => {
    const [telegram, discord, slack] = await Promise.all([telegramPlatform(), discordPlatform(), slackPlatform()]);
    const { world, all } = await open(name === 'telegram' ? ['discord', name] : ['telegram', name], {
      ...{ telegram, discord, slack },
    });
    const platform = world.platforms[name];
    const by = all.find((one) => one !== platform) ?? platform;
    const limited = { times: 1, retryAfter: 1 };
    if (name === 'telegram') telegram.emulator.fault({ method: 'editMessageText', kind: 'status', ...limited });
    else if (name === 'slack') slack.emulator.fault({ method: 'chat.update', kind: '429', ...limited });
    else {
      const path = '/channels/:id/messages/:message';
      discord.emulator.fault({ method: 'PATCH', path, kind: 'status', status: 429, ...limited });
    }
    const began = performance.now();
    for (const n of [1, 2, 3]) {
      const after = by.answers(by.dm('alex')).length;
      by.say(by.dm('alex'), `/plan done ${n}`);
      await waitFor(by, by.dm('alex'), { after, text: 'Find boxes' });
    }
    await expect.poll(() => offered(platform)).toContain('4 is done');
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  it('leaves a chat alone that has gone on to another task', async () => {
    const { world } = await open(['telegram']);
    const { telegram } = world.platforms;
    const dm = telegram.dm('alex');
    const [task = ''] = world.tasks();
    const before = seen(telegram);
    await telegram.command(dm, 'new');
    world.llm.script([{ text: 'Hello.' }]);
    await ask(telegram, dm, 'something else', { text: 'Hello.' });
    const told = await telegram.command(dm, 'plan', `${task} done 1`);
    expect(told.text).toContain('Find boxes');
    await quiet();
    expect(telegram.answers(dm).some(({ text }) => text === before)).toBe(true);
  });
});
