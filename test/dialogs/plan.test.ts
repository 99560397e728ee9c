/** Plans in the chat: what /plan shows, how a step is ticked, skipped and dropped by button and in words, and no check mark too early. */

import { describe, expect, it } from 'vitest';
import { onEveryPlatform, openChat, press } from '../kit/kit.ts';
import { discordPlatform } from '../platforms/discord.ts';
import { ask, type Platform, waitFor } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import type { ChannelName, PlatformWorld, PlatformWorldOptions } from '../platforms/world.ts';

type DiscordPlatform = Awaited<ReturnType<typeof discordPlatform>>;
type SlackPlatform = Awaited<ReturnType<typeof slackPlatform>>;

const PLAN =
  '## Goal\nPaint the *kitchen*\n\n## Plan\n- [x] Buy paint\n- [ ] Tape the edges (in progress)\n- [ ] Paint\n- [ ] Clean up\n\n## Blockers\nNone currently\n';

async function open(on?: ChannelName, options: PlatformWorldOptions = {}) {
  const chat = await openChat({ channel: { live: 'off' }, ...options }, on);
  chat.world.llm.script((request) =>
    request.toolResults.length === 0 && request.lastUser.includes('plan it')
      ? { toolCalls: [{ name: 'update_plan', arguments: { plan: PLAN } }] }
      : { text: 'There is a plan.' },
  );
  return chat;
}

describe.each(onEveryPlatform)('a plan on %s', (name) => {
  it('is a list with marks and what is next, and is changed by buttons and by words', async () => {
    const { world, platform, dm } = await open(name);
    expect((await platform.command(dm, 'plan')).text).toMatch(/no plan yet/);
    await ask(platform, dm, 'plan it');
    const shown = await platform.command(dm, 'plan');
    expect(shown.text).toContain('Paint the');
    expect(shown.text).toMatch(/1\..? ✓ Buy paint/);
    expect(shown.text).toMatch(/2\..? ▶ Tape the edges/);
    expect(shown.text).toContain('1 of 4 done. Now: Tape the edges');
    expect(shown.text).not.toMatch(/#|Blockers|Context|None currently|task\.md|\[ \]/);
    expect(shown.buttons).toEqual(['2 is done', 'Skip 2', 'Drop 2']);
    expect((await press(platform, dm, '2 is done', 'Next: Paint')).text).toContain('2 of 4 done');
    expect((await press(platform, dm, 'Skip 3', 'Next: Clean up')).text).toMatch(/Paint.*\(skipped\)/);
    const again = await press(platform, dm, '2 is done', /2 of 3 done/);
    expect(again.text).toContain('Next: Clean up');
    expect((await platform.command(dm, 'plan', 'drop 4')).text).toContain('All done.');
    const [task = ''] = world.tasks();
    expect(world.read(`artifacts/${task}/task.md`)).toMatch(/- \[x\] Tape the edges\n- \[-\] Paint\n(?!- )/);
  });
});

describe('a plan', () => {
  it('has no check mark while a step of it is open', async () => {
    const { platform, dm } = await open();
    await ask(platform, dm, 'plan it');
    const listed = await platform.command(dm, 'tasks');
    expect(listed.text).toContain('◐');
    expect(listed.text).not.toContain('✓');
    for (const step of [2, 3, 4]) await platform.command(dm, 'plan', `done ${step}`);
    expect((await platform.command(dm, 'tasks')).text).toContain('✓');
  });

  it('is ticked in plain words without a language model', async () => {
    const { platform, dm } = await open(undefined, { offline: true });
    await ask(platform, dm, 'plan: buy paint; tape the edges; paint; clean up');
    expect((await ask(platform, dm, 'done 1')).text).toContain('3 of 4 left');
  });
});

/** What stands where the thread begins: our reactions on the person's message. */
const SIGNS = {
  discord: (platform: DiscordPlatform, said: string) =>
    platform.emulator.message(platform.room.chat, said).reactions.map(({ emoji }) => emoji),
  slack: (platform: SlackPlatform, said: string) =>
    platform.emulator
      .channel(platform.room.chat)
      .messages.find(({ ts }) => ts === said)
      ?.reactions.map(({ name }) => name),
};

it('a thread on Discord has no check mark while a step is open, also after a restart', async () => {
  const discord = await discordPlatform();
  const { world, ...rest } = await open('discord', { given: { discord } });
  const { sign, done } = await walk(world, discord, (said) => SIGNS.discord(discord, said), '📝');
  await rest.platform.command(done.thread, 'plan', 'done 4');
  await expect.poll(() => sign()).toEqual(['✅']);
});

it('a thread on Slack has no check mark while a step is open, also after a restart', async () => {
  const slack = await slackPlatform();
  const { world, ...rest } = await open('slack', { given: { slack } });
  const { sign, done } = await walk(world, slack, (said) => SIGNS.slack(slack, said), 'memo');
  expect((await rest.platform.command(slack.room, 'plan', `${done.task} done 4`)).text).toContain('All done');
  await expect.poll(() => sign()).toEqual(['white_check_mark']);
});

/** A plan in a thread, ticked but for its last step with a restart between. */
async function walk(
  world: PlatformWorld,
  platform: Platform,
  signs: (said: string) => string[] | undefined,
  open: string,
) {
  const said = platform.say(platform.room, 'plan it', { mention: true });
  const thread = platform.answerPlace(said);
  await waitFor(platform, thread, { text: 'There is a plan' });
  const sign = () => signs(said);
  await expect.poll(sign).toEqual([open]);
  const [task = ''] = world.tasks();
  for (const step of [2, 3]) {
    const { text } = await platform.command(platform.room, 'plan', `${task} done ${step}`);
    expect(text).toContain(`${step} of 4 done`);
  }
  await world.restart();
  await ask(platform, thread, 'how far is it?');
  await expect.poll(sign).toEqual([open]);
  return { sign, done: { thread, task } };
}

it('is changed by the people of its task alone', async () => {
  const { platform, world } = await open();
  const thread = platform.answerPlace(platform.say(platform.room, 'plan it', { mention: true }));
  await waitFor(platform, thread, { text: 'There is a plan' });
  const [task = ''] = world.tasks();
  const refused = await platform.command(platform.room, 'plan', `${task} done 2`, 'sam');
  expect(refused.text).toContain("I can't find a task");
  expect(world.read(`artifacts/${task}/task.md`)).toContain('Tape the edges (in progress)');
});
