/** The gateway socket with the real discord.js client: identify, intents, drops, resumes, and which events get lost. */
import { once } from 'node:events';
import { Events, GatewayIntentBits, type Message } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { type Bench, bench, clientFor, INTENTS } from './discord/testing.ts';
import { type Discord, type DiscordOptions, startDiscord, TEST_CHANNELS } from './discord.ts';

const { general } = TEST_CHANNELS;
async function withBench(act: (it: Bench) => Promise<void>, ...options: Parameters<typeof bench>): Promise<void> {
  const it = await bench(...options);
  try {
    await act(it);
  } finally {
    await it.end();
  }
}

async function withDiscord(act: (discord: Discord) => Promise<void>, options?: DiscordOptions): Promise<void> {
  const discord = await startDiscord(options);
  try {
    await act(discord);
  } finally {
    await discord.close();
  }
}

const texts = (messages: Message[]) => messages.map((message) => message.content);

describe.concurrent('identify', () => {
  test('refuses the content intent when the application does not have it', () =>
    withDiscord(
      async (discord) => {
        const client = clientFor(discord);
        await expect(client.login(discord.token)).rejects.toThrow(/disallowed intents/i);
        expect(discord.gateway()).toMatchObject({ connected: false, identifies: 0, refused: { 4014: 1 } });
        await client.destroy();
      },
      { messageContent: false },
    ));

  test('refuses a wrong token with 401 before any socket is opened', () =>
    withDiscord(async (discord) => {
      const client = clientFor(discord);
      await expect(client.login('MTIz.wrong.token')).rejects.toThrow(/invalid token/i);
      expect(discord.counters()).toMatchObject({ statuses: { 401: 1 }, gateway: { connections: 0 } });
      await client.destroy();
    }));

  test('without the intent only what is meant for the bot has content', () =>
    withBench(
      async ({ discord, client, hears }) => {
        discord.say(general, 'secret', { attachments: [{ name: 'a.txt', text: 'a' }] });
        discord.say(general, 'for you', { mention: true });
        discord.dm('2003', 'private');
        const heard = await hears(3);
        expect(texts(heard)).toEqual(['', `<@${discord.bot.id}> for you`, 'private']);
        expect(heard[0]?.attachments.size).toBe(0);
        const fetched = await client.channels.fetch(general);
        if (!fetched?.isTextBased()) throw new Error('no text channel');
        expect((await fetched.messages.fetch({ limit: 2, cache: false })).last()?.content).toBe('');
      },
      { messageContent: false },
      INTENTS.filter((intent) => intent !== GatewayIntentBits.MessageContent),
    ));
});

// A client waits five seconds before it identifies again, so these run in parallel.
describe.concurrent('drops', () => {
  test('a dropped line is resumed and what was said meanwhile is replayed', () =>
    withBench(async ({ discord, hears }) => {
      discord.dropGateway();
      discord.say(general, 'while away');
      expect(texts(await hears(1))).toEqual(['while away']);
      expect(discord.gateway()).toMatchObject({ identifies: 1, resumes: 1, lost: 0, connected: true });
    }));

  test('what is said without any session is gone', () =>
    withBench(async ({ discord, client, hears }) => {
      discord.dropGateway({ resumable: false });
      discord.say(general, 'lost');
      await once(client, Events.ShardReady);
      discord.say(general, 'found');
      expect(texts(await hears(1))).toEqual(['found']);
      expect(discord.gateway()).toMatchObject({ identifies: 2, resumes: 0, lost: 1 });
    }));

  test('the platform asks to reconnect, and a session it has forgotten is begun anew', () =>
    withBench(async ({ discord, client }) => {
      discord.askReconnect();
      await once(client, Events.ShardResume);
      discord.refuseResumes(1);
      discord.dropGateway();
      await once(client, Events.ShardReady);
      expect(discord.gateway()).toMatchObject({ identifies: 2, resumes: 1, refused: { 9: 1 } });
    }));

  test('a refused connection makes the client begin anew', () =>
    withBench(async ({ discord, client, hears }) => {
      discord.refuseReconnects(1);
      discord.dropGateway();
      discord.say(general, 'between');
      await once(client, Events.ShardReady);
      discord.say(general, 'here');
      expect(texts(await hears(1))).toEqual(['here']);
      expect(discord.gateway()).toMatchObject({ identifies: 2, resumes: 0, lost: 1 });
    }));

  test('a line that has gone silent is found by its heartbeats', () =>
    withBench(
      async ({ discord, hears }) => {
        discord.stopAcks();
        discord.say(general, 'into the silence');
        expect(texts(await hears(1))).toEqual(['into the silence']);
        expect(discord.gateway()).toMatchObject({ resumes: 1 });
      },
      { heartbeatMs: 150 },
    ));
});

test('events are held, released in another order, and delivered twice', () =>
  withBench(async ({ discord, client }) => {
    const seen: string[] = [];
    client.on(Events.Raw, (packet: { t: string; d: { content: string } }) => {
      if (packet.t === 'MESSAGE_CREATE') seen.push(packet.d.content);
    });
    discord.hold();
    const { id } = discord.say(general, 'first');
    discord.say(general, 'second');
    discord.release('reversed');
    discord.redeliver(id);
    await expect.poll(() => seen).toEqual(['second', 'first', 'first']);
  }));
