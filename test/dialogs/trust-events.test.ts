/** Events as platforms really deliver them: again, out of order, after a gap; and one platform's trouble is its own. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ownTime } from '../helpers/own-time.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Platform, waitFor } from '../platforms/platform.ts';
import { NAMES } from '../platforms/world.ts';
import { numbers } from './crowd.ts';
import { answersIn, openThree } from './three.ts';

it('events that come four times, out of order and again after a restart are answered once each', async () => {
  const { world, telegram, discord, slack } = await openThree();
  const texts = numbers(6).map((n) => `m${n}`);

  discord.emulator.hold();
  const said = texts.map((text) => discord.say(discord.dm('alex'), text));
  const started = discord.say(discord.room, 'in a thread', { mention: true });
  said.push(started);
  for (const _time of numbers(3)) for (const id of said) discord.emulator.redeliver(id);
  discord.emulator.release('reversed');

  slack.emulator.duplicate(true);
  slack.emulator.reverseNext(8);
  const events = texts.flatMap((text) => slack.emulator.say(slack.dm('alex').chat, text).events);
  const root = slack.emulator.say(slack.room.chat, 'in a thread', { mention: true });
  events.push(...root.events);
  for (const event of events) slack.emulator.redeliver(event);

  telegram.emulator.fault({ method: 'getUpdates', kind: 'reset-after', times: 3 });
  for (const text of texts) telegram.say(telegram.dm('alex'), text);

  const all = () => [
    ...[telegram, discord, slack].map((platform) => answersIn(platform, platform.dm('alex')).toSorted()),
    answersIn(discord, discord.answerPlace(started)),
    answersIn(slack, slack.answerPlace(root.ts)),
  ];
  const once = texts.map((text) => `re ${text}`);
  const wanted = [once, once, once, ['re in a thread'], ['re in a thread']];
  await expect.poll(all).toEqual(wanted);
  await world.restart();
  for (const id of said) discord.emulator.redeliver(id);
  for (const event of events) slack.emulator.redeliver(event);
  await quiet();
  expect(all()).toEqual(wanted);
  expect(discord.threads()).toHaveLength(1);
  expect(world.llm.requests()).toHaveLength(20);
});

it('a connection that breaks while people talk costs nothing; neither does a storm of 429 in another chat', async () => {
  await Promise.all([brokenDiscord(), brokenSlack(), storms()]);
});

async function brokenDiscord(): Promise<void> {
  const { discord } = await openThree({ on: ['discord'], discord: { heartbeatMs: 400 } });
  const { emulator } = discord;
  await through(discord, {
    'lost session': () => emulator.dropGateway({ resumable: false }),
    refused() {
      emulator.refuseReconnects(2);
      emulator.dropGateway();
    },
    asked: () => emulator.askReconnect(),
    'half open': () => emulator.stopAcks(),
  });
}

async function brokenSlack(): Promise<void> {
  const { slack } = await openThree({ on: ['slack'] });
  const { emulator } = slack;
  await through(slack, {
    dropped: () => emulator.dropSockets(),
    refresh: () => emulator.disconnect('refresh_requested'),
    frozen: () => emulator.freeze(true),
  });
}

/** Three messages in a private chat and one in a thread right after each break; all are answered once, in order. */
async function through(platform: Platform, breaks: Record<string, () => void>): Promise<void> {
  const place = platform.dm('alex');
  const thread = platform.answerPlace(platform.say(platform.room, 'root', { mention: true }));
  await waitFor(platform, thread);
  await ask(platform, place, 'at first', { text: 're at first' });
  const expected = [['re at first'], ['re root']];
  const found = () => [answersIn(platform, place), answersIn(platform, thread)];
  for (const [name, breakIt] of Object.entries(breaks)) {
    breakIt();
    for (const n of numbers(3)) {
      platform.say(place, `${name} ${n}`);
      expected[0]?.push(`re ${name} ${n}`);
    }
    platform.say(thread, `${name} there`);
    expected[1]?.push(`re ${name} there`);
    await expect.poll(found).toEqual(expected);
  }
  await quiet();
  expect(found()).toEqual(expected);
}

async function storms(): Promise<void> {
  const { telegram, discord, slack } = await openThree();
  const all = [telegram, discord, slack];
  const storm = { times: 3, retryAfter: 2 };
  const path = `/channels/${discord.dm('alex').chat}/messages`;
  discord.emulator.fault({ method: 'POST', path, kind: 'status', status: 429, ...storm });
  slack.emulator.fault({ method: 'chat.postMessage', channel: slack.dm('alex').chat, kind: '429', ...storm });
  telegram.emulator.fault({ chat: 1001, kind: 'status', ...storm });
  const from = Date.now();
  for (const platform of all) for (const n of numbers(3)) platform.say(platform.dm('alex'), `${platform.name} ${n}`);
  await expect.poll(() => all.every(({ emulator }) => (emulator.counters().statuses[429] ?? 0) > 0)).toBe(true);
  for (const platform of all) {
    for (const n of numbers(5)) {
      const at = ownTime();
      await ask(platform, platform.dm('sam'), `hi ${n}`, { by: 'sam', text: `re hi ${n}` });
      expect(ownTime() - at).toBeLessThan(1_800);
    }
  }
  for (const platform of all) {
    const place = platform.dm('alex');
    await waitFor(platform, place, { text: `re ${platform.name} 2` });
    expect(Date.now() - from).toBeGreaterThan(6_000);
    expect(answersIn(platform, place)).toEqual(numbers(3).map((n) => `re ${platform.name} ${n}`));
  }
}

/** How long the platform of the longest outage here is away; the promise is the same for any time. */
const AWAY_MS = Number(process.env.TRUST_AWAY_MS ?? 2_500);

it('an outage of one platform slows nobody else, and what was said there is answered after it', async () => {
  const { world, ...platforms } = await openThree();
  world.llm.scriptFor('slow', (request) => ({ text: `re ${request.lastUser}`, delayMs: 300 }));
  for (const name of NAMES) {
    const away = platforms[name];
    const place = away.dm('alex');
    away.say(place, `slow ${name}`);
    await world.llm.waitFor((request) => request.lastUser.includes(`slow ${name}`));
    await away.outage(true);
    const over = new AbortController();
    const others = NAMES.filter((other) => other !== name).map((other) => pulse(platforms[other], over.signal));
    // It is away for that long, and at least until the others have answered some times.
    await sleep(AWAY_MS);
    await expect.poll(() => others.every(({ took }) => took.length > 3)).toBe(true);
    over.abort();
    for (const took of await Promise.all(others.map(({ ended }) => ended))) {
      expect(took[Math.floor(took.length / 2)]).toBeLessThan(700);
      expect(took.at(-1)).toBeLessThan(3_000);
    }
    await away.outage(false);
    await waitFor(away, place, { text: `re slow ${name}` });
    await ask(away, place, `back ${name}`, { text: `re back ${name}` });
    expect(answersIn(away, place)).toEqual([`re slow ${name}`, `re back ${name}`]);
  }
});

/** Milliseconds from question to answer, again and again until told to stop; in the end the shortest first. */
function pulse(platform: Platform, signal: AbortSignal): { took: number[]; ended: Promise<number[]> } {
  const took: number[] = [];
  return { took, ended: beat(platform, signal, took) };
}

async function beat(platform: Platform, signal: AbortSignal, took: number[]): Promise<number[]> {
  while (!signal.aborted) {
    const at = ownTime();
    await ask(platform, platform.dm('sam'), `pulse ${at}`, { by: 'sam', text: `re pulse ${at}` });
    took.push(ownTime() - at);
    // People pause between two questions.
    await sleep(200);
  }
  return took.toSorted((a, b) => a - b);
}

it.each(['in order', 'in reverse'])(
  'a mention that is added by an edit on Slack, told twice %s, is answered once',
  async (order) => {
    const { world, slack } = await openThree({ on: ['slack'] });
    const { emulator, room } = slack;
    const said = emulator.say(room.chat, 'sum up the week');
    await quiet();
    if (order === 'in reverse') emulator.reverseNext(2);
    emulator.edit(room.chat, said.ts, `<@${emulator.bot.userId}> sum up the week`);
    await waitFor(slack, { ...room, thread: said.ts }, { text: 're sum up the week' });
    await quiet();
    expect(world.llm.requests()).toHaveLength(1);
  },
);

it('a private channel that gets a new id on Slack keeps the task of each of its threads', async () => {
  const { world, slack } = await openThree({ on: ['slack'] });
  const { emulator, room } = slack;
  const { ts } = emulator.say(room.chat, 'plan it', { mention: true });
  await waitFor(slack, { ...room, thread: ts }, { text: 're plan it' });
  const moved = { type: 'channel_id_changed', old_channel_id: room.chat, new_channel_id: 'C0NEW00001' };
  emulator.sendEvent({ ...moved, event_ts: '1795647470.000100' });
  const told = () => world.logs.find(({ msg }) => String(msg).includes('a group has a new id'));
  await expect.poll(told).toMatchObject({ from: room.chat, to: 'C0NEW00001' });
  const bound = fs.readdirSync(path.join(world.home, 'conversations'), { withFileTypes: true });
  const files = bound.filter((entry) => entry.isFile()).map(({ name }) => world.read(`conversations/${name}`));
  expect(files.filter((text) => text.includes('C0NEW00001') && text.includes(ts))).toHaveLength(1);
});
