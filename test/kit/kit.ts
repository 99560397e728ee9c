/** What dialogues are written with. */
import fs from 'node:fs';
import path from 'node:path';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { type Person, type Place, type Platform, type Seen, waitFor } from '../platforms/platform.ts';
import {
  type ChannelName,
  NAMES,
  openPlatforms,
  type PlatformWorld,
  type PlatformWorldOptions,
} from '../platforms/world.ts';

/**
 * For `describe.each` and `it.each`: what platforms change, such as rendering, threads, commands as they are typed there,
 * limits, files and previews. Logic runs once, on the channel without a platform, as `openChat` opens it.
 */
export const onEveryPlatform = NAMES;
/** Where each task of a room has a thread of its own. */
export const onThreads = ['discord', 'slack'] as const;

export interface Chat {
  world: PlatformWorld;
  platform: Platform;
  /** Alex's private chat. */
  dm: Place;
}

/** A gateway with one channel: in a process of its own, which the channel of this one can't reach, on Telegram. */
export async function openChat(
  options: PlatformWorldOptions = {},
  on: ChannelName = options.process ? 'telegram' : 'loopback',
): Promise<Chat> {
  const world = await openPlatforms({ on: [on], ...options });
  const platform = world.platforms[on];
  return { world, platform, dm: platform.dm('alex') };
}

/** Presses the newest button with this label, and gives the next message that fits. */
export async function press(
  platform: Platform,
  place: Place,
  label: string,
  text: string | RegExp,
  { by, stale }: { by?: Person; stale?: boolean } = {},
): Promise<Seen> {
  const after = platform.answers(place).length;
  await platform.press(place, label, by, stale);
  return waitFor(platform, place, { after, text });
}

/** A model that calls these tools one after the other, one a step, and says what came of the last one. */
export const calls =
  (...given: ToolCall[]) =>
  ({ toolResults }: LlmRequest): Turn => {
    const call = given[toolResults.length];
    return call ? { toolCalls: [call] } : { text: `I was told: ${toolResults.at(-1)}` };
  };

/** All a person can read: words and the files with them. */
export const readable = (platform: Platform, seen: Seen): string =>
  [seen.text, ...seen.files.map((file) => platform.bytes(file).toString())].join('\n');

/** Requests that wait for somebody's answer, as files. */
export const requestFiles = ({ home }: PlatformWorld): string[] =>
  fs.globSync(path.join(home, 'access/approvals/*.json'));

/** While the gateway is down the time of every open request goes by. */
export function letTimePass(world: PlatformWorld): void {
  for (const file of requestFiles(world)) {
    const request = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (request.expiresAt) request.expiresAt = new Date(Date.now() - 1_000).toISOString();
    fs.writeFileSync(file, JSON.stringify(request));
  }
}
