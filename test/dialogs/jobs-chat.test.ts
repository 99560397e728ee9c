/** Scheduled jobs from the chats: asked for, confirmed with their next times, fired, answered where they were asked for. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sendAndWait as askSocket } from '../../src/cli/ask.ts';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { type ManualClock, manualClock } from '../jobs/manual-clock.ts';
import { onEveryPlatform, openChat, press as pressNewest } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Place, type Platform, waitFor, wholeQuestion } from '../platforms/platform.ts';
import type { ChannelName, PlatformWorld, PlatformWorldOptions } from '../platforms/world.ts';
import { openWorld, type World } from './harness.ts';

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

/** Monday, 10:00 in Berlin. */
async function open(options: PlatformWorldOptions = {}, on?: ChannelName): Promise<Chat> {
  const clock = manualClock('2026-01-12T09:00:00Z');
  const { config, ...rest } = options;
  const { world, platform } = await openChat(
    { clock, channel: { live: 'off' }, ...rest, config: { jobs: { timezone: 'Europe/Berlin' }, ...config } },
    on,
  );
  if (!platform.hasThreads) return { world, platform, clock, place: platform.dm('alex') };
  const place = platform.answerPlace(platform.say(platform.room, 'hello', { mention: true }));
  await waitFor(platform, place);
  return { world, platform, clock, place };
}

const press = ({ platform, place }: Chat, label: string, text: string | RegExp) =>
  pressNewest(platform, place, label, text);

/** Asks for a job and approves it. */
async function make(chat: Chat, fields: object = {}): Promise<void> {
  chat.world.llm.script(calls(creating(fields)));
  await ask(chat.platform, chat.place, 'send me a digest on weekdays', { text: 'Do this every' });
  await press(chat, 'Yes', 'I was told');
}

/** The run has been noted: the next slot does not find it at work. */
const ended = ({ world }: Chat) =>
  expect.poll(() => JSON.parse(world.read('spool/jobs/digest.json')).lastRun?.state).toBe('completed');

const fileOf = ({ world }: Chat, id = 'digest') => parse(world.read(`jobs/${id}.yaml`));
const files = ({ world }: { world: Pick<World, 'home'> }) => fs.readdirSync(path.join(world.home, 'jobs')).sort();
const written = ({ platform, place: { chat, thread } }: Chat) =>
  `${platform.name}:${chat}${thread === undefined ? '' : `:${thread}`}`;

describe.each(onEveryPlatform)('a job asked for on %s', (name) => {
  it('is shown with its next times, made once approved, and its digests come to that conversation', async () => {
    const chat = await open({}, name);
    const { world, platform, place, clock } = chat;
    world.llm.script(calls(creating()));
    const asked = await ask(platform, place, 'send me a digest on weekdays at 9', { text: 'Do this every' });
    expect(asked.text).toContain('Do this every weekday at 09:00 (Berlin time), until you stop it: Write the digest?');
    const shown = await wholeQuestion(platform, place, asked);
    expect(shown).toContain('Europe/Berlin');
    expect(shown).toContain('this conversation');
    for (const day of ['Tue, 13 Jan 2026', 'Wed, 14 Jan 2026', 'Thu, 15 Jan 2026']) expect(shown).toContain(day);
    expect(asked.buttons.slice(0, 3)).toEqual(['Yes', 'Another time', 'No']);
    expect(files(chat)).toEqual([]);
    const done = await press(chat, 'Yes', 'I was told');
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
    await ended(chat);
    await clock.advanceTo('2026-01-14T08:00:05Z', pause);
    await waitFor(platform, place, { text: /^Digest:/, count: 2 });
    await quiet();
    expect(digests()).toBe(2);
    // The conversation goes on with its own task, which is shown them, and the list of tasks is of those that people have begun.
    world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
    await ask(platform, place, 'thanks', { text: /^re [\s\S]*Digest: all is well\.[\s\S]*thanks/ });
    const listed = await platform.command(platform.dm('alex'), 'tasks');
    expect(listed.text).not.toContain(' Digest');
    expect((await platform.command(platform.dm('alex'), 'tasks', 'all')).text).toContain(' Digest');
  });
});

describe('a job asked for', () => {
  it('is listed, run, paused, resumed and deleted by command and button', async () => {
    const chat = await open();
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
    await ended(chat);
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
    const { world, platform } = await open();
    world.llm.script(calls(creating()));
    const dm = platform.dm('sam');
    const told = await ask(platform, dm, 'every day at 9, send me a digest', { by: 'sam', text: 'I was told' });
    expect(told.text).toContain('Only an owner of this bot may schedule jobs; ask one of them.');
    expect((await platform.command(dm, 'jobs', '', 'sam')).text).toMatch(/You may not use \/(viber )?jobs here/);
  });
});

describe('a job asked for at the machine, where nobody can be written to first', () => {
  const calling = creating({ prompt: 'Remind me to buy milk', schedule: 'tomorrow 9am' });
  const said = async (world: World, text: string) => {
    const socket = path.join(world.home, 'run/gateway.sock');
    return (await askSocket(socket, { chat: 'c', text }, () => undefined)).text;
  };

  it('goes to the direct messages of its owner, and says so', async () => {
    const world = await openWorld();
    await world.ask('hello');
    world.llm.script(calls(calling));
    const asked = await said(world, 'remind me tomorrow');
    expect(asked).toContain('buy milk? The result goes to `telegram:1001`.');
    expect(asked).not.toContain('this conversation');
    const [question = ''] = fs.readdirSync(path.join(world.home, 'access/approvals'));
    await said(world, `/approve ${path.basename(question, '.json')} yes`);
    await expect.poll(() => files({ world })).toEqual(['digest.yaml']);
    expect(parse(world.read('jobs/digest.yaml')).deliver).toEqual(['telegram:1001']);
  });

  it('is not made while nobody can be reached, and one is asked where it is to go', async () => {
    const world = await openWorld();
    world.llm.script(calls(calling));
    expect(await said(world, 'remind me tomorrow')).toContain('Tell me where it should go, for example telegram:1001');
  });
});

describe('what is asked for wrongly', () => {
  it('is refused in plain sentences before anybody is asked', async () => {
    const chat = await open(
      {
        config: { jobs: { timezone: 'Europe/Berlin', max: 1 } },
        files: { 'jobs/taken.yaml': JSON.stringify({ name: 'Taken', schedule: '0 9 * * *', prompt: 'x' }) },
      },
      'telegram',
    );
    const { world, platform, place } = chat;
    const refused = async (fields: object): Promise<string> => {
      world.llm.script(calls(creating(fields)));
      return (await ask(platform, place, 'schedule it', { text: 'I was told' })).text;
    };
    expect(await refused({ schedule: 'every minute' })).toContain('every 5 minutes at most (jobs.minMinutes)');
    expect(await refused({ schedule: '*/7 * * * *' })).toContain('too often');
    expect(await refused({ timezone: 'Mars/Base' })).toContain('"Mars/Base" isn\'t a time zone I know');
    expect(await refused({ schedule: '25am' })).toContain('25am');
    expect(await refused({ deliver: ['telegram:6666'] })).toContain('that person has no access');
    expect(await refused({ deliver: ['telegram:-100777'] })).toContain('channels.telegram.access.chats');
    expect(await refused({ deliver: ['discord:99'] })).toContain('discord of discord:99 is not on');
    expect(await refused({ deliver: ['nowhere'] })).toContain("isn't an address");
    expect(await refused({ name: 'taken' })).toContain('There is a job');
    expect(await refused({ name: 'x\ny' })).toContain('name');
    expect(await refused({ prompt: ' ' })).toContain('prompt');
    expect(files(chat)).toEqual(['taken.yaml']);
    await make(chat);
    expect(await refused({ name: 'Another' })).toContain('There is one job made in chats already (jobs.max)');
    expect(files(chat)).toEqual(['digest.yaml', 'taken.yaml']);
  });

  it('lists and deletes by the tools, deleting only with consent', async () => {
    const chat = await open({ config: { jobs: { timezone: 'UTC' } } }, 'telegram');
    const { world, platform, place } = chat;
    await make(chat);
    world.llm.script(calls({ name: 'list_scheduled_jobs', arguments: {} }));
    expect((await ask(platform, place, 'which jobs?', { text: 'I was told' })).text).toContain('"name":"Digest"');
    world.llm.script(calls({ name: 'delete_scheduled_job', arguments: { name: 'nothing' } }));
    expect((await ask(platform, place, 'delete it', { text: 'I was told' })).text).toContain('no job nothing');
    world.llm.script(calls({ name: 'delete_scheduled_job', arguments: { name: 'Digest' } }));
    const asked = await ask(platform, place, 'delete the digest', { text: 'Delete Digest' });
    expect(asked.text).toContain('every weekday at 09:00');
    expect(files(chat)).toEqual(['digest.yaml']);
    await press(chat, 'Yes', 'I was told');
    expect(files(chat)).toEqual([]);
  });
});

describe('a job made in a chat', () => {
  it('keeps what somebody writes into its file', async () => {
    const chat = await open({}, 'telegram');
    const { world, platform, place, clock } = chat;
    await make(chat);
    const file = path.join(world.home, 'jobs', 'digest.yaml');
    fs.writeFileSync(file, world.read('jobs/digest.yaml').replace('every weekday at 9', 'every day at 7:15'));
    await expect.poll(async () => (await platform.command(place, 'jobs')).text).toContain('07:15');
    await clock.advanceTo('2026-01-13T06:15:05Z', pause);
    await waitFor(platform, place, { text: /^Digest:/ });
  });

  it('does not run once whoever made it is no owner any more, and the owners are told once', async () => {
    const people = (role: string) => [
      { name: 'alex', role, ids: ['telegram:1001'] },
      { name: 'sam', role: 'owner', ids: ['telegram:1002'] },
    ];
    const chat = await open({ config: { people: people('owner') } }, 'telegram');
    const { world, platform, clock } = chat;
    const sam = platform.dm('sam');
    await ask(platform, sam, 'hello', { by: 'sam' });
    await make(chat);
    const config = JSON.parse(world.read('config.json'));
    fs.writeFileSync(path.join(world.home, 'config.json'), JSON.stringify({ ...config, people: people('member') }));
    await world.restart();
    await platform.command(sam, 'jobs', '', 'sam');
    for (const day of [13, 14, 15]) {
      await clock.advanceTo(`2026-01-${day}T08:00:05Z`, pause);
      await quiet();
    }
    await waitFor(platform, sam, { text: 'is no longer an owner' });
    expect(platform.answers(sam).filter(({ text }) => text.includes('no longer an owner'))).toHaveLength(1);
    expect(platform.answers(chat.place).some(({ text }) => text.startsWith('Digest:'))).toBe(false);
    expect((await platform.command(sam, 'jobs', 'run digest', 'sam')).text).toContain('is no longer an owner');
  });

  it('is answered like any message: the words of a digest that is replied to reach the model', async () => {
    const chat = await open({}, 'telegram');
    const { world, platform, place, clock } = chat;
    await make(chat);
    await clock.advanceTo('2026-01-13T08:00:05Z', pause);
    const digest = await waitFor(platform, place, { text: /^Digest:/ });
    world.llm.script(({ lastUser }) => ({ text: `read ${lastUser.includes('all is well')}` }));
    await ask(platform, place, 'what does that mean?', { replyTo: digest.id, text: 'read true' });
  });

  it('leaves a task that somebody may take over, and that is theirs from then on', async () => {
    const chat = await open({}, 'telegram');
    const { world, platform, place } = chat;
    await make(chat);
    await platform.command(place, 'jobs', 'run digest');
    await waitFor(platform, place, { text: /^Digest:/ });
    const id = world.tasks().find((task) => world.read(`artifacts/${task}/task.json`).includes('"job"')) ?? '';
    await platform.command(place, 'open', id);
    world.llm.script(({ messages }) => ({ text: `knows ${JSON.stringify(messages).includes('all is well')}` }));
    await ask(platform, place, 'say more', { text: 'knows true' });
    expect(world.read(`artifacts/${id}/task.json`)).not.toContain('"job":');
    expect((await platform.command(place, 'tasks')).text).toContain(id);
  });

  it('is stopped by an owner while it runs', async () => {
    const chat = await open({}, 'telegram');
    const { world, platform, place } = chat;
    await make(chat);
    world.llm.script(() => ({ text: 'Digest: late', delayMs: 60_000 }));
    await platform.command(place, 'jobs', 'run digest');
    const find = () => world.tasks().find((task) => world.read(`artifacts/${task}/task.json`).includes('"job"')) ?? '';
    await expect.poll(find).not.toBe('');
    const id = find();
    await expect.poll(async () => (await platform.command(place, 'status', id)).text).toContain('working for');
    expect((await platform.command(place, 'stop', id)).text).toContain('Stopped: Digest');
    await expect.poll(() => world.read(`artifacts/${id}/task.json`)).toContain('"stopped"');
    await expect
      .poll(async () => (await platform.command(place, 'jobs', 'show digest')).text)
      .toContain('Last time: stopped');
  });
});
