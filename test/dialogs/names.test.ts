/** The model reads names, not ids, of who writes and of whom they mention: those of the configuration, else the platform's. */
import { describe, expect, it } from 'vitest';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import type { discordPlatform } from '../platforms/discord.ts';
import type { Person, Platform } from '../platforms/platform.ts';
import type { slackPlatform } from '../platforms/slack.ts';
import type { telegramPlatform } from '../platforms/telegram.ts';
import { openPlatforms, type PlatformWorld } from '../platforms/world.ts';

type Slack = Awaited<ReturnType<typeof slackPlatform>>;
type Discord = Awaited<ReturnType<typeof discordPlatform>>;
type Telegram = Awaited<ReturnType<typeof telegramPlatform>>;

/** Says something in the room that mentions the viber and two people. */
function mentioning(platform: Platform, by: Person, others: Person[], words: string): void {
  const id = (person: Person) => platform.identity(person).split(':').at(-1) ?? '';
  if (platform.name !== 'telegram') {
    const text = others.map((person) => `<@${id(person)}>`).join(' and ');
    platform.say(platform.room, `${words} ${text}`, { by, mention: true });
    return;
  }
  const { emulator } = platform as Telegram;
  const lead = `@${emulator.bot.username} ${words} `;
  let text = lead;
  const entities = others.map((person, index) => {
    if (index > 0) text += ' and ';
    const label = `friend${index}`;
    const user = { id: Number(id(person)), is_bot: false, first_name: person === 'kim' ? 'Kim' : 'Sammy' };
    const entity = { type: 'text_mention' as const, offset: text.length, length: label.length, user };
    text += label;
    return entity;
  });
  emulator.say(Number(platform.room.chat), { from: Number(id(by)), text, entities });
}

async function requestWith(world: PlatformWorld, words: string): Promise<string> {
  const found = () => world.llm.requests().find((each) => each.lastUser.includes(words))?.lastUser ?? '';
  await expect.poll(found).not.toBe('');
  return found();
}

describe.each(onEveryPlatform)('on %s', (name) => {
  it('writers and those they mention have names from the first message on', async () => {
    const { world, platform } = await openChat({ channel: { live: 'off' } }, name);
    if (name === 'discord')
      (platform as Discord).emulator.person({ id: platform.identity('kim').split(':').at(-1) ?? '', nick: 'Kim' });
    if (name === 'slack') (platform as Slack).emulator.addUser({ id: 'U0KIM0000', name: 'Kim', realName: 'Kim' });
    mentioning(platform, 'kim', ['sam', 'alex'], 'who are');
    const asked = await requestWith(world, 'who are');
    expect(asked).toMatch(/^\[Kim\]: /);
    expect(asked).toContain('who are @sam and @alex');
    mentioning(platform, 'sam', ['kim'], 'and who is');
    const other = await requestWith(world, 'and who is');
    expect(other).toMatch(/^\[sam\]: /);
    expect(other).toContain(name === 'telegram' ? 'and who is friend0 (Kim)' : 'and who is @Kim');
  });
});

it('a Slack that does not tell names keeps nobody waiting', async () => {
  const world = await openPlatforms({ on: ['slack'], channel: { live: 'off' } });
  const slack = world.platforms.slack as Slack;
  slack.emulator.fault({ method: 'users.info', times: 20, kind: 'status', status: 503 });
  mentioning(slack, 'sam', ['kim'], 'who is');
  expect(await requestWith(world, 'who is')).toContain('who is @U0KIM0000');
  slack.emulator.clearFaults();
  mentioning(slack, 'sam', ['kim'], 'and now');
  expect(await requestWith(world, 'and now')).toContain('and now @kim');
});

it('a Discord answer that pings is answered, and its original found, where Discord leaves that out', async () => {
  const world = await openPlatforms({
    on: ['discord'],
    channel: { live: 'off' },
    sections: { discord: { threads: 'off' } },
  });
  const platform = world.platforms.discord as Discord;
  const asked = platform.say(platform.room, 'name a colour', { mention: true });
  await expect.poll(() => platform.answers(platform.room).length).toBe(1);
  const [answer] = platform.answers(platform.room);
  expect(asked).not.toBe('');
  const from = platform.identity('alex').slice('discord:'.length);
  platform.emulator.say(platform.room.chat, 'and then?', { from, replyTo: answer?.id ?? '', withoutOriginal: true });
  const request = await requestWith(world, 'and then?');
  expect(request).toMatch(/<quoted kind="reply" from="you">/);
  await expect.poll(() => platform.answers(platform.room).length).toBe(2);
});
