/** All three platforms with options of their own, one gateway between them, and a model that says what it was told. */
import type { DiscordOptions } from '../emulators/discord.ts';
import { discordPlatform } from '../platforms/discord.ts';
import type { Place, Platform } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { telegramPlatform } from '../platforms/telegram.ts';
import { openPlatforms, type PlatformWorldOptions } from '../platforms/world.ts';

export async function openThree(options: PlatformWorldOptions & { discord?: DiscordOptions } = {}) {
  const [telegram, discord, slack] = await Promise.all([
    telegramPlatform(),
    discordPlatform(options.discord),
    slackPlatform(),
  ]);
  // Each message has an answer of its own.
  const channel = { live: 'off', injection: 'followup' };
  const world = await openPlatforms({ given: { telegram, discord, slack }, channel, ...options });
  world.llm.script((request) => ({ text: `re ${request.lastUser.replace(/^\[.*?\]: /, '')}` }));
  return { world, telegram, discord, slack };
}

/** What the model said there, oldest first. */
export const answersIn = (platform: Platform, place: Place): string[] =>
  platform
    .answers(place)
    .map((seen) => seen.text)
    .filter((text) => text.startsWith('re '));
