/** Slash commands, buttons, suggestions: acknowledged in time, answered where they were asked. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { InboundMessage } from '../../../src/channels/channel.ts';
import { quiet } from '../../kit/quiet.ts';
import { ALEX, answer, type Bench, createLedger, eventually, file, startBench } from './harness.ts';

const EPHEMERAL = 64;

async function talking(
  options: Parameters<typeof startBench>[0] = {},
  platform: Parameters<typeof startBench>[1] = {},
): Promise<Bench> {
  const bench = await startBench(options, platform);
  await bench.connect();
  return bench;
}

const room = (bench: Bench) => bench.discord.rooms.general;

describe('commands', () => {
  it('are registered when they differ, and only then', async () => {
    const bench = await talking();
    expect(bench.discord.commandsRegistered()).toBe(1);
    const second = bench.again();
    await second.connect();
    expect(bench.discord.commandsRegistered()).toBe(1);
    const third = bench.again({ commands: [{ name: 'status', description: 'Another description' }] });
    await third.connect();
    expect(bench.discord.commandsRegistered()).toBe(2);
    expect(bench.discord.commands()).toMatchObject([
      {
        name: 'viber',
        options: [
          { name: 'task', type: 2, options: [{ name: 'new', options: [{ name: 'goal', required: true }] }] },
          { name: 'status', options: [] },
        ],
      },
    ]);
  });

  it('a goal is acknowledged at once, gets a root message and a thread, and the way there is shown', async () => {
    const bench = await talking();
    const { discord, channel } = bench;
    const asked = discord.slash({
      channel: room(bench),
      subcommandGroup: 'task',
      subcommand: 'new',
      options: { goal: 'plan the **party** @everyone' },
    });
    const goal = await bench.takes(({ text }) => text !== '');
    const ack = await asked;
    expect(ack).toMatchObject({ ack: { type: 4, flags: EPHEMERAL }, response: { text: 'On it.', seenBy: ALEX } });
    const open = () => channel.openThread?.(goal, { key: 't1', title: 'Plan the party' });
    const address = await open();
    const [root] = discord.channel(room(bench)).messages.filter((one) => one.from === 'bot' && one.seenBy === null);
    expect(root?.text).toContain('party');
    expect(root?.text).toMatch(/\(asked by alex\)$/);
    expect(address).toEqual({ ...goal.address, thread: root?.id });
    expect(discord.thread(root?.id ?? '')).toMatchObject({ name: 'Plan the party', parentId: room(bench) });
    await eventually(() => discord.interaction(ack.id).response?.text === `On it: <#${root?.id}>`);
    await eventually(() => discord.thread(root?.id ?? '').memberIds.includes(ALEX));
    expect(await open()).toEqual(address);
    expect(discord.threads(room(bench))).toHaveLength(1);
    expect(discord.pings()).toEqual([]);
  });

  it('the same thread after a restart, with or without the cache', async () => {
    const bench = await talking();
    void bench.discord.slash({
      channel: room(bench),
      subcommandGroup: 'task',
      subcommand: 'new',
      options: { goal: 'a goal' },
    });
    const goal = await bench.takes(({ text }) => text === 'a goal');
    const first = await bench.channel.openThread?.(goal, { key: 't1', title: 'A goal' });
    const second = bench.again();
    await second.connect();
    expect(await second.channel.openThread?.(goal, { key: 't1', title: 'A goal' })).toEqual(first);
    const third = bench.again({ cache: undefined });
    await third.connect();
    const late: InboundMessage = { ...goal, sentAt: goal.sentAt - 150_000 };
    expect(await third.channel.openThread?.(late, { key: 't1', title: 'A goal' })).toEqual(first);
    expect(bench.discord.threads(room(bench))).toHaveLength(1);
  });

  it('others are deferred, and the answer takes the place of the deferral, alone and with files', async () => {
    const bench = await talking();
    const asked = bench.discord.slash({ channel: room(bench), subcommand: 'open', options: { id: 'a1' } });
    const command = await bench.takes(({ command }) => command?.name === 'open');
    expect(command).toMatchObject({ command: { args: 'a1' }, opensThread: true, kind: 'command' });
    const message = answer(bench, {
      text: `${'word '.repeat(500)}end`,
      files: [await file('a.txt', 'a')],
      interaction: command.interaction ?? '',
    });
    const ledger = createLedger();
    await bench.channel.send(message, ledger);
    const view = await bench.discord.answered((await asked).id);
    expect(view.ack).toMatchObject({ type: 5, flags: EPHEMERAL });
    expect(view.response?.text).toMatch(/^word/);
    expect(view.followups).toMatchObject([{ files: [{ name: 'a.txt' }], seenBy: ALEX }]);
    expect(bench.discord.channel(room(bench)).messages.filter(({ seenBy }) => seenBy === null)).toEqual([]);
    expect([...ledger.sent.values()]).toEqual([view.response?.id, view.followups[0]?.id]);
  });

  it('an answer that was lost is given once', async () => {
    const bench = await talking();
    const asked = bench.discord.slash({ channel: room(bench), subcommand: 'status' });
    const command = await bench.takes(({ command }) => command?.name === 'status');
    const view = await asked;
    const ledger = createLedger();
    bench.discord.fault({ method: 'PATCH', kind: 'lostAnswer' });
    const message = answer(bench, { text: 'All is well', interaction: command.interaction ?? '' });
    await expect(bench.channel.send(message, ledger)).rejects.toMatchObject({ retryAfterMs: 1000, ambiguous: false });
    await bench.channel.send(message, ledger);
    expect(bench.discord.interaction(view.id)).toMatchObject({ response: { text: 'All is well' }, followups: [] });
  });

  it('when the time for it is over the answer goes to its person directly, and never to the channel', async () => {
    const bench = await talking({}, { interactionTokenMs: 60 });
    const asked = bench.discord.slash({ channel: room(bench), subcommand: 'status' });
    const command = await bench.takes(({ command }) => command?.name === 'status');
    await asked;
    // The time for an answer passes.
    await sleep(100);
    const message = answer(bench, { text: 'Late', interaction: command.interaction ?? '', replyTo: '77' });
    const ledger = createLedger();
    await bench.channel.send(message, ledger);
    await bench.channel.send(message, ledger);
    const { discord } = bench;
    const ours = (channel: string) => discord.channel(channel).messages.filter(({ from }) => from === 'bot');
    expect(ours(discord.openDm(ALEX)).map(({ text }) => text)).toEqual(['Late']);
    expect(ours(room(bench)).filter(({ text }) => text === 'Late')).toEqual([]);
    discord.closeDm(ALEX);
    const other = { ...message, id: 'o2' };
    await expect(bench.channel.send(other, createLedger('o2'))).rejects.toMatchObject({ retryAfterMs: undefined });
    const nobody = { ...other, interaction: JSON.stringify(JSON.parse(other.interaction ?? '[]').slice(0, 3)) };
    await expect(bench.channel.send(nobody, createLedger('o3'))).rejects.toMatchObject({ retryAfterMs: undefined });
    expect(ours(room(bench)).filter(({ text }) => text === 'Late')).toEqual([]);
  });
});

describe('acknowledging', () => {
  it('waits for what is slow, deferring meanwhile, and tells when it could not be stored', async () => {
    const bench = await talking({ timing: { deferMs: 50 } });
    bench.storing(async () => {
      // The disk takes its time.
      await sleep(200);
      throw new Error('disk full');
    });
    const { id } = await bench.discord.slash({
      channel: room(bench),
      subcommandGroup: 'task',
      subcommand: 'new',
      options: { goal: 'x' },
    });
    expect(bench.discord.interaction(id).ack).toMatchObject({ type: 5, flags: EPHEMERAL });
    const view = await bench.discord.answered(id);
    expect(view.response?.text).toContain('try again');
    bench.storing(async () => {
      // The disk takes its time.
      await sleep(150);
      return 'begun';
    });
    const goal = await bench.discord.slash({
      channel: room(bench),
      subcommandGroup: 'task',
      subcommand: 'new',
      options: { goal: 'y' },
    });
    expect((await bench.discord.answered(goal.id)).response?.text).toBe('On it.');
  });

  it('says so when a command is refused or could not be stored', async () => {
    const bench = await talking();
    bench.storing(async () => 'refused');
    const refused = await bench.discord.slash({ channel: room(bench), subcommand: 'status' });
    expect(refused).toMatchObject({
      ack: { type: 4, flags: EPHEMERAL },
      response: { text: expect.stringContaining("can't ask me to do that") },
    });
    bench.storing(async () => {
      throw new Error('disk full');
    });
    const failed = await bench.discord.slash({ channel: room(bench), subcommand: 'status' });
    expect(failed.response?.text).toContain('try again');
  });

  it('buttons are taken, and their message stays as it is', async () => {
    const bench = await talking();
    await bench.channel.send(
      answer(bench, { text: 'Sure?', buttons: [[{ id: 'yes1', label: 'Yes' }]] }),
      createLedger(),
    );
    const pressed = await bench.discord.press({ channel: room(bench), label: 'Yes' });
    expect(pressed).toMatchObject({ ack: { type: 6 }, failed: false });
    expect(await bench.takes(({ kind }) => kind === 'button')).toMatchObject({
      button: { id: 'yes1' },
      sender: { user: ALEX },
    });
    bench.storing(async () => 'refused');
    const refused = await bench.discord.press({ channel: room(bench), label: 'Yes' });
    expect(refused.ack).toMatchObject({ type: 4, flags: EPHEMERAL });
  });

  it('a press under words for one person alone is answered to that person alone, beside those words', async () => {
    const bench = await talking();
    const { discord, channel } = bench;
    const asked = discord.slash({ channel: room(bench), subcommand: 'status' });
    const { interaction = '' } = await bench.takes(({ command }) => command?.name === 'status');
    const { id } = await asked;
    const buttons = [[{ id: 'get1', label: 'Get it' }]];
    await channel.send(answer(bench, { text: 'One file', buttons, interaction }), createLedger());
    await discord.press({ channel: room(bench), label: 'Get it' });
    const pressed = await bench.takes(({ kind }) => kind === 'button');
    const reply = answer(bench, { id: 'o2', text: 'Here', interaction: pressed.interaction ?? '' });
    await channel.send(reply, createLedger('o2'));
    const ours = discord.channel(room(bench)).messages.filter(({ from }) => from === 'bot');
    expect(ours.map(({ text, seenBy }) => [text, seenBy])).toEqual([
      ['One file', ALEX],
      ['Here', ALEX],
    ]);
    expect(discord.interaction(id).response?.text).toBe('One file');
  });

  it.each<[string, number, object]>([
    ['a select menu', 3, { custom_id: 'x', component_type: 3, values: ['1'] }],
    ['a form', 5, { custom_id: 'x', components: [] }],
    ['a menu on a person', 2, { id: '1', name: 'Ask viber', type: 2, target_id: '5' }],
    ['a menu on a message', 2, { id: '1', name: 'Ask viber', type: 3, target_id: '5' }],
    ['a command of another version', 2, { id: '1', name: 'viber', type: 1 }],
  ])('%s is answered to its person, and costs nothing else', async (_name, kind, data) => {
    const bench = await talking();
    const view = await bench.discord.interact(kind, room(bench), { ...data });
    expect(view).toMatchObject({ failed: false, ack: { type: 4, flags: EPHEMERAL } });
    expect(view.response?.text).toContain('no longer works');
    expect(bench.got).toEqual([]);
  });

  it('suggestions for what is not offered are none', async () => {
    const bench = await talking();
    const view = await bench.discord.interact(4, room(bench), { id: '1', name: 'other', type: 1, options: [] });
    expect([view.failed, view.choices]).toEqual([false, []]);
  });

  it('one that is delivered again is acknowledged once', async () => {
    const bench = await talking();
    const { id } = await bench.discord.slash({ channel: room(bench), subcommand: 'status' });
    bench.discord.redeliver(id);
    await eventually(() => bench.got.length === 2);
    expect(new Set(bench.got.map(({ message }) => message.id)).size).toBe(1);
    await quiet();
    expect(bench.discord.interaction(id).failed).toBe(false);
  });

  it('200 at once are all acknowledged in time, each once', async () => {
    const bench = await talking();
    const ask = (n: number) =>
      bench.discord.slash(
        n % 2
          ? { channel: room(bench), subcommandGroup: 'task', subcommand: 'new', options: { goal: `g ${n}` } }
          : { channel: room(bench), subcommand: 'status' },
      );
    const views = await Promise.all(Array.from({ length: 200 }, (_, n) => ask(n)));
    expect(views.filter(({ failed }) => failed)).toEqual([]);
    expect(
      bench.discord.requests('POST /interactions/:id/:token/callback').filter(({ status }) => status >= 400),
    ).toEqual([]);
    expect(bench.got).toHaveLength(200);
  });
});

describe('suggestions', () => {
  it('are what fits, at most 25, each within its limits', async () => {
    const bench = await talking();
    bench.suggesting(async ({ text }) => [
      { value: 'a1', label: `${text}: ${'x'.repeat(200)}` },
      { value: 'y'.repeat(101), label: 'too long' },
      ...Array.from({ length: 30 }, (_, n) => ({ value: `v${n}`, label: `Task ${n}` })),
    ]);
    const view = await bench.discord.autocomplete({
      channel: room(bench),
      subcommand: 'open',
      options: { id: 'a' },
      focused: 'id',
    });
    expect(bench.asked).toMatchObject([{ command: 'open', text: 'a', sender: { user: ALEX }, isDirect: false }]);
    expect(view.choices).toHaveLength(25);
    expect(view.choices?.[0]).toMatchObject({ value: 'a1', name: expect.stringMatching(/^a: x+…$/) });
  });

  it('come in time or not at all', async () => {
    const bench = await talking({ timing: { suggestMs: 50 } });
    bench.suggesting(() => new Promise(() => undefined));
    const view = await bench.discord.autocomplete({
      channel: room(bench),
      subcommand: 'open',
      options: { id: '' },
      focused: 'id',
    });
    expect([view.failed, view.choices]).toEqual([false, []]);
  });
});
