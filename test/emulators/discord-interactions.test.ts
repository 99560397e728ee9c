/** Slash commands, autocomplete and buttons, with the real discord.js client. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  Events,
  type Interaction,
  MessageFlags,
} from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Bench, bench } from './discord/testing.ts';

// biome-ignore format: a row is a line
const COMMAND = {
  name: 'viber',
  description: 'Talk to your viber',
  options: [
    { type: 1, name: 'task', description: 'Start a task', options: [{ type: 3, name: 'goal', description: 'What to do', required: true }] },
    { type: 1, name: 'open', description: 'Open a task', options: [{ type: 3, name: 'id', description: 'Which one', autocomplete: true }] },
  ],
};
const row = { type: 1, components: [{ type: 2, style: 3, label: 'Yes', custom_id: 'yes-1' }] };

async function open(limits: Parameters<typeof bench>[0]): Promise<Bench> {
  const opened = await bench(limits);
  opened.client.on(Events.InteractionCreate, (interaction) => {
    onInteraction(interaction).catch((error: { code?: unknown }) => errors.push(error));
  });
  await opened.client.application?.commands.create(COMMAND);
  return opened;
}

let it: Bench;
let onInteraction: (interaction: Interaction) => Promise<unknown> = async () => undefined;
const errors: { code?: unknown }[] = [];
beforeAll(async () => {
  it = await open({});
});
afterAll(() => it.end());
beforeEach(() => errors.splice(0));

function onCommand(act: (interaction: ChatInputCommandInteraction) => Promise<unknown>): void {
  onInteraction = async (each) => (each.isChatInputCommand() ? act(each) : undefined);
}
function onButton(act: (interaction: ButtonInteraction) => Promise<unknown>): void {
  onInteraction = async (each) => (each.isButton() ? act(each) : undefined);
}
const task = ({ discord } = it) =>
  discord.slash({ channel: discord.rooms.general, subcommand: 'task', options: { goal: 'a trip' } });

describe('commands', () => {
  test('are registered as given, and refused when they break a rule', async () => {
    expect(it.discord.commands()).toMatchObject([{ name: 'viber', application_id: it.discord.applicationId }]);
    expect(it.discord.commandsRegistered()).toBe(1);
    const commands = it.client.application?.commands;
    await expect(commands?.create({ ...COMMAND, name: 'Viber' })).rejects.toThrow(/name is invalid/);
    await expect(commands?.create({ ...COMMAND, description: '' })).rejects.toThrow(/between 1 and 100/);
    await expect(async () =>
      it.discord.slash({ channel: it.discord.rooms.general, command: 'none' }),
    ).rejects.toThrow();
  });

  test('are deferred, edited and followed up', async () => {
    onCommand(async (interaction) => {
      expect(interaction.options.getString('goal')).toBe('a trip');
      await interaction.deferReply();
      await interaction.editReply('done');
      await interaction.followUp({ content: 'one more', flags: MessageFlags.Ephemeral });
    });
    const asked = await task();
    expect(asked.ack).toMatchObject({ type: 5, flags: 0 });
    expect((await it.discord.answered(asked.id)).response).toMatchObject({
      text: 'done',
      type: 20,
      from: 'bot',
      flags: 0,
    });
    await it.discord.waitFor((message) => message.text === 'one more' && message.seenBy !== null);
    expect(it.discord.interaction(asked.id).followups).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test('are answered to one person alone, and only once', async () => {
    onCommand(async (interaction) => {
      await interaction.reply({ content: 'just you', flags: MessageFlags.Ephemeral });
      await it.client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, {
        body: { type: 4, data: { content: 'twice' } },
        auth: false,
      });
    });
    const asked = await task();
    expect(asked.ack).toMatchObject({ type: 4, flags: 64 });
    expect(asked.response?.seenBy).toBe(asked.userId);
    await expect.poll(() => errors).toMatchObject([{ code: 40_060 }]);
  });

  test('fail when they are acknowledged too late', async ({ onTestFinished }) => {
    const short = await open({ acknowledgeMs: 300 });
    onTestFinished(() => short.end());
    const late = Promise.withResolvers<void>();
    onCommand(async (interaction) => {
      await late.promise;
      await interaction.deferReply();
    });
    expect(await task(short)).toMatchObject({ failed: true });
    late.resolve();
    await expect.poll(() => errors).toMatchObject([{ code: 10_062 }]);
    expect(short.discord.counters().interactions).toMatchObject({ failed: 1 });
  });

  test('can no longer be answered once their token has ended', async ({ onTestFinished }) => {
    const short = await open({ interactionTokenMs: 900 });
    onTestFinished(() => short.end());
    onCommand(async (interaction) => {
      await interaction.deferReply();
      await sleep(1000);
      await interaction.editReply('late');
    });
    expect((await task(short)).failed).toBe(false);
    await expect.poll(() => errors.at(-1)).toMatchObject({ code: 50_027 });
  });

  test('the first followup takes the place of "thinking"', async () => {
    onCommand(async (interaction) => {
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      await interaction.followUp('instead');
    });
    const asked = await it.discord.answered((await task()).id);
    expect(asked.response).toMatchObject({ text: 'instead', seenBy: asked.userId });
    expect(asked.followups).toEqual([]);
  });

  test('offer choices while one types', async () => {
    onInteraction = async (each) => {
      if (!each.isAutocomplete()) return;
      await each.respond([{ name: `Task ${each.options.getFocused()}`, value: 't7' }]);
    };
    const request = { channel: it.discord.rooms.general, subcommand: 'open', options: { id: 'ab' }, focused: 'id' };
    const asked = await it.discord.autocomplete(request);
    expect(asked).toMatchObject({ choices: [{ name: 'Task ab', value: 't7' }], failed: false });
    expect(asked.ack?.latencyMs).toBeLessThan(300);
  });
});

describe('components', () => {
  test('a button updates its message; a stale one can still be pressed', async () => {
    const channel = it.client.channels.cache.get(it.discord.rooms.general);
    if (!channel?.isSendable()) throw new Error('no channel');
    const asked = await channel.send({ content: 'Sure?', components: [row] });
    onButton((interaction) => interaction.update({ content: `${interaction.user.username} said yes`, components: [] }));
    const pressed = await it.discord.press({ channel: channel.id, label: 'Yes', user: '2003' });
    expect(pressed.ack?.type).toBe(7);
    expect(it.discord.message(channel.id, asked.id)).toMatchObject({ text: 'bea said yes', buttons: [] });
    await expect(it.discord.press({ channel: channel.id, label: 'Yes' })).rejects.toThrow(/no button/);
    onButton((interaction) => interaction.deferUpdate());
    const stale = { channel: channel.id, message: asked.id, customId: 'yes-1', stale: true };
    expect((await it.discord.press(stale)).ack?.type).toBe(6);
  });
});
