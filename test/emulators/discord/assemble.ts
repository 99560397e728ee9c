/** Assembles the parts: one platform with its guild, channels and people, which listens. */
import { EventEmitter } from 'node:events';
import type { DiscordOptions } from '../discord.ts';
import { createAsk } from './ask.ts';
import { createCommands } from './commands.ts';
import { createFiles } from './files.ts';
import { TEST_APPLICATION, TEST_CHANNELS, TEST_GUILD, TEST_PEOPLE, TEST_TOKEN } from './fixtures.ts';
import { createGateway } from './gateway.ts';
import { createInteractions } from './interactions.ts';
import { tellCreated } from './messages.ts';
import { createPeople } from './people.ts';
import { createPlaces } from './places.ts';
import { emit, type Platform, type Settings } from './platform.ts';
import { createRates } from './rates.ts';
import { userObject } from './render.ts';
import { guildCreated } from './render-guild.ts';
import { startServer } from './server.ts';
import { createTranscript } from './transcript.ts';
import { type StoredUser, userOf, type World } from './world.ts';

const MINUTE = 60_000;

function settingsOf(options: DiscordOptions): Settings {
  return {
    token: options.token ?? TEST_TOKEN,
    messageContent: options.messageContent ?? true,
    heartbeatMs: options.heartbeatMs ?? 41_250,
    identifyMs: options.identifyMs ?? 0,
    identifiesLeft: options.identifiesLeft ?? 1000,
    resumeMs: options.resumeMs ?? MINUTE,
    acknowledgeMs: options.acknowledgeMs ?? 3000,
    interactionTokenMs: options.interactionTokenMs ?? 15 * MINUTE,
    keepMessages: options.keepMessages ?? 50_000,
    nonceMs: options.nonceMs ?? 5 * MINUTE,
  };
}

function emptyWorld(): World {
  const facts = { username: 'viber', discriminator: '4821', global_name: null, avatar: null };
  const bot: StoredUser = { id: TEST_APPLICATION, ...facts, bot: true, nick: null, roles: [], isClosed: false };
  return { bot, users: new Map([[bot.id, bot]]), guilds: new Map(), channels: new Map(), directs: new Map() };
}

export async function assemble(options: DiscordOptions) {
  const settings = settingsOf(options);
  const world = emptyWorld();
  const changes = new EventEmitter().setMaxListeners(0);
  let addresses = { url: '', cdn: '' };
  const platform: Platform = {
    applicationId: TEST_APPLICATION,
    settings,
    world,
    files: createFiles(() => addresses.cdn, options.linkMs ?? 24 * 60 * MINUTE),
    commands: createCommands(TEST_APPLICATION),
    rates: createRates(),
    interactions: createInteractions(settings.acknowledgeMs, settings.interactionTokenMs, (interaction) => {
      changes.emit(`settled ${interaction.id}`);
    }),
    gateway: createGateway({
      ...settings,
      messageContent: () => settings.messageContent,
      url: () => addresses.url.replace('http', 'ws'),
      welcome() {
        const guilds = [...world.guilds.values()];
        const ready = {
          v: 10,
          user: { ...userObject(world.bot), verified: true, mfa_enabled: false, flags: 0, email: null },
          guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
          application: { id: TEST_APPLICATION, flags: settings.messageContent ? 1 << 19 : 0 },
          session_type: 'normal',
          private_channels: [],
          relationships: [],
          user_settings: {},
        };
        const there = guilds.filter((guild) => guild.isAvailable);
        const created = (data: object) => ({ name: 'GUILD_CREATE', intents: 1, data: JSON.stringify(data) });
        return { ready, guilds: there.map((guild) => created(guildCreated(platform, guild))) };
      },
    }),
    changes,
    typing: [],
    nonces: new Map(),
    url: () => addresses.url,
  };
  const places = createPlaces(platform, TEST_GUILD);
  places.addGuild('Emulated guild', { id: TEST_GUILD, channelId: TEST_CHANNELS.general });
  places.addChannel('random', { id: TEST_CHANNELS.random });
  userOf(world, '2001').username = 'owner';
  for (const [name, id] of Object.entries(TEST_PEOPLE)) places.person({ id, username: name, globalName: name });
  // Events before the first start weren't missed by anybody.
  platform.gateway.resetCounts();

  function redeliver(id: string) {
    const interaction = platform.interactions.get(id);
    if (interaction) return emit(platform, 'INTERACTION_CREATE', interaction.event);
    const message = [...world.channels.values()].flatMap((channel) => channel.byId.get(id) ?? []);
    // Only the starter of a thread shares its ID with a channel, so there is at most one.
    if (!message[0]) throw new Error(`no message or interaction ${id}`);
    tellCreated(platform, message[0]);
  }

  const server = await startServer(platform, {
    port: options.port ?? 0,
    keepRequests: options.keepRequests ?? 2000,
    keepFiles: options.keepFiles ?? true,
    maxFileBytes: options.uploadLimit ?? 10 * 1024 * 1024,
  });
  addresses = { url: server.url, cdn: server.cdn };
  const firstPerson = TEST_PEOPLE.alex;
  return {
    platform,
    server,
    places,
    people: createPeople(platform, firstPerson, redeliver),
    ask: createAsk(platform, firstPerson),
    transcript: createTranscript(platform),
  };
}
