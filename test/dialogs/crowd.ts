/** Many people at once, each in a private chat of their own, and what becomes of the answers to them. */
import path from 'node:path';
import { expect } from 'vitest';
import { inspectSpool } from '../../src/engine/local/inspect.ts';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { discordPlatform } from '../platforms/discord.ts';
import type { Place, Platform, Seen } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { telegramPlatform } from '../platforms/telegram.ts';
import type { PlatformName } from '../platforms/world.ts';

export interface Crowd {
  platform: Platform;
  /** One private chat for each person. */
  places: Place[];
  say(n: number, text: string): void;
  /** The next sends to this person, of text or of files, are carried out and their answers lost. */
  lose(n: number, times: number, what?: 'text' | 'file'): void;
  answers(n: number): Seen[];
}

type Discord = Awaited<ReturnType<typeof discordPlatform>>;
type Slack = Awaited<ReturnType<typeof slackPlatform>>;
type Telegram = Awaited<ReturnType<typeof telegramPlatform>>;

export function crowdOnDiscord(platform: Discord, size: number): Crowd {
  const { emulator } = platform;
  const people = numbers(size).map((n) => emulator.person({ username: `person${n}` }).id);
  const places = people.map((id) => ({ chat: emulator.openDm(id) }));
  return crowd(platform, places, {
    say: (n, text) => void emulator.dm(people[n] ?? '', text),
    lose: (n, times) =>
      emulator.fault({ method: 'POST', path: `/channels/${places[n]?.chat}/messages`, times, kind: 'lostAnswer' }),
  });
}

export function crowdOnSlack(platform: Slack, size: number): Crowd {
  const { emulator } = platform;
  const people = numbers(size).map((n) => emulator.addUser({ id: `U0CROWD${n}`, name: `person${n}` }).id);
  const places = people.map((id) => ({ chat: emulator.dmChannel(id) }));
  return crowd(platform, places, {
    say: (n, text) => void emulator.dm(people[n] ?? '', text),
    lose(n, times, what) {
      const method = what === 'file' ? 'files.completeUploadExternal' : 'chat.postMessage';
      emulator.fault({ method, channel: places[n]?.chat ?? '', times, kind: 'lostAnswer' });
    },
  });
}

export function crowdOnTelegram(platform: Telegram, size: number): Crowd {
  const { emulator } = platform;
  const people = numbers(size).map((n) => 2_000_000 + n);
  for (const id of people) emulator.addUser({ id, first_name: `Person ${id}` });
  const places = people.map((id) => ({ chat: String(id) }));
  return crowd(platform, places, {
    say: (n, text) => void emulator.say(people[n] ?? 0, { from: people[n] ?? 0, text }),
    lose: (n, times) => emulator.fault({ chat: people[n] ?? 0, times, kind: 'reset-after' }),
  });
}

export async function openCrowd(name: PlatformName, size: number): Promise<Crowd> {
  if (name === 'discord') return crowdOnDiscord(await discordPlatform(), size);
  if (name === 'slack') return crowdOnSlack(await slackPlatform(), size);
  return crowdOnTelegram(await telegramPlatform(), size);
}

function crowd(platform: Platform, places: Place[], more: Pick<Crowd, 'say' | 'lose'>): Crowd {
  return { platform, places, answers: (n) => platform.answers(places[n] ?? { chat: '' }), ...more };
}

export const numbers = (size: number): number[] => Array.from({ length: size }, (_, n) => n);

/** Together more than one message holds, on each platform. */
const PARAGRAPHS = 8;

/** Every tenth person asks for a file, every fourth of the others for an answer of several parts. */
export const kindOf = (n: number): 'file' | 'long' | 'short' =>
  n % 10 === 0 ? 'file' : n % 4 === 0 ? 'long' : 'short';
export const askFor = (n: number): string => `${kindOf(n)} number ${n}`;
const wordsFor = (n: number): string =>
  kindOf(n) === 'long'
    ? numbers(PARAGRAPHS)
        .map((line) => paragraph(n, line))
        .join('\n\n')
    : `the answer to ${n}`;
const paragraph = (n: number, line: number) =>
  `Paragraph ${line} of the answer to ${n}, ${'with some more words so that it takes room '.repeat(40)}and an end.`;
const fileFor = (n: number): string => `the contents of file ${n}\n`;

/** What the model says to `askFor`. */
export function answerTo(request: LlmRequest): Turn {
  const n = Number(/number (\d+)/.exec(request.lastUser)?.[1]);
  if (kindOf(n) !== 'file' || request.toolResults.length > 0) return { text: wordsFor(n) };
  const file = { title: `file${n}.txt`, type: 'text/plain', content: fileFor(n) };
  return { toolCalls: [{ name: 'create_artifact', arguments: file }] };
}

const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Everything of an answer is there: how many copies of each of its parts came, at least and at most. */
export function copies(crowd: Crowd, n: number): { least: number; most: number } {
  const seen = crowd.answers(n);
  const all = squeeze(seen.map((one) => one.text).join('\n\n'));
  const count = (text: string) => all.split(squeeze(text)).length - 1;
  const counts =
    kindOf(n) === 'long' ? numbers(PARAGRAPHS).map((line) => count(paragraph(n, line))) : [count(wordsFor(n))];
  if (kindOf(n) === 'file') {
    const files = seen.flatMap((one) => one.files).filter((file) => file.name === `file${n}.txt`);
    for (const file of files) expect(crowd.platform.bytes(file).toString()).toBe(fileFor(n));
    counts.push(files.length);
  }
  return { least: Math.min(...counts), most: Math.max(...counts) };
}

/** How many messages are in each folder of the outbox. */
export function outbox(home: string): { out: number; unsure: number; dead: number } {
  const found = inspectSpool(path.join(home, 'spool'));
  const count = (state: string) => found.filter((one) => one.state === state).length;
  return { out: count('out'), unsure: count('unsure'), dead: count('dead') };
}
