/** A digest is the beginning of a conversation: whoever answers it goes on in the job's task, with its words and files at hand. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { type ManualClock, manualClock } from '../jobs/manual-clock.ts';
import { onEveryPlatform, openChat, press } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import type { ChannelName, PlatformWorld, PlatformWorldOptions } from '../platforms/world.ts';

const HOUR = 3_600_000;
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

const REPORT = { title: 'report.md', type: 'text/markdown', content: '# Sales\nUp 4%.' };

/** A job's prompt gives a digest with a file; everything else is echoed. */
const digest =
  (text = 'Digest: sales are up.') =>
  ({ lastUser, toolResults }: LlmRequest): Turn => {
    if (!lastUser.includes('Write the digest')) return { text: `re ${lastUser}` };
    if (toolResults.length === 0) return { toolCalls: [{ name: 'create_artifact', arguments: REPORT }] };
    return { text };
  };

interface Chat {
  world: PlatformWorld;
  platform: Platform;
  clock: ManualClock;
}

const put = (world: PlatformWorld, id: string, job: object) => {
  fs.mkdirSync(path.join(world.home, 'jobs'), { recursive: true });
  const common = { name: 'Digest', schedule: '0 * * * *', prompt: 'Write the digest', timezone: 'UTC' };
  fs.writeFileSync(path.join(world.home, 'jobs', `${id}.yaml`), `${JSON.stringify({ ...common, ...job })}\n`);
  const state = path.join(world.home, 'spool', 'jobs', `${id}.json`);
  return expect.poll(() => fs.existsSync(state)).toBe(true);
};

async function open(on?: ChannelName, options: PlatformWorldOptions = {}): Promise<Chat> {
  const clock = manualClock('2026-01-12T06:30:00Z');
  const { world, platform } = await openChat({ clock, channel: { live: 'off' }, ...options }, on);
  world.llm.script(digest());
  return { world, platform, clock };
}

const writtenAs = (platform: Platform, { chat, thread }: Place) =>
  `${platform.name}:${chat}${thread === undefined ? '' : `:${thread}`}`;

/** The job runs once more. Gives the message of the digest. */
async function deliver({ platform, clock, world }: Chat, place: Place, text = 'Digest: sales are up.') {
  const count = platform.answers(place).filter((seen) => seen.text.includes(text)).length;
  const before = world.tasks();
  await clock.advance(HOUR, pause);
  const seen = await waitFor(platform, place, { text, count: count + 1 });
  await expect.poll(() => JSON.parse(world.read('spool/jobs/digest.json')).lastRun?.state).toBe('completed');
  const task = world.tasks().find((each) => !before.includes(each)) ?? '';
  await quiet();
  return { seen, task };
}

/** What the model was told last, whole. */
const told = ({ world }: Chat): string => JSON.stringify(world.llm.requests().at(-1)?.messages);
const sessionOf = ({ world }: Chat, task: string) => world.read(`agents/default/sessions/${task}.jsonl`);

/** As people answer a message there: a reply, or a message in its thread on Slack. */
const answering = (platform: Platform, place: Place, id: string): [Place, { replyTo?: string }] =>
  platform.name === 'slack' ? [{ ...place, thread: id }, {}] : [place, { replyTo: id }];

describe.each(onEveryPlatform)('a digest on %s', (name) => {
  it('in a direct chat goes on where it is answered, with its words and its file, also after a restart', async () => {
    const chat = await open(name);
    const { world, platform } = chat;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'hello', { text: 're hello' });
    const own = world.tasks();
    await put(world, 'digest', { deliver: writtenAs(platform, dm) });
    const { seen, task } = await deliver(chat, dm);
    const { task: next } = await deliver(chat, dm);
    const filesOf = () => platform.answers(dm).filter(({ files }) => files.length > 0);
    await expect.poll(() => filesOf().length).toBe(2);
    await world.restart();
    const [place, options] = answering(platform, dm, seen.id);
    await ask(platform, place, 'why are they up?', { ...options, text: 'why are they up?' });
    expect(sessionOf(chat, task)).toContain('why are they up?');
    expect(told(chat)).toContain('Digest: sales are up.');
    expect(told(chat)).toContain('report.md');
    expect(told(chat)).not.toContain('hello');
    expect(world.tasks()).toEqual([...own, task, next].sort());
    // The answer comes where the question was.
    expect(platform.answers(place).at(-1)?.text).toContain('why are they up?');
    await ask(platform, place, 'and since when?', { text: 'and since when?' });
    expect(sessionOf(chat, task)).toContain('and since when?');
    const record = JSON.parse(world.read(`artifacts/${task}/task.json`));
    // From now on it is a task like any other, and kept like one.
    expect([record.job, record.people]).toEqual([undefined, expect.arrayContaining(['person:alex'])]);
    const [below, more] = answering(platform, dm, filesOf().at(-1)?.id ?? '');
    await ask(platform, below, 'what is in it?', { ...more, text: 'what is in it?' });
    expect(sessionOf(chat, next)).toContain('what is in it?');
    expect(told(chat)).toContain('Digest: sales are up.');
    expect(told(chat)).not.toContain('since when');
  });

  it('in a shared room is gone on with by everybody who is let in there, and by nobody else', async () => {
    const chat = await open(name);
    const { world, platform } = chat;
    await put(world, 'digest', { deliver: writtenAs(platform, platform.room) });
    const { seen, task } = await deliver(chat, platform.room);
    const [place, options] = answering(platform, platform.room, seen.id);
    const said = platform.say(place, 'why are they up?', { by: 'sam', ...options });
    const there = name === 'discord' ? platform.answerPlace(said) : place;
    await waitFor(platform, there, { text: 'why are they up?' });
    expect(sessionOf(chat, task)).toContain('why are they up?');
    expect(told(chat)).toContain('Digest: sales are up.');
    // It is still its owner's to steer.
    const record = JSON.parse(world.read(`artifacts/${task}/task.json`));
    expect(record.people).not.toContain('person:sam');
    if (name !== 'telegram') {
      await ask(platform, there, 'and since when?', { by: 'sam', text: 'and since when?' });
      expect(sessionOf(chat, task)).toContain('and since when?');
    }
  });

  it('in a shared room comes with a link that it names, and goes on after Continue where that task has its place', async () => {
    const chat = await open(name);
    const { world, platform } = chat;
    const link = { title: 'The handbook', type: 'text/html', ref: 'https://handbook.example/' };
    world.llm.script(digest(`Digest: sales are up.\n\n\`\`\`artifact_deltas\n${JSON.stringify([link])}\n\`\`\``));
    await put(world, 'digest', { deliver: writtenAs(platform, platform.room) });
    const { seen, task } = await deliver(chat, platform.room);
    expect(seen.text).toContain('The handbook');
    await platform.press(platform.room, 'Continue', 'sam');
    const there = name === 'telegram' ? platform.room : { ...platform.room, thread: seen.id };
    await waitFor(platform, there, { text: 'with its files. What would you like to know?' });
    const said = { by: 'sam' as const, text: 'show me', ...(name === 'telegram' ? { mention: true } : {}) };
    await ask(platform, there, 'show me the numbers', said);
    expect(sessionOf(chat, task)).toContain('show me the numbers');
  });
});

describe('a digest', () => {
  it('goes on after its Continue button, and a plain message before that is shown it once', async () => {
    const chat = await open();
    const { world, platform } = chat;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'hello', { text: 're hello' });
    const [own = ''] = world.tasks();
    await put(world, 'digest', { deliver: writtenAs(platform, dm) });
    const { seen, task } = await deliver(chat, dm);
    expect(platform.answers(dm).some(({ buttons }) => buttons.includes('Continue'))).toBe(true);
    await ask(platform, dm, 'what does that mean?', { text: 'what does that mean?' });
    expect(sessionOf(chat, own)).toContain('what does that mean?');
    expect(told(chat)).toContain('hello');
    expect(told(chat)).toContain('Digest: sales are up.');
    expect(told(chat)).toContain('report.md');
    await ask(platform, dm, 'thanks', { text: 're thanks' });
    await press(platform, dm, 'Continue', 'Digest');
    await ask(platform, dm, 'show me the numbers', { text: 'show me the numbers' });
    expect(sessionOf(chat, task)).toContain('show me the numbers');
    expect(told(chat)).toContain('Digest: sales are up.');
    expect(told(chat)).not.toContain('hello');
    expect(seen.id).not.toBe('');
  });

  it('of several messages goes on from each of them; two of one day are kept apart', async () => {
    const chat = await open();
    const { world, platform } = chat;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'hello', { text: 're hello' });
    const long = Array.from({ length: 400 }, (_, n) => `Point ${n}: something happened in shop number ${n}.`);
    world.llm.script(digest(`Digest: sales are up.\n\n${long.join('\n\n')}`));
    await put(world, 'digest', { deliver: writtenAs(platform, dm) });
    const first = await deliver(chat, dm);
    const parts = platform.answers(dm).filter(({ text }) => text.includes('Point'));
    world.llm.script(digest('Digest: sales are down.'));
    const second = await deliver(chat, dm, 'Digest: sales are down.');
    const [place, options] = answering(platform, dm, parts.at(-1)?.id ?? '');
    await ask(platform, place, 'which shop was the last?', { ...options, text: 'which shop' });
    expect(sessionOf(chat, first.task)).toContain('which shop was the last?');
    const [other, how] = answering(platform, dm, second.seen.id);
    await ask(platform, other, 'why down?', { ...how, text: 'why down?' });
    expect(sessionOf(chat, second.task)).toContain('why down?');
    expect(sessionOf(chat, first.task)).not.toContain('why down?');
  });

  it('whose job was changed and removed goes on all the same', async () => {
    const chat = await open();
    const { world, platform } = chat;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'hello', { text: 're hello' });
    await put(world, 'digest', { deliver: writtenAs(platform, dm) });
    const { seen, task } = await deliver(chat, dm);
    fs.rmSync(path.join(world.home, 'jobs', 'digest.yaml'));
    await expect.poll(async () => (await platform.command(dm, 'jobs')).text).toContain('no scheduled jobs');
    const [place, options] = answering(platform, dm, seen.id);
    await ask(platform, place, 'and now?', { ...options, text: 'and now?' });
    expect(sessionOf(chat, task)).toContain('and now?');
  });
});

describe('a digest in a channel of Slack', () => {
  it('is gone on with in its thread without a mention, also by those on no list, who are told what it said and no more', async () => {
    const chat = await open('slack');
    const { world, platform } = chat;
    await put(world, 'digest', {
      prompt: 'Write the digest from the private ledger',
      deliver: writtenAs(platform, platform.room),
    });
    const { seen, task } = await deliver(chat, platform.room);
    const thread = { ...platform.room, thread: seen.id };
    await ask(platform, thread, 'why are they up?', { by: 'kim', text: 'why are they up?' });
    expect(sessionOf(chat, task)).toContain('why are they up?');
    expect(told(chat)).toContain('Digest: sales are up.');
    expect(told(chat)).not.toMatch(/private ledger|Up 4%/);
    const other = platform.say(platform.room, 'a talk of ours', { by: 'kim' });
    platform.say({ ...platform.room, thread: other }, 'nobody asked you', { by: 'kim' });
    await quiet();
    expect(JSON.stringify(world.llm.requests())).not.toContain('nobody asked you');
  });

  it('is answered when what was written in its thread came while the gateway was away', async () => {
    const chat = await open('slack', { process: false });
    const { world, platform } = chat;
    await put(world, 'digest', { deliver: writtenAs(platform, platform.room) });
    const { seen, task } = await deliver(chat, platform.room);
    await world.stop();
    const thread = { ...platform.room, thread: seen.id };
    platform.say(thread, 'why are they up?');
    await world.restart();
    await waitFor(platform, thread, { text: 'why are they up?' });
    expect(sessionOf(chat, task)).toContain('why are they up?');
  });
});

describe('what a job sends by itself in its run', () => {
  it('goes on where it is answered, a group with no more than what it was told', async () => {
    const chat = await open('telegram');
    const { world, platform, clock } = chat;
    const dm = platform.dm('alex');
    await ask(platform, dm, 'hello', { text: 're hello' });
    const notes = [dm, platform.room].map((place, index) => ({
      name: 'notify',
      arguments: { to: writtenAs(platform, place), text: `Note ${index} for you` },
    }));
    world.llm.script(({ lastUser, toolResults }) => {
      const call = notes[toolResults.length];
      if (!lastUser.includes('Write the digest')) return { text: `re ${lastUser}` };
      return call ? { toolCalls: [call] } : { text: 'both are told' };
    });
    await put(world, 'digest', {});
    await clock.advance(HOUR, pause);
    const [own, group] = await Promise.all([
      waitFor(platform, dm, { text: 'Note 0' }),
      waitFor(platform, platform.room, { text: 'Note 1' }),
    ]);
    await quiet();
    await ask(platform, dm, 'which one?', { replyTo: own.id, text: 'which one?' });
    expect(told(chat)).toContain('Note 1 for you');
    await ask(platform, platform.room, 'who else was told?', { by: 'sam', replyTo: group.id, text: 'who else' });
    expect(told(chat)).toContain('Note 1 for you');
    expect(told(chat)).not.toMatch(/Note 0|which one/);
  });
});

describe('a digest for several places', () => {
  it('is a conversation of its own in each: nobody reads what others say about it', async () => {
    const chat = await open('telegram', { on: ['telegram', 'slack'] });
    const { world, clock } = chat;
    const { telegram, slack } = world.platforms;
    const [alex, sam] = [telegram.dm('alex'), slack.dm('sam')];
    await ask(telegram, alex, 'hello', { text: 're hello' });
    await ask(slack, sam, 'hello', { by: 'sam', text: 're hello' });
    const places = [writtenAs(telegram, alex), writtenAs(slack, sam), writtenAs(telegram, telegram.room)];
    await put(world, 'digest', { deliver: places });
    await clock.advance(HOUR, pause);
    const [one, two, three] = await Promise.all([
      waitFor(telegram, alex, { text: 'Digest:' }),
      waitFor(slack, sam, { text: 'Digest:' }),
      waitFor(telegram, telegram.room, { text: 'Digest:' }),
    ]);
    await quiet();
    await ask(telegram, alex, 'the secret is blue', { replyTo: one.id, text: 'blue' });
    await ask(slack, { ...sam, thread: two.id }, 'the secret is green', { by: 'sam', text: 'green' });
    expect(told(chat)).toContain('Digest: sales are up.');
    expect(told(chat)).toContain('report.md');
    expect(told(chat)).not.toContain('blue');
    await ask(telegram, telegram.room, 'what is the secret?', { by: 'sam', replyTo: three.id, text: 'secret?' });
    expect(told(chat)).toContain('Digest: sales are up.');
    expect(told(chat)).not.toMatch(/blue|green/);
    await ask(telegram, alex, 'say it again', { text: 'again' });
    expect(told(chat)).toContain('blue');
    expect(told(chat)).not.toContain('green');
  });
});
