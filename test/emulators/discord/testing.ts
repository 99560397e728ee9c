/** A real discord.js client connected to an emulator, for the emulator's own tests. */
import { once } from 'node:events';
import { Client, Events, GatewayIntentBits, type Message, Partials, type RESTOptions } from 'discord.js';
import { type Discord, type DiscordOptions, startDiscord } from '../discord.ts';

export const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];

export interface Bench {
  discord: Discord;
  client: Client;
  /** Other people's messages that the client has seen, oldest first. */
  heard: Message[];
  /** Resolves when this many have been seen. */
  hears(count: number): Promise<Message[]>;
  end(): Promise<void>;
}

/**
 * Sends with Node's own fetch: the library's HTTP client uses the process's shared connections, which another version
 * of it may have opened for another test, and those refuse the forms of this one.
 */
const send: RESTOptions['makeRequest'] = (url, { body, headers, method = 'GET', signal }) =>
  fetch(url, {
    method,
    headers: new Headers(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)])),
    signal: signal instanceof AbortSignal ? signal : null,
    body: typeof body === 'string' || body instanceof FormData ? body : null,
  });

export function clientFor(discord: Discord, intents = INTENTS, rest: Partial<RESTOptions> = {}): Client {
  const addresses = { api: discord.url, cdn: discord.cdn, mediaProxy: discord.cdn };
  return new Client({
    intents,
    partials: [Partials.Channel],
    // Against hanging only: a busy machine takes seconds for an upload of ten megabytes.
    rest: { ...addresses, retries: 0, timeout: 60_000, makeRequest: send, ...rest },
  });
}

/** Starts an emulator and a client that is connected to it. */
export async function bench(
  options: DiscordOptions = {},
  intents = INTENTS,
  rest: Partial<RESTOptions> = {},
): Promise<Bench> {
  const discord = await startDiscord(options);
  const client = clientFor(discord, intents, rest);
  const heard: Message[] = [];
  client.on(Events.MessageCreate, (message) => {
    if (message.author.id !== client.user?.id) heard.push(message);
  });
  const ready = once(client, Events.ClientReady);
  await client.login(discord.token);
  await ready;
  return {
    discord,
    client,
    heard,
    async hears(count) {
      while (heard.length < count) await once(client, Events.MessageCreate, { signal: AbortSignal.timeout(60_000) });
      return heard;
    },
    async end() {
      await client.destroy();
      await discord.close();
    },
  };
}
