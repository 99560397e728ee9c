/** The run of a job on its way: what it asks, whom it tells, and where its result goes when a place is away, refused or named twice. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { type ManualClock, manualClock } from '../jobs/manual-clock.ts';
import { openChat } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Platform, waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformWorld, type PlatformWorldOptions } from '../platforms/world.ts';

const HOUR = 3_600_000;
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Calls these tools one a step, then answers. */
const calls =
  (given: readonly ToolCall[], text: string | ((last: unknown) => string)) =>
  ({ toolResults }: LlmRequest): Turn => {
    const call = given[toolResults.length];
    return call ? { toolCalls: [call] } : { text: typeof text === 'string' ? text : text(toolResults.at(-1)) };
  };
const notifying = (to: string, text: string, artifacts?: string[]): ToolCall => ({
  ...{ name: 'notify', arguments: { to, text, ...(artifacts ? { artifacts } : {}) } },
});

interface Runs {
  world: PlatformWorld;
  clock: ManualClock;
  /** Lets the job run once more, at the next full hour. */
  run(): Promise<void>;
}

async function open(job: object, options: PlatformWorldOptions = {}): Promise<Runs> {
  const clock = manualClock('2026-01-12T06:30:00Z');
  const world = await openPlatforms({ clock, channel: { live: 'off' }, ...options });
  await put(world, { name: 'Digest', schedule: '0 * * * *', prompt: 'Write the digest', timezone: 'UTC', ...job });
  return { world, clock, run: () => clock.advance(HOUR, pause) };
}

async function put(world: PlatformWorld, job: object): Promise<void> {
  fs.mkdirSync(path.join(world.home, 'jobs'), { recursive: true });
  fs.writeFileSync(path.join(world.home, 'jobs', 'digest.yaml'), `${JSON.stringify(job)}\n`);
  const state = path.join(world.home, 'spool', 'jobs', 'digest.json');
  await expect.poll(() => fs.existsSync(state)).toBe(true);
}

/** The run has been noted: the next slot does not find it at work. */
const ended = (world: PlatformWorld) =>
  expect.poll(() => JSON.parse(world.read('spool/jobs/digest.json')).lastRun?.state).toBe('completed');

const digests = (platform: Platform, place = platform.room) =>
  platform.answers(place).filter(({ text }) => text.startsWith('Digest:')).length;

describe('the result of a job', () => {
  it('comes once to a place that is named twice, and a place that is refused is told to the owners once', async () => {
    const { world, run } = await open({}, { on: ['slack'] });
    const { slack } = world.platforms;
    const dm = slack.dm('alex');
    await ask(slack, dm, 'hello');
    const [, , user = ''] = slack.identity('alex').split(':');
    const deliver = [
      `slack:${dm.chat}`,
      `slack:${user}`,
      `slack:${slack.room.chat}`,
      `slack@${slack.account}:${slack.room.chat}`,
    ];
    const refused = ['slack:C0NOTHERE', `slack:${slack.dm('kim').chat}`, 'discord:1', 'telegram:1001'];
    await put(world, {
      ...{ name: 'Digest', schedule: '0 * * * *', prompt: 'Write the digest', timezone: 'UTC' },
      deliver: [...deliver, ...refused],
    });
    await expect.poll(async () => (await slack.command(dm, 'jobs', 'show digest')).text).toContain('C0NOTHERE');
    world.llm.script(() => ({ text: 'Digest: all is well.' }));
    for (const count of [1, 2]) {
      await run();
      await waitFor(slack, slack.room, { text: /^Digest:/, count });
      await waitFor(slack, dm, { text: /^Digest:/, count });
      await ended(world);
    }
    await quiet();
    expect([digests(slack), digests(slack, dm)]).toEqual([2, 2]);
    const told = slack.answers(dm).filter(({ text }) => text.includes("couldn't be sent"));
    expect(told).toHaveLength(refused.length);
    expect(digests(slack, slack.dm('kim'))).toBe(0);
  });

  it('waits for a platform that is away, and comes to the others at once and once', async () => {
    const { world, clock, run } = await open({}, { on: ['telegram', 'discord'] });
    const { telegram, discord } = world.platforms;
    const place = discord.answerPlace(discord.say(discord.room, 'hello', { mention: true }));
    await waitFor(discord, place);
    const deliver = [`discord:${place.thread}`, `telegram:${telegram.room.chat}`];
    await put(world, { name: 'Digest', schedule: '0 * * * *', prompt: 'Write the digest', timezone: 'UTC', deliver });
    await expect
      .poll(async () => (await telegram.command(telegram.dm('alex'), 'jobs', 'show digest')).text)
      .toContain('discord:');
    world.llm.script(() => ({ text: 'Digest: all is well.' }));
    await discord.outage(true);
    await run();
    await waitFor(telegram, telegram.room, { text: /^Digest:/ });
    await quiet({ except: /^out |Discord/ });
    await discord.outage(false);
    await waitFor(discord, place, { text: /^Digest:/ });
    await quiet();
    expect([digests(telegram), digests(discord, place)]).toEqual([1, 1]);
    expect(clock.now()).toBeGreaterThan(0);
    // Whoever reads it in the thread may go on with it there.
    const task = world.tasks().at(-1) ?? '';
    expect(world.read(`artifacts/${task}/task.json`)).toContain(`:${place.chat}:${place.thread}"`);
  });

  it('goes where it should after somebody has consented to what it does, wherever an owner was asked', async () => {
    const { world, run } = await open({ deliver: [] }, { on: ['telegram', 'slack'] });
    const { telegram, slack } = world.platforms;
    const [dm, elsewhere] = [telegram.dm('alex'), slack.dm('alex')];
    await ask(slack, elsewhere, 'hello');
    await ask(telegram, dm, 'hello');
    const deliver = `telegram:${telegram.room.chat}`;
    const job = { name: 'Digest', schedule: '0 * * * *', prompt: 'Write the digest', timezone: 'UTC', deliver };
    await put(world, job);
    await expect.poll(async () => (await telegram.command(dm, 'jobs', 'show digest')).text).toContain(deliver);
    const note = { name: 'write_file', arguments: { path: 'workspace/notes.md', content: 'milk' } };
    world.llm.script(calls([note], 'Digest: noted.'));
    await run();
    const asked = await waitFor(telegram, dm, { text: 'Save notes.md' });
    expect(asked.text).toMatch(/^The job Digest asks/);
    // Which of them can be reached is known only afterwards.
    expect((await waitFor(slack, elsewhere, { text: 'Save notes.md' })).text).toContain('the first answer counts');
    const before = telegram.answers(dm).length;
    await telegram.press(dm, 'Save');
    await waitFor(telegram, telegram.room, { text: 'Digest: noted.' });
    expect(world.read('workspace/notes.md')).toBe('milk');
    await quiet();
    expect(
      telegram
        .answers(dm)
        .slice(before)
        .map(({ text }) => text),
    ).toEqual(['On it.']);
    // The buttons are gone there; a press that was already on its way is told how it was decided.
    await expect.poll(() => slack.answers(elsewhere).flatMap(({ buttons }) => buttons)).not.toContain('No');
    await slack.press(elsewhere, 'No', 'alex', true);
    await waitFor(slack, elsewhere, { text: 'approved this already' });
    const listed = await telegram.command(dm, 'jobs', 'show digest');
    expect(listed.text).toContain('Last time: done');
    // The owner's own conversation is still about its own task.
    world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
    await ask(telegram, dm, 'thanks', { text: 're thanks' });
    expect(world.tasks()).toHaveLength(2);
  });

  it('is not sent besides when the run has sent something itself, with its file, once', async () => {
    const { world, run } = await open({ deliver: [] }, { on: ['telegram', 'slack'] });
    const { telegram, slack } = world.platforms;
    const room = `slack:${slack.room.chat}`;
    const job = { name: 'Digest', schedule: '0 * * * *', prompt: 'Write the digest', timezone: 'UTC' };
    await put(world, { ...job, deliver: `telegram:${telegram.room.chat}` });
    await expect
      .poll(async () => (await telegram.command(telegram.dm('alex'), 'jobs', 'show digest')).text)
      .toContain(telegram.room.chat);
    world.llm.script(({ toolResults }) => {
      if (toolResults.length === 0)
        return {
          toolCalls: [
            { name: 'create_artifact', arguments: { title: 'digest.md', type: 'text/markdown', content: '# D' } },
          ],
        };
      const { id } = JSON.parse(String(toolResults[0]));
      if (toolResults.length < 3) return { toolCalls: [notifying(room, 'Digest: look', [id])] };
      return { text: 'Digest: done' };
    });
    await run();
    await waitFor(slack, slack.room, { file: 'digest.md' });
    await expect.poll(() => world.logs.filter(({ msg }) => msg === 'a job has a result').length).toBe(1);
    await quiet();
    expect([digests(slack), digests(telegram)]).toEqual([1, 0]);
  });
});

describe('a job that looks after something', () => {
  it('is silent while its tool says HEALTHY and nothing was made, whatever the model adds, and speaks when it does not', async () => {
    const { world, run } = await open({ deliver: 'telegram:1001' }, { on: ['telegram'] });
    const { telegram } = world.platforms;
    const dm = telegram.dm('alex');
    await ask(telegram, dm, 'hello');
    fs.writeFileSync(path.join(world.home, 'workspace', 'health.txt'), 'HEALTHY\n');
    const look = { name: 'read_file', arguments: { path: 'workspace/health.txt' } };
    world.llm.script(calls([look], 'Digest: I looked, and all is as it should be.'));
    await run();
    await expect.poll(() => world.logs.filter(({ msg }) => msg === 'a job has a result').length).toBe(1);
    await ended(world);
    await quiet();
    expect(digests(telegram, dm)).toBe(0);
    fs.writeFileSync(path.join(world.home, 'workspace', 'health.txt'), 'disk full\n');
    await run();
    await waitFor(telegram, dm, { text: 'Digest: I looked' });
  });

  it('of tools alone, without a word from any model, is a failure that its owner hears of, and nothing is delivered', async () => {
    const { world, run } = await open({ deliver: [] }, { on: ['slack'] });
    const { slack } = world.platforms;
    const dm = slack.dm('alex');
    await ask(slack, dm, 'hello');
    await put(world, {
      ...{ name: 'Digest', schedule: '0 * * * *', prompt: 'Write the digest', timezone: 'UTC' },
      deliver: [`slack:${slack.room.chat}`],
    });
    const look = { name: 'list_files', arguments: {} };
    world.llm.script(({ toolResults, lastUser }) =>
      lastUser.includes('Write the digest') && toolResults.length === 0 ? { toolCalls: [look] } : { reasoning: 'Hm.' },
    );
    await run();
    const told = await waitFor(slack, dm, { text: 'failed' });
    expect(told.text).toMatch(/Digest.*failed.*empty answer/s);
    expect(slack.answers(slack.room).filter(({ text }) => /Done\./.test(text))).toEqual([]);
  });

  it('that reaches its limit of steps sends what there is, and its owner is told', async () => {
    const { world, run } = await open({ deliver: 'telegram:-100500', maxSteps: 2 }, { on: ['telegram'] });
    const { telegram } = world.platforms;
    const dm = telegram.dm('alex');
    await ask(telegram, dm, 'hello');
    world.llm.script(() => ({ toolCalls: [{ name: 'list_files', arguments: {} }] }));
    await run();
    await waitFor(telegram, telegram.room, { text: 'limit of steps' });
    await waitFor(telegram, dm, { text: /The job .*Digest.* needed more steps/ });
  });
});

describe('notify in a task', () => {
  it('sends without a question to the task’s own conversation, and elsewhere when an owner consents', async () => {
    const world = await openPlatforms({ on: ['telegram', 'slack'], channel: { live: 'off' } });
    const { telegram, slack } = world.platforms;
    const dm = telegram.dm('alex');
    world.llm.script(calls([notifying(`telegram:${dm.chat}`, 'a note')], 'noted'));
    await ask(telegram, dm, 'note that here', { text: 'noted' });
    expect(telegram.answers(dm).map(({ text }) => text)).toEqual(['a note', 'noted']);
    world.llm.script(calls([notifying(`slack:${slack.room.chat}`, 'over there')], 'sent'));
    const asked = await ask(telegram, dm, 'tell the channel', { text: 'Send this to' });
    expect(asked.text).toContain('over there');
    await quiet();
    expect(slack.answers(slack.room)).toEqual([]);
    await telegram.press(dm, 'Send');
    await waitFor(slack, slack.room, { text: 'over there' });
  });

  it('asks before a run fills its own conversation too', async () => {
    const { world, platform: telegram, dm } = await openChat({ channel: { live: 'off' } }, 'telegram');
    const notes = Array.from({ length: 20 }, (_, n) => notifying(`telegram:${dm.chat}`, `note ${n}`));
    world.llm.script(calls(notes, 'noted'));
    const asked = await ask(telegram, dm, 'go on noting', { text: 'Send this to' });
    expect(asked.text).toContain('note 5');
    await quiet();
    const sent = () => telegram.answers(dm).filter(({ text }) => /^note \d+$/.test(text));
    expect(sent().map(({ text }) => text)).toEqual([0, 1, 2, 3, 4].map((n) => `note ${n}`));
    // Neither a question in between nor a restart lets it send five more.
    await telegram.press(dm, 'No');
    await waitFor(telegram, dm, { text: /Send this to.*note 6/s });
    await world.restart();
    await telegram.press(dm, 'No');
    await waitFor(telegram, dm, { text: /Send this to.*note 7/s });
    await ask(telegram, dm, '/stop');
    expect(sent()).toHaveLength(5);
  });

  it('is refused to others for places that are not their task’s, and to everybody for what is no place', async () => {
    const world = await openPlatforms({ on: ['telegram', 'slack'], channel: { live: 'off' } });
    const { telegram, slack } = world.platforms;
    const tell = async (to: string, by: 'alex' | 'sam', press = true): Promise<string> => {
      const place = telegram.dm(by);
      world.llm.script(calls([notifying(to, 'psst')], (last) => `I was told: ${last}`));
      const first = await ask(telegram, place, 'tell them', { by, text: /Send this to|I was told/ });
      if (first.text.startsWith('I was told') || !press) return first.text;
      const after = telegram.answers(place).length;
      await telegram.press(place, 'Send', by);
      return (await waitFor(telegram, place, { after, text: 'I was told' })).text;
    };
    expect(await tell(`slack:${slack.room.chat}`, 'sam')).toContain('Only an owner may have something sent to slack:');
    expect(await tell('telegram:1001', 'sam')).toContain('Only an owner');
    expect(await tell('telegram:6666', 'alex')).toContain('that person has no access');
    expect(await tell('telegram:-100999', 'alex')).toContain('channels.telegram.access.chats');
    expect(await tell('telegram@999:1001', 'alex')).toContain('belongs to a different bot');
    for (const to of [
      '',
      '@everyone',
      'local:1',
      '__proto__:1',
      'telegram:1001\nbcc: telegram:1002',
      'x'.repeat(5_000),
    ])
      expect(await tell(to, 'alex')).toMatch(/isn't an address|is not on|do not fit/);
    await quiet();
    expect(telegram.answers(telegram.dm('alex')).some(({ text }) => text === 'psst')).toBe(false);
    expect(slack.answers(slack.room)).toEqual([]);
  });
});
