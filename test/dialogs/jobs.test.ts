/** Digests: a job file's result on the three platforms at its time, once, with its file; whatever the clock and the process do. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Llm } from '../emulators/llm.ts';
import { type ManualClock, manualClock } from '../jobs/manual-clock.ts';
import { quiet } from '../kit/quiet.ts';
import { type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformWorld } from '../platforms/world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Writes a file, then says what it has found; everything else it is asked it repeats. */
function digests(llm: Llm): void {
  llm.script((request) => {
    if (!request.lastUser.includes('Write the digest')) return { text: `re ${request.lastUser}` };
    const isWritten = request.messages.some((message) => message.role === 'tool');
    if (isWritten) return { text: 'Digest: all is well.' };
    const args = { title: 'digest.md', type: 'text/markdown', content: '# Digest\n\nAll is well.\n' };
    return { toolCalls: [{ name: 'create_artifact', arguments: args }] };
  });
}

const written = (platform: Platform, { chat, thread }: Place) =>
  `${platform.name}:${chat}${thread === undefined ? '' : `:${thread}`}`;

interface Digests {
  world: PlatformWorld;
  clock: ManualClock;
  places: [Platform, Place][];
  /** How many digests there are in each place. */
  counts(): number[];
  /** Goes on to that time, and waits for so many digests in every place. */
  at(time: string, count: number): Promise<void>;
}

/** A job with one place on each platform: a group, a channel, a thread. */
async function openDigests(start: string, fields: Record<string, unknown>): Promise<Digests> {
  const clock = manualClock(start);
  const world = await openPlatforms({ clock, channel: { live: 'off' } });
  digests(world.llm);
  const { telegram, discord, slack } = world.platforms;
  const said = discord.say(discord.room, 'hello', { mention: true });
  const thread = discord.answerPlace(said);
  await waitFor(discord, thread);
  const places: [Platform, Place][] = [
    [telegram, telegram.room],
    [slack, slack.room],
    [discord, thread],
  ];
  const deliver = places.map(([platform, place]) => written(platform, place));
  const job = { name: 'Digest', prompt: 'Write the digest', timezone: 'Europe/Berlin', deliver, ...fields };
  await addJob(world, 'digest', job);
  const counts = () =>
    places.map(([platform, place]) => platform.answers(place).filter(({ text }) => text.startsWith('Digest:')).length);
  return {
    ...{ world, clock, places, counts },
    async at(time, count) {
      await clock.advanceTo(time, pause);
      for (const [platform, place] of places) await waitFor(platform, place, { text: /^Digest:/, count });
      // The next slot must not find the run still at work.
      await expect.poll(() => JSON.parse(world.read('spool/jobs/digest.json')).lastRun?.state).toBe('completed');
    },
  };
}

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Writes the file and waits until it is active. */
async function addJob(world: PlatformWorld, id: string, job: object): Promise<void> {
  const folder = path.join(world.home, 'jobs');
  fs.writeFileSync(path.join(folder, `${id}.yaml`), `${JSON.stringify(job)}\n`);
  const state = path.join(world.home, 'spool', 'jobs', `${id}.json`);
  await expect.poll(() => fs.existsSync(state)).toBe(true);
}

describe('a digest', () => {
  test('arrives in a group, a channel and a thread at its time, once, with its file', async () => {
    const { at, clock, counts, places, world } = await openDigests('2026-01-12T06:00:00Z', { schedule: '0 9 * * *' });
    await clock.advanceTo('2026-01-12T07:59:30Z', pause);
    await quiet();
    expect(counts()).toEqual([0, 0, 0]);
    await at('2026-01-12T08:00:10Z', 1);
    await quiet();
    expect(counts()).toEqual([1, 1, 1]);
    for (const [platform, place] of places) {
      await waitFor(platform, place, { file: 'digest.md' });
      const files = platform.answers(place).flatMap((seen) => seen.files);
      expect(files.map((file) => platform.bytes(file).toString())).toEqual(['# Digest\n\nAll is well.\n']);
    }
    // Whoever writes there goes on with the conversation that was there.
    const { discord } = world.platforms;
    const [, thread] = places[2] ?? [];
    if (!thread) throw new Error('no thread');
    discord.say(thread, 'and now?');
    await waitFor(discord, thread, { text: 're ' });
  });

  test('keeps its hour through both changes of the clocks', async () => {
    const spring = await openDigests('2026-03-28T06:00:00Z', { schedule: 'every day at 2:30' });
    // 02:30 does not exist on the 29th: it fires once all the same.
    await spring.at('2026-03-29T12:00:00Z', 1);
    await spring.at('2026-03-30T00:31:00Z', 2);
    await quiet();
    expect(spring.counts()).toEqual([2, 2, 2]);
    // 02:30 comes twice on 25 October: it fires once.
    spring.clock.jump(Date.parse('2026-10-24T06:00:00Z') - spring.clock.now());
    await spring.at('2026-10-24T06:02:00Z', 3);
    await spring.at('2026-10-25T12:00:00Z', 4);
    await quiet();
    expect(spring.counts()).toEqual([4, 4, 4]);
  });

  test('a clock that jumps ahead gives the latest one, a clock that jumps back none again, and the next at its time', async () => {
    const { at, clock, counts } = await openDigests('2026-01-12T06:00:00Z', { schedule: '0 * * * *' });
    await at('2026-01-12T07:00:30Z', 1);
    clock.jump(3 * DAY);
    await at('2026-01-15T07:02:00Z', 2);
    clock.jump(-3 * DAY);
    await clock.advance(50 * 60_000, pause);
    await quiet();
    expect(counts()).toEqual([2, 2, 2]);
    await at('2026-01-12T08:00:30Z', 3);
  });

  test('nothing routine is sent, and a failure is told to the owner once', async () => {
    const { clock, counts, world } = await openDigests('2026-01-12T06:00:00Z', { schedule: '0 * * * *' });
    const { telegram } = world.platforms;
    // Where an owner can be reached is known once they have written.
    telegram.say(telegram.dm('alex'), 'hello');
    await waitFor(telegram, telegram.dm('alex'));
    world.llm.script(() => ({ text: '**HEALTHY**.' }));
    await clock.advance(HOUR, pause);
    await expect.poll(() => world.logs.filter(({ msg }) => msg === 'a job has a result').length).toBe(1);
    world.llm.script(() => ({ fault: 'model-not-found' }));
    for (let hours = 0; hours < 4; hours++) {
      await clock.advance(HOUR, pause);
      await quiet();
    }
    const told = telegram.answers(telegram.dm('alex')).filter(({ text }) => text.includes('failed'));
    expect(told.map(({ text }) => text)).toEqual([expect.stringContaining('Digest')]);
    expect(counts()).toEqual([0, 0, 0]);
  });
});

test('a crash at the moment of firing gives one digest, not two and not none', async () => {
  const world = await openPlatforms({
    ...{ on: ['slack'], process: true, channel: { live: 'off' } },
    env: { OPENVIBER_CRASH_AT: 'job-fired' },
    prepare(home) {
      // It has run until three hours ago: the newest of the missed times is due at once.
      const schedule = JSON.stringify({ kind: 'cron', pattern: '0 * * * *', timezone: 'UTC' });
      const before = Date.now() - 3 * HOUR;
      const config = JSON.parse(fs.readFileSync(path.join(home, 'config.json'), 'utf8'));
      const deliver = `slack:${config.channels.slack.access.chats[0]}`;
      const job = { name: 'Digest', schedule: '0 * * * *', prompt: 'Write the digest', timezone: 'UTC', deliver };
      fs.mkdirSync(path.join(home, 'spool', 'jobs'), { recursive: true });
      fs.mkdirSync(path.join(home, 'jobs'), { recursive: true });
      fs.writeFileSync(path.join(home, 'jobs', 'digest.yaml'), `${JSON.stringify(job)}\n`);
      fs.writeFileSync(
        path.join(home, 'spool', 'jobs', 'digest.json'),
        JSON.stringify({ schedule, since: before, lastSlot: before }),
      );
    },
  });
  digests(world.llm);
  const { slack } = world.platforms;
  await world.ended();
  const { lastSlot } = JSON.parse(world.read('spool/jobs/digest.json'));
  await world.restart();
  await waitFor(slack, slack.room, { text: /^Digest:/ });
  await expect.poll(() => JSON.parse(world.read('spool/jobs/digest.json')).lastSlot).toBeGreaterThan(lastSlot);
  await world.restart();
  await waitFor(slack, slack.room, { file: 'digest.md' });
  await quiet();
  const seen = slack.answers(slack.room);
  expect(seen.filter(({ text }) => text.startsWith('Digest:')).length).toBe(1);
  expect(seen.flatMap(({ files }) => files.map(({ name }) => name))).toEqual(['digest.md']);
  expect(world.llm.requests().filter(({ lastUser }) => lastUser.includes('Write the digest')).length).toBeLessThan(4);
});
