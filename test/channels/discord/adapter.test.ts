/** The dialogue of a task in a thread, and how the connection is kept. */
import { describe, expect, it } from 'vitest';
import { ALEX, answer, createLedger, startBench } from './harness.ts';

describe('a task', () => {
  it('begins with a mention and goes on in its thread', async () => {
    const bench = await startBench();
    const { discord, channel } = bench;
    await bench.connect();
    expect([channel.account, channel.status()]).toEqual([discord.bot.id, { state: 'connected' }]);
    const said = discord.say(discord.rooms.general, 'plan the party', { mention: true });
    const message = await bench.takes(({ text }) => text === 'plan the party');
    expect(message).toMatchObject({
      id: `m:${said.id}`,
      kind: 'message',
      sender: { user: ALEX, isBot: false },
      address: { chat: discord.rooms.general, thread: said.id, workspace: discord.guildId },
      isMention: true,
      isThread: true,
      opensThread: true,
      isDirect: false,
    });
    const address = await channel.openThread?.(message, { key: 't1', title: 'Plan the party' });
    expect(address).toEqual(message.address);
    expect(discord.thread(said.id)).toMatchObject({
      name: 'Plan the party',
      parentId: discord.rooms.general,
      autoArchiveDuration: 1440,
    });
    await channel.send(
      { ...answer(bench, { text: 'It is **done**.', replyTo: said.id }), address: message.address },
      createLedger(),
    );
    const [reply] = await discord.wait({ channel: said.id, from: 'bot', text: 'done' });
    expect(reply).toMatchObject({
      text: 'It is **done**.',
      replyTo: null,
      flags: 4,
      allowedMentions: { parse: [], replied_user: false },
    });
    const more = discord.say(said.id, 'and the music?');
    expect(await bench.takes(({ id }) => id === `m:${more.id}`)).toMatchObject({
      text: 'and the music?',
      address: message.address,
      isThread: true,
      isMention: false,
    });
  });
});
