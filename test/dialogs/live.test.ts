/** What people see while a run goes on, on each platform, and that it never keeps an answer waiting. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import * as discordLive from '../../src/channels/discord/live/live.ts';
import * as slackLive from '../../src/channels/slack/options.ts';
import * as telegramLive from '../../src/channels/telegram/adapter.ts';
import { ALEX, startBench as startTelegramBench } from '../channels/telegram/harness.ts';
import type { Llm } from '../emulators/llm.ts';
import { eventually } from '../helpers/eventually.ts';
import { ownTime } from '../helpers/own-time.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { NAMES, openPlatforms, type PlatformName } from '../platforms/world.ts';
import { createLoad } from './live-load.ts';

const TELEGRAM = { ...telegramLive.LIVE_TIMING };
const QUICK = { statusAfter: 150, statusEvery: 100, textEvery: 100 };

/** Places of the gateways in this file show progress soon. */
beforeAll(() => {
  Object.assign(telegramLive.LIVE_TIMING, QUICK, { chatGap: 100, groupGap: 100 });
  Object.assign(discordLive.LIVE_TIMING, QUICK, { gap: 100 });
  Object.assign(slackLive.LIVE_TIMING, QUICK, { gap: 100 });
});

const STEPS = ['one', 'two', 'three', 'four', 'five'].map((title, index) => ({
  id: String(index + 1),
  title,
  status: index < 2 ? 'done' : 'pending',
}));

/** How `**bold** <!channel>` reads where each character stands for itself: Slack shows no joiners, Discord no backslashes. */
const HOSTILE_SHOWN: Record<PlatformName, string> = {
  telegram: '**bold** <!channel>',
  discord: '\\*\\*bold\\*\\* \\<!channel>',
  slack: '\u2060**\u2060bold\u2060**\u2060 <!channel>',
};

/** A model that plans, then writes a file, then takes its time. */
function working(llm: Llm, text = 'All done.', delayMs = 500): void {
  llm.script(({ toolResults }) => {
    const plan = { goal: 'Five things', steps: STEPS };
    if (toolResults.length === 0) return { toolCalls: [{ name: 'update_plan', arguments: { plan } }] };
    if (toolResults.length > 1) return { text, delayMs };
    const file = { title: 'notes.md', type: 'text/markdown', content: 'x' };
    return { toolCalls: [{ name: 'create_artifact', arguments: file }], delayMs: 500 };
  });
}

const now = (platform: Platform, place: Place) =>
  platform.answers(place).map(({ text, buttons }) => `${text} [${buttons.join()}]`);

async function open(name: PlatformName, channel: Record<string, unknown> = { live: 'status' }) {
  const { world, platform } = await openChat({ channel }, name);
  return { world, platform, place: platform.dm('alex') };
}

describe('the answer as it grows', () => {
  it('on Discord is edited, and no block is ever seen', async () => {
    const { world, platform, place } = await open('discord', { live: 'text' });
    const block = '```artifact_deltas\n[{"title":"data.csv","type":"text/csv","content":"a,b"}]\n```';
    const text = `Here is **all of it**.\n\n${block}\n\nKim has the table. <memory_suggestion>Likes CSV</memory_suggestion> Bye, everybody!`;
    const chunks = text.match(/[\s\S]{1,6}/g) ?? [];
    world.llm.script(() => ({ chunks, chunkDelayMs: 40 }));
    const seen = new Set<string>();
    const watching = setInterval(() => {
      for (const line of now(platform, place)) seen.add(line);
    }, 10);
    platform.say(place, 'go');
    await waitFor(platform, place, { text: /everybody!/ });
    clearInterval(watching);
    const drafts = [...seen].filter((line) => line.endsWith('[Stop]'));
    expect(drafts.length).toBeGreaterThan(1);
    for (const line of drafts) expect(line).not.toMatch(/artifact_deltas|memory_sugg|data\.csv|Likes/);
  });
});

describe.each(onEveryPlatform)('on %s', (name) => {
  it('one message tells how far it is and which step is at work, with a button to stop, and becomes the answer', async () => {
    const { world, platform, place } = await open(name);
    working(world.llm);
    platform.say(place, 'go');
    const status = await waitFor(platform, place, { text: /Working \(2\/5\): (thinking|updating the plan)/ });
    expect(status.buttons).toEqual(['Stop']);
    const answer = await waitFor(platform, place, { text: 'All done.' });
    expect(answer.id).toBe(status.id);
    expect(answer.buttons).toEqual([]);
    expect(now(platform, place).join()).not.toContain('Working');

    // The step at work is named, and its title can neither mention nor format nor look like a button.
    let title = 'Write the report';
    let seen = Promise.withResolvers<void>();
    world.llm.script(({ toolResults }) => {
      const steps = [
        { id: '1', title: 'Left out', status: 'skipped' },
        { id: '2', title: 'Read', status: 'done' },
        { id: '3', title, status: 'in_progress' },
        { id: '4', title: 'Send it', status: 'pending' },
      ];
      if (toolResults.length > 0) return { text: 'All done.', after: seen.promise };
      return { toolCalls: [{ name: 'update_plan', arguments: { plan: { goal: 'A report', steps } } }] };
    });
    platform.say(place, 'go on');
    await waitFor(platform, place, { text: 'Working on step 2 of 3, Write the report: ' });
    seen.resolve();
    await waitFor(platform, place, { text: 'All done.', count: 2 });
    seen = Promise.withResolvers();
    title = '**bold** <!channel> <@U1> @everyone [x](https://evil.example)';
    const after = platform.answers(place).length;
    platform.say(place, 'again');
    const hostile = await waitFor(platform, place, { after, text: `Working on step 2 of 3, ${HOSTILE_SHOWN[name]}` });
    expect(hostile.buttons).toEqual(['Stop']);
    expect(hostile.text).not.toMatch(/<@|@everyone/);
    seen.resolve();
    await waitFor(platform, place, { after, text: 'All done.' });
  });

  it('the button stops the run: within a second, with one answer, and the message goes', async () => {
    const { world, platform, place } = await open(name);
    working(world.llm, 'never', 20_000);
    platform.say(place, 'go');
    await waitFor(platform, place, { text: /Working/ });
    const pressed = ownTime();
    await platform.press(place, 'Stop');
    await waitFor(platform, place, { text: 'Stopped' });
    expect(ownTime() - pressed).toBeLessThan(1000);
    await quiet();
    const left = now(platform, place);
    expect(left).toHaveLength(1);
    expect(left[0]).toMatch(/^Stopped.*\[\]$/);
  });

  it('a stop of the gateway in the middle of a run leaves no status behind; /live off shows nothing, also after a restart', async () => {
    const { world, platform, place } = await open(name);
    working(world.llm, 'All done.', 1_000);
    platform.say(place, 'go');
    await waitFor(platform, place, { text: /Working/ });
    await world.restart();
    await waitFor(platform, place, { text: 'All done.' });
    await eventually(() => expect(now(platform, place).join()).not.toMatch(/Working|Stop/));

    expect((await platform.command(place, 'live')).text).toContain(
      '**status**'.replaceAll(name === 'slack' ? '\0' : '*', ''),
    );
    expect((await platform.command(place, 'live', 'off')).text).toContain('off');
    await world.restart();
    const seen: string[] = [];
    const watching = setInterval(() => seen.push(...now(platform, place)), 5);
    working(world.llm, 'Quiet answer.', 300);
    platform.say(place, 'go');
    await waitFor(platform, place, { text: 'Quiet answer.' });
    clearInterval(watching);
    expect(seen.join()).not.toContain('Working');
  });
});

it('a crash leaves no status behind: the message goes on and becomes the answer', async () => {
  const world = await openPlatforms({ process: true, channel: { live: 'status' } });
  world.llm.script(() => ({ text: 'too late', delayMs: 60_000 }));
  const places = NAMES.map((name) => ({ platform: world.platforms[name], place: world.platforms[name].dm('alex') }));
  for (const { platform, place } of places) platform.say(place, 'go');
  const shown = await Promise.all(places.map(({ platform, place }) => waitFor(platform, place, { text: 'Working' })));
  // A message whose receipt never came cannot be known again.
  const cache = new DatabaseSync(path.join(world.home, 'cache', 'cache.sqlite'), { readOnly: true });
  const kept = cache.prepare("SELECT count(*) AS n FROM cache WHERE key LIKE '%live.%'");
  await eventually(() => expect(kept.get()).toMatchObject({ n: NAMES.length }));
  cache.close();
  world.llm.script(() => ({ text: 'All done.' }));
  await world.kill();
  const answers = await Promise.all(
    places.map(({ platform, place }) => waitFor(platform, place, { text: 'All done.' })),
  );
  expect(answers.map(({ id }) => id)).toEqual(shown.map(({ id }) => id));
  for (const { platform, place } of places) expect(now(platform, place)).toEqual(['All done. []']);
});

describe('under enforced limits', () => {
  /** How much faster than the platform's is the clock of the test. Whoever is limited waits for a second of our own. */
  const SCALE = 40;
  const GROUPS = [-1001, -1002, -1003, -1004, -1005, -1006, -1007, -1008, -1009];
  const TASKS = 20;

  /** Groups with a topic for each task, and Telegram's limits on a clock that is faster. */
  async function openGroups(
    timing: telegramLive.LiveTiming,
    scale: number,
    groups: number[],
    live: 'status' | 'off' = 'status',
  ) {
    const bench = await startTelegramBench({ live, timing: { live: timing } });
    const { telegram, channel } = bench;
    await bench.connect();
    telegram.say(ALEX, 'hi');
    telegram.rate({ perChatSecond: scale, chatBurst: 3, perGroupMinute: 20 * scale, perSecond: 30 * scale });
    const places = groups.flatMap((id) => {
      telegram.addChat({ id, type: 'supergroup', title: 'Team', is_forum: true });
      const topics = Array.from({ length: TASKS }, (_, n) => String(telegram.topic(id, `Task ${n}`)));
      return topics.map((thread) => ({ channel: 'telegram', account: channel.account, chat: String(id), thread }));
    });
    const load = createLoad(channel);
    return { telegram, channel, places, load, edits: () => telegram.counters().methods.editMessageText ?? 0 };
  }

  const scaled = (scale: number): telegramLive.LiveTiming => ({
    ...TELEGRAM,
    typingAfter: 1e6,
    statusAfter: TELEGRAM.statusAfter / scale,
    statusEvery: TELEGRAM.statusEvery / scale,
    // What is enforced is the limit of a chat; that of a minute in a group is a third of it.
    groupGap: TELEGRAM.chatGap / scale,
    longRun: TELEGRAM.longRun / scale,
  });

  it('1,000 edits for 20 tasks in each of nine groups meet no limit and keep no answer waiting', async () => {
    const { telegram, places, load, edits } = await openGroups(scaled(SCALE), SCALE, GROUPS);
    const until = Date.now() + 90_000;
    // Answers are edits too, some of them, and those to come are not counted yet.
    const isEnough = () => edits() - load.delays.length >= 1000 + places.length || Date.now() > until;
    await Promise.all(
      GROUPS.map(async (id) => {
        const free = places.filter(({ chat }) => chat === String(id));
        const runs = free.splice(0).map((place) => ({ place, run: load.begin(place) }));
        // An answer every 10 s of the platform's clock, in turn to a run that was long and to one that was short.
        for (let n = 0; !isEnough(); n++) {
          // Runs end at this pace.
          await sleep(10_000 / SCALE);
          const ended = n % 2 === 0 ? runs.shift() : runs.pop();
          if (!ended) continue;
          await ended.run.end();
          runs.push({ place: ended.place, run: load.begin(ended.place) });
        }
        for (const { run } of runs) {
          await run.end();
          // Runs end at this pace.
          await sleep(2000 / SCALE);
        }
      }),
    );
    await load.settled();
    expect(edits() - load.delays.length).toBeGreaterThanOrEqual(1000);
    expect(load.delays.length).toBeGreaterThanOrEqual(places.length);
    expect([load.retries(), Math.max(...load.delays) < 900]).toEqual([0, true]);
    expect(telegram.counters().violations).toBeLessThanOrEqual(5);
  });

  it('without a pace they would', async () => {
    const reckless = { ...scaled(SCALE), groupGap: 0 };
    const { telegram, places, load } = await openGroups(reckless, SCALE, GROUPS.slice(0, 1));
    const runs = places.map((place) => load.begin(place));
    await eventually(() => expect(telegram.counters().violations).toBeGreaterThan(0));
    telegram.rate(false);
    await Promise.all(runs.map((run) => run.end()));
    await load.settled();
  });

  it('six answers at once to a chat of 20 tasks come no more than 2 s later than with nothing shown', async () => {
    const timing = { ...TELEGRAM, typingAfter: 1e6, statusAfter: 300 };
    const worlds = await Promise.all((['status', 'off'] as const).map((live) => openGroups(timing, 1, [], live)));
    const delays = await Promise.all(
      worlds.map(async ({ channel, load }) => {
        const place = { channel: 'telegram', account: channel.account, chat: String(ALEX) };
        const runs = Array.from({ length: TASKS }, () => load.begin(place));
        // The edits of so many runs come to the platform's limit.
        await sleep(4700);
        await Promise.all(runs.slice(10, 16).map((run) => run.end()));
        await load.settled();
        return load.delays.toSorted((a, b) => a - b);
      }),
    );
    const [shown = [], hidden = []] = delays;
    expect(
      worlds[0]?.telegram.chat(ALEX).messages.filter(({ text }) => text.startsWith('Working')).length,
    ).toBeGreaterThan(1);
    expect([shown.length, hidden.length]).toEqual([6, 6]);
    for (const [index, ms] of shown.entries()) expect(ms - (hidden[index] ?? 0)).toBeLessThanOrEqual(2000);
  });
});
