/** Scheduled jobs from the chats: asked for, confirmed with their next times, fired, answered where they were asked for. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { type ManualClock, manualClock } from '../jobs/manual-clock.ts';
import { ask, type Person, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import {
  NAMES,
  openPlatforms,
  type PlatformName,
  type PlatformWorld,
  type PlatformWorldOptions,
} from '../platforms/world.ts';

const NEW_JOB = { name: 'Digest', schedule: 'every weekday at 9', prompt: 'Write the digest' };

/** Calls these tools one a step, and says what came of the last; a job's prompt gives a digest. */
const calls =
  (...given: ToolCall[]) =>
  ({ lastUser, toolResults }: LlmRequest): Turn => {
    if (lastUser.includes('Write the digest')) return { text: 'Digest: all is well.' };
    const call = given[toolResults.length];
    return call ? { toolCalls: [call] } : { text: `I was told: ${toolResults.at(-1)}` };
  };
const creating = (fields: object = {}): ToolCall => ({
  name: 'create_scheduled_job',
  arguments: { ...NEW_JOB, ...fields },
});

interface Chat {
  world: PlatformWorld;
  platform: Platform;
  clock: ManualClock;
  /** A private chat, or a thread where there are threads. */
  place: Place;
}

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
const quiet = () => new Promise<void>((resolve) => setTimeout(resolve, 300));

/** Monday, 10:00 in Berlin. */
async function open(name: PlatformName, options: PlatformWorldOptions = {}): Promise<Chat> {
  const clock = manualClock('2026-01-12T09:00:00Z');
  const { config, ...rest } = options;
  const world = await openPlatforms({
    ...{ on: [name], clock, channel: { live: 'off' }, ...rest },
    config: { jobs: { timezone: 'Europe/Berlin' }, ...config },
  });
  const platform = world.platforms[name];
  if (!platform.hasThreads) return { world, platform, clock, place: platform.dm('alex') };
  const place = platform.answerPlace(platform.say(platform.room, 'hello', { mention: true }));
  await waitFor(platform, place);
  return { world, platform, clock, place };
}

async function press({ platform, place }: Chat, label: string, text: string | RegExp, by?: Person) {
  const after = platform.answers(place).length;
  await platform.press(place, label, by);
  return waitFor(platform, place, { after, text });
}

/** Asks for a job and approves it. */
async function make(chat: Chat, fields: object = {}): Promise<void> {
  chat.world.llm.script(calls(creating(fields)));
  await ask(chat.platform, chat.place, 'send me a digest on weekdays', { text: 'create_scheduled_job' });
  await press(chat, 'Approve', 'I was told');
}

const fileOf = ({ world }: Chat, id = 'digest') => parse(world.read(`jobs/${id}.yaml`));
const files = ({ world }: Chat) => fs.readdirSync(path.join(world.home, 'jobs')).sort();
const written = ({ platform, place: { chat, thread } }: Chat) =>
  `${platform.name}:${chat}${thread === undefined ? '' : `:${thread}`}`;

describe.each(NAMES)('a job asked for on %s', (name) => {
  it('is shown with its next times, made once approved, and its digests come to that conversation', async () => {
    const chat = await open(name);
    const { world, platform, place, clock } = chat;
    world.llm.script(calls(creating()));
    const asked = await ask(platform, place, 'send me a digest on weekdays at 9', { text: 'create_scheduled_job' });
    expect(asked.text).toContain('every weekday at 09:00');
    expect(asked.text).toContain('Europe/Berlin');
    expect(asked.text).toContain('this conversation');
    for (const day of ['Tue, 13 Jan 2026', 'Wed, 14 Jan 2026', 'Thu, 15 Jan 2026']) expect(asked.text).toContain(day);
    expect(files(chat)).toEqual([]);
    const done = await press(chat, 'Approve', 'I was told');
    expect(done.text).toContain('2026-01-13T08:00:00.000Z');
    expect(fileOf(chat)).toEqual({
      ...NEW_JOB,
      ...{ timezone: 'Europe/Berlin', deliver: [written(chat)], createdAt: expect.any(String) },
      createdBy: platform.identity('alex'),
    });
    const digests = () => platform.answers(place).filter(({ text }) => text.startsWith('Digest:')).length;
    await clock.advanceTo('2026-01-13T07:59:00Z', pause);
    await quiet();
    expect(digests()).toBe(0);
    await clock.advanceTo('2026-01-13T08:00:05Z', pause);
    await waitFor(platform, place, { text: /^Digest:/ });
    await clock.advanceTo('2026-01-14T08:00:05Z', pause);
    await waitFor(platform, place, { text: /^Digest:/, count: 2 });
    await quiet();
    expect(digests()).toBe(2);
    // The conversation goes on with its own task, and the list of tasks is of those that people have begun.
    world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
    await ask(platform, place, 'thanks', { text: /^re .*thanks$/ });
    const listed = await platform.command(platform.dm('alex'), 'tasks');
    expect(listed.text).not.toContain(' Digest');
    expect((await platform.command(platform.dm('alex'), 'tasks', 'all')).text).toContain(' Digest');
  });

  it('is listed, run, paused, resumed and deleted by command and button', async () => {
    const chat = await open(name);
    const { platform, clock } = chat;
    await make(chat);
    const dm = { ...chat, place: platform.dm('alex') };
    const say = async (args: string, text: string | RegExp) => {
      const after = platform.answers(dm.place).length;
      const first = await platform.command(dm.place, 'jobs', args);
      return first.buttons.length > 0 || platform.answers(dm.place).length === after
        ? first
        : waitFor(platform, dm.place, { after, text });
    };
    expect((await say('', 'Digest')).text).toMatch(/Digest.*every weekday at 09:00.*next Tue,? 13 Jan 2026/);
    expect((await say('show digest', 'Next')).text).toContain(written(chat));
    await platform.command(dm.place, 'jobs', 'run dig');
    await waitFor(platform, chat.place, { text: /^Digest:/ });
    await platform.command(dm.place, 'jobs', 'pause Digest');
    expect(files(chat)).toEqual(['digest.disabled.yaml']);
    expect((await say('', 'paused')).text).toContain('(paused)');
    await clock.advanceTo('2026-01-13T09:00:00Z', pause);
    await quiet();
    expect(platform.answers(chat.place).filter(({ text }) => text.startsWith('Digest:'))).toHaveLength(1);
    await platform.command(dm.place, 'jobs', 'resume digest');
    expect(files(chat)).toEqual(['digest.yaml']);
    await clock.advanceTo('2026-01-14T08:00:05Z', pause);
    await waitFor(platform, chat.place, { text: /^Digest:/, count: 2 });
    await platform.command(dm.place, 'jobs', 'delete digest');
    expect(files(chat)).toEqual(['digest.yaml']);
    await press(dm, 'Yes, delete it', 'Deleted');
    expect(files(chat)).toEqual([]);
    expect((await platform.command(dm.place, 'jobs', 'run digest')).text).toContain('There is no job digest');
  });

  it('is refused to members and strangers with one sentence', async () => {
    const { world, platform } = await open(name);
    world.llm.script(calls(creating()));
    const dm = platform.dm('sam');
    const told = await ask(platform, dm, 'every day at 9, send me a digest', { by: 'sam', text: 'I was told' });
    expect(told.text).toContain('Only an owner of this bot may schedule jobs; ask one of them.');
    expect((await platform.command(dm, 'jobs', '', 'sam')).text).toContain('You may not use /jobs here');
  });
});
