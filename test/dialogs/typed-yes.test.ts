/** A yes that is typed is as good as the button: for the one open question, in its conversation, by somebody who may decide. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openWire } from '../board/wire.ts';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { PROGRAM } from '../helpers/program.ts';
import { letTimePass } from '../kit/kit.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { type ChannelName, openPlatforms, type PlatformWorld, type PlatformWorldOptions } from '../platforms/world.ts';
import { openWorld } from './harness.ts';

const job = (name: string, schedule = 'tomorrow at 9'): ToolCall => ({
  name: 'create_scheduled_job',
  arguments: { name, schedule, prompt: `Remind Alex to ${name}` },
});

/** "remind NAME [WHEN]" asks for a job; anything else is answered. */
function script({ lastUser, toolResults }: LlmRequest): Turn {
  if (toolResults.length > 0) return { text: `I was told: ${toolResults.at(-1)}` };
  const [, name, when] = /remind (\w+)(?: (.+))?$/.exec(lastUser) ?? [];
  return name ? { toolCalls: [job(name, when)] } : { text: `re ${lastUser}` };
}

const jobs = ({ home }: PlatformWorld): string[] => {
  const folder = path.join(home, 'jobs');
  return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
};

async function open(on: readonly ChannelName[] = ['loopback'], more: PlatformWorldOptions = {}) {
  const config = { jobs: { timezone: 'Europe/Berlin' } };
  const world = await openPlatforms({ on, channel: { live: 'off' }, config, ...more });
  world.llm.script(script);
  return world;
}

const answer = async (platform: Platform, place: Place, text: string, expected: string | RegExp) => {
  const after = platform.answers(place).length;
  platform.say(place, text);
  return waitFor(platform, place, { after, text: expected });
};

describe('typed', () => {
  it('a yes and a no that are typed decide the one question that is open; other words leave it open', async () => {
    const world = await open();
    const platform = world.platforms.loopback;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'remind milk', { text: 'milk' });
    await answer(platform, dm, 'and how are you?', 're ');
    expect(jobs(world)).toEqual([]);
    await answer(platform, dm, 'Ja bitte!', 'I was told');
    expect(jobs(world)).toEqual(['milk.yaml']);
    // With nothing open they are words like any other.
    await answer(platform, dm, 'yes', /^re [\s\S]*yes/);
    await ask(platform, dm, 'remind bread', { text: 'bread' });
    await answer(platform, dm, 'no, thanks', /said no/);
    expect(jobs(world)).toEqual(['milk.yaml']);
  });

  it('a task that waits for its answer is listed as waiting, not as at work', async () => {
    const world = await open();
    const platform = world.platforms.loopback;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'remind milk', { text: 'milk' });
    const waiting = (await platform.command(dm, 'tasks')).text;
    expect(waiting).toContain('waiting for you');
    expect(waiting).not.toContain('at work');
    await answer(platform, dm, 'yes', 'I was told');
    await expect.poll(async () => (await platform.command(dm, 'tasks')).text).toContain('done');
  });

  it('with two open questions it asks which; a reply, or the button, says it', async () => {
    const world = await open();
    const platform = world.platforms.loopback;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'remind milk', { text: 'milk' });
    await ask(platform, dm, 'remind bread', { text: 'bread' });
    await answer(platform, dm, 'yes', 'more than one thing');
    expect(jobs(world)).toEqual([]);
    await platform.press(dm, 'No');
    await expect.poll(() => platform.answers(dm).filter(({ text }) => text.includes('said no')).length).toBe(1);
    await answer(platform, dm, '👍', 'I was told');
    expect(jobs(world)).toEqual(['milk.yaml']);
  });

  it('what changes the same matter is asked in the place of the older question', async () => {
    const world = await open();
    const platform = world.platforms.loopback;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'remind milk', { text: '09:00' });
    await ask(platform, dm, 'rather remind milk tomorrow at 10', { text: '10:00' });
    await answer(platform, dm, 'ok', 'I was told');
    expect(world.read('jobs/milk.yaml')).toMatch(/T0[89]:00:00Z/);
    expect(jobs(world)).toEqual(['milk.yaml']);
  });
});

it('with a second question that its reader may have, and of which the platform has not told us yet, it asks which', async () => {
  const slack = await slackPlatform();
  const world = await open(['slack'], { given: { slack } });
  const dm = slack.dm('alex');
  await ask(slack, dm, 'remind milk', { text: 'milk' });
  slack.emulator.fault({ method: 'chat.postMessage', kind: 'lateAnswer', delayMs: 4_000 });
  await ask(slack, dm, 'remind bread', { text: 'bread' });
  await answer(slack, dm, 'yes', 'more than one thing');
  expect(jobs(world)).toEqual([]);
});

it('a yes whose id on Discord differs from that of its question in the last digits alone is a yes', async () => {
  const world = await open(['discord']);
  const { discord } = world.platforms;
  const dm = discord.dm('alex');
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  onTestFinished(() => now.mockRestore());
  await ask(discord, dm, 'remind milk', { text: 'milk' });
  const after = discord.answers(dm).length;
  discord.say(dm, 'yes');
  now.mockRestore();
  await waitFor(discord, dm, { after, text: 'I was told' });
  expect(jobs(world)).toEqual(['milk.yaml']);
});

it('a yes in a linked direct message is a yes; in another conversation it is none', async () => {
  const world = await open(['telegram', 'discord']);
  const { telegram, discord } = world.platforms;
  const [phone, desk] = [telegram.dm('alex'), discord.dm('alex')];
  const thread = discord.answerPlace(discord.say(discord.room, 'hello', { mention: true }));
  await waitFor(discord, thread, { text: 're ' });
  await ask(telegram, phone, 'remind milk', { text: 'milk' });
  await answer(discord, thread, 'yes', /^re [\s\S]*yes/);
  expect(jobs(world)).toEqual([]);
  await answer(discord, desk, 'yes', 'I was told');
  expect(jobs(world)).toEqual(['milk.yaml']);
});

it('a yes by somebody who may not decide is none', async () => {
  const world = await open(['slack'], { linked: false });
  const { slack } = world.platforms;
  const thread = slack.answerPlace(slack.say(slack.room, 'remind milk', { mention: true }));
  await waitFor(slack, thread, { text: 'milk' });
  const after = slack.answers(thread).length;
  slack.say(thread, 'yes', { by: 'sam', mention: true });
  await waitFor(slack, thread, { after, text: /^re [\s\S]*yes/ });
  expect(jobs(world)).toEqual([]);
  await answer(slack, thread, 'yes', 'I was told');
  expect(jobs(world)).toEqual(['milk.yaml']);
});

it('a yes holds over a crash before it, counts once when it comes twice, and an edit into one is none', async () => {
  const world = await open(['slack'], { process: true });
  const { slack } = world.platforms;
  const dm = slack.dm('alex');
  await ask(slack, dm, 'remind milk', { text: 'milk' });
  const id = slack.say(dm, 'hm');
  await waitFor(slack, dm, { text: 're ' });
  slack.edit(dm, id, 'yes');
  await waitFor(slack, dm, { text: /re [\s\S]*yes/ });
  expect(jobs(world)).toEqual([]);
  await world.kill();
  const after = slack.answers(dm).length;
  const yes = slack.say(dm, 'yes');
  slack.redeliver(yes, dm);
  await waitFor(slack, dm, { after, text: 'I was told' });
  await world.kill();
  expect(jobs(world)).toEqual(['milk.yaml']);
  expect(slack.answers(dm).filter(({ text }) => text.includes('I was told'))).toHaveLength(1);
});

it('a yes that was typed before the question stood there is none', async () => {
  const world = await open(undefined, { channel: { live: 'off', injection: 'followup' } });
  const platform = world.platforms.loopback;
  const dm = platform.dm('alex');
  const [asked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.llm.script(async (request) => {
    if (request.toolResults.length > 0 || !request.lastUser.includes('remind milk')) return script(request);
    asked.resolve();
    await told.promise;
    return script(request);
  });
  platform.say(dm, 'remind milk');
  await asked.promise;
  platform.say(dm, 'yes');
  told.resolve();
  await waitFor(platform, dm, { text: 'milk' });
  // The word is answered as a message of its own, and the question is open as before.
  await waitFor(platform, dm, { text: /^re [\s\S]*yes/ });
  expect(jobs(world)).toEqual([]);
  await answer(platform, dm, 'yes', 'I was told');
  expect(jobs(world)).toEqual(['milk.yaml']);
});

it('a yes to a question whose time is up does nothing, and its writer is answered', async () => {
  const world = await open(['telegram']);
  const { telegram } = world.platforms;
  const dm = telegram.dm('alex');
  await ask(telegram, dm, 'remind milk', { text: 'milk' });
  await world.stop();
  letTimePass(world);
  await world.restart();
  await answer(telegram, dm, 'yes', /^re [\s\S]*yes/);
  expect(jobs(world)).toEqual([]);
});

it('a yes on the Board and in the terminal is as good as the button there', async () => {
  const token = 'the-token-of-the-owner';
  const { app, llm, home } = await openWorld({ config: { http: { port: 0, token } } });
  // From here nobody can be written to first.
  const deliver = ['telegram:1001'];
  llm.script((request) => {
    const turn = script(request);
    const call = turn.toolCalls?.[0];
    return call ? { toolCalls: [{ ...call, arguments: { ...Object(call.arguments), deliver } }] } : turn;
  });
  const made = () => fs.readdirSync(path.join(home, 'jobs')).sort();
  const wire = await openWire(app.port, token);
  onTestFinished(() => wire.socket.terminate());
  const { taskId } = await wire.command({ type: 'task:submit', goal: 'remind milk', messages: [] });
  await wire.until(({ type }) => type === 'approval:asked');
  await wire.command({ type: 'task:message', taskId, message: 'Yes, please.' });
  await expect.poll(made).toEqual(['milk.yaml']);
  // Through the machine's own door, by which `viber chat` talks.
  const child = spawn(process.execPath, [PROGRAM, 'chat', '--home', home], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += String(chunk);
  });
  child.stdin.write('remind bread\n');
  await expect.poll(() => out).toContain('bread');
  await expect.poll(() => out).toContain('expires in');
  child.stdin.write('👍\n');
  await expect.poll(made).toEqual(['bread.yaml', 'milk.yaml']);
});
