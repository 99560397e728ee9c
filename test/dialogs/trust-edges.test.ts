/** Single sends whose fate is unknown, in the corners: files, parts, threads, a restart before we know who we are. */
import { expect, it, vi } from 'vitest';
import { breakSpool } from '../helpers/spool.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { numbers, outbox } from './crowd.ts';
import { answersIn, openThree } from './three.ts';

it('is cleared up for files, followups and roots of threads, and by asking when a process begins', async () => {
  await Promise.all([
    sameFileOnSlack(),
    secondPartOnDiscord(),
    lostRoot('discord'),
    lostRoot('slack'),
    restartOnSlack(),
    fullDiskOnSlack(),
  ]);
});

/** A file whose sending failed is not taken for the one before it, which has the same name and size. */
async function sameFileOnSlack(): Promise<void> {
  const { world, slack } = await openThree({ on: ['slack'] });
  world.llm.script((request) => {
    if (request.toolResults.length > 0) return { text: `re ${request.lastUser}` };
    const content = `report ${request.lastUser}`;
    const file = { title: 'report.txt', type: 'text/plain', content };
    return { toolCalls: [{ name: 'create_artifact', arguments: file }] };
  });
  const place = slack.dm('alex');
  await ask(slack, place, 'one', { file: 'report.txt' });
  slack.emulator.fault({ method: 'files.completeUploadExternal', kind: 'status', status: 502 });
  slack.say(place, 'two');
  const files = () => slack.answers(place).flatMap((seen) => seen.files.map((file) => slack.bytes(file).toString()));
  await expect.poll(files).toEqual(['report one', 'report two']);
  await expect.poll(() => outbox(world.home).out).toBe(0);
}

/** A followup for one person's eyes has no nonce: when its receipt is lost they are told, and it is not sent twice. */
async function secondPartOnDiscord(): Promise<void> {
  const { world, discord } = await openThree({ on: ['discord'], offline: true });
  const place = discord.dm('alex');
  const steps = numbers(50)
    .map((n) => `step ${n} with a lot of words that take up room in the answer`)
    .join('; ');
  await ask(discord, place, `make a plan: ${steps}`, { text: 'step 49' });
  discord.emulator.fault({ method: 'POST', path: '/webhooks/', kind: 'lostAnswer' });
  const before = discord.answers(place).length;
  await discord.command(place, 'plan');
  await waitFor(discord, place, { after: before, text: "I can't tell" });
  await expect.poll(() => outbox(world.home)).toEqual({ out: 0, unsure: 0, dead: 0 });
  const texts = discord
    .answers(place)
    .slice(before)
    .map((seen) => seen.text);
  // The last of the forty steps that are shown is in the second part.
  expect(texts.filter((text) => text.includes('step 39'))).toHaveLength(1);
}

/** A goal given by command opens one thread, also when the receipt of its first message is lost twice. */
async function lostRoot(name: 'discord' | 'slack'): Promise<void> {
  const { [name]: platform } = await openThree({ on: [name] });
  platform.fault({ kind: 'lost-answer', times: 2 });
  const thread = await platform.begin('dig a hole');
  await waitFor(platform, thread, { text: 're dig a hole' });
  await quiet();
  expect(platform.threads()).toHaveLength(1);
  expect(answersIn(platform, thread)).toEqual(['re dig a hole']);
  expect(platform.answers(platform.room).filter((seen) => seen.text.includes('dig a hole'))).toHaveLength(1);
}

/** Sending begins before Slack has said who we are: what is ours cannot be told then. */
async function restartOnSlack(): Promise<void> {
  const { world, slack } = await openThree({ on: ['slack'] });
  const place = slack.dm('alex');
  slack.fault({ kind: 'lost-answer', times: 1 });
  slack.say(place, 'once');
  await waitFor(slack, place, { text: 're once' });
  slack.emulator.fault({ method: 'auth.test', kind: 'delay', delayMs: 2_500, times: 3 });
  await world.restart();
  await expect.poll(() => outbox(world.home).out).toBe(0);
  expect(answersIn(slack, place)).toEqual(['re once']);
}

/** Found after a gap while nothing could be stored: looked for again, whatever was said and taken in meanwhile. */
async function fullDiskOnSlack(): Promise<void> {
  const { world, slack } = await openThree({ on: ['slack'] });
  const place = slack.dm('alex');
  await ask(slack, place, 'zero', { text: 're zero' });
  for (const text of ['one', 'two']) slack.emulator.say(place.chat, text, { deliver: false });
  const mend = breakSpool(world.home);
  slack.emulator.dropSockets();
  await slack.emulator.called('conversations.history');
  await expect.poll(mend.refused).toBeGreaterThan(0);
  mend();
  slack.say(place, 'three');
  await waitFor(slack, place, { text: 're three' });
  const all = ['re one', 're three', 're two', 're zero'];
  await expect.poll(() => answersIn(slack, place).toSorted()).toEqual(all);
}

it('is cleared up on Discord also when the nonce is forgotten: minutes later, or by a process that begins', async () => {
  const { world, discord } = await openThree({ on: ['discord'], discord: { nonceMs: 1 } });
  const place = discord.dm('alex');
  const real = Date.now;
  const later = vi.spyOn(Date, 'now');
  try {
    discord.fault({ kind: 'lost-answer', times: 1 });
    discord.say(place, 'minutes');
    await waitFor(discord, place, { text: 're minutes' });
    later.mockImplementation(() => real() + 400_000);
    await ask(discord, place, 'next', { text: 're next' });
    expect(answersIn(discord, place)).toEqual(['re minutes', 're next']);

    discord.fault({ kind: 'lost-answer', times: 1 });
    discord.say(place, 'restart');
    await waitFor(discord, place, { text: 're restart' });
    await world.stop();
    later.mockImplementation(() => real() + 800_000);
    discord.emulator.refuseReconnects(1);
    await world.restart();
    await expect.poll(() => outbox(world.home).out).toBe(0);
    expect(answersIn(discord, place)).toEqual(['re minutes', 're next', 're restart']);
  } finally {
    later.mockRestore();
  }
});
