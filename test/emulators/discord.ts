/**
 * The Discord API v10 (REST, gateway socket and CDN) on the loopback interface, as strict as its documentation. Tests
 * act as its people and cause faults on demand. Runs in-process (`startDiscord`) or as a process: `node
 * test/emulators/discord.ts --port N` prints `{"url", "control", "pid"}` and is driven through `discord-client.ts` or
 * any HTTP client.
 */
import type { APIUser } from 'discord-api-types/v10';
import { addSource } from './base/activity.ts';
import { createControl } from './base/control.ts';
import { argument, serveProcess } from './base/remote.ts';
import { until } from './base/wait.ts';
import { assemble } from './discord/assemble.ts';
import type { DiscordControl } from './discord/control.ts';
import { TEST_CHANNELS, TEST_GUILD, TEST_TOKEN } from './discord/fixtures.ts';
import { DEFAULT_LIMITS } from './discord/rates.ts';
import { userObject } from './discord/render.ts';
import type { ChatMessage, GatewayView } from './discord/types.ts';

export type { DiscordControl } from './discord/control.ts';
export { TEST_APPLICATION, TEST_CHANNELS, TEST_GUILD, TEST_PEOPLE, TEST_TOKEN } from './discord/fixtures.ts';
export type * from './discord/types.ts';

export interface DiscordOptions {
  port?: number;
  token?: string;
  /** Whether the bot may read others' messages (the privileged MESSAGE_CONTENT intent is enabled); true by default. */
  messageContent?: boolean;
  /** The interval between heartbeats announced in HELLO, in milliseconds; 41,250 by default. */
  heartbeatMs?: number;
  /** The minimum time between identifies in milliseconds (max_concurrency 1). Discord's is 5000; off (0) by default. */
  identifyMs?: number;
  /** Identifies left for today, reported by GET /gateway/bot and enforced; 1000 by default. */
  identifiesLeft?: number;
  /** How long a dropped session may be resumed, in milliseconds; 60,000 by default. */
  resumeMs?: number;
  /** The time limit for acknowledging an interaction, in milliseconds; 3000 by default. */
  acknowledgeMs?: number;
  /** How long an interaction's token is valid, in milliseconds; 900,000 by default. */
  interactionTokenMs?: number;
  /** How long the address of an attachment is valid, in milliseconds; 86,400,000 by default. */
  linkMs?: number;
  /** The largest upload, in bytes; 10 MiB by default. */
  uploadLimit?: number;
  /** Whether to keep the bytes of uploads (hash and size are always kept); true by default. */
  keepFiles?: boolean;
  /** The number of calls that the log keeps; 2000 by default. */
  keepRequests?: number;
  /** The number of messages that a channel keeps; 50,000 by default. */
  keepMessages?: number;
  /** How long a nonce is remembered, in milliseconds; 300,000 by default. */
  nonceMs?: number;
}

export interface Discord extends DiscordControl {
  /** The apiRoot to configure (`rest.api`), without a version. */
  url: string;
  /** The cdnRoot to configure (`rest.cdn`, and for `rest.mediaProxy`). */
  cdn: string;
  token: string;
  bot: APIUser;
  applicationId: string;
  guildId: string;
  /** The channels that exist at the start, by name. */
  rooms: typeof TEST_CHANNELS;
  /** Resolves with the first message that matches, whether it exists already or comes later. */
  waitFor(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
  /** Calls back for every message created or edited, with its newest state; returns a function that stops this. */
  onMessage(listener: (message: ChatMessage) => void): () => void;
  bytes(attachmentId: string): Buffer;
  close(): Promise<void>;
}

/** Starts the platform on a loopback port; resolves once it listens. */
export async function startDiscord(options: DiscordOptions = {}): Promise<Discord> {
  const { platform, server, people, places, ask, transcript } = await assemble(options);
  const { gateway, interactions, world, files, commands, rates } = platform;
  const { log, faults } = server;

  const removeSource = addSource({
    open: () => (gateway.unconfirmed() > 0 ? [`${gateway.unconfirmed()} events of Discord`] : []),
    count: () => Object.values(gateway.view().dispatched).reduce((sum, each) => sum + each, 0),
  });
  const { control, bytes, counts } = createControl(server, (fileId) => files.get(fileId)?.bytes);

  return {
    ...people,
    ...places,
    ...ask,
    ...transcript,
    ...control,
    url: server.url,
    cdn: server.cdn,
    token: platform.settings.token,
    bot: userObject(world.bot),
    applicationId: platform.applicationId,
    guildId: TEST_GUILD,
    rooms: TEST_CHANNELS,
    bytes,
    facts: () => ({ url: server.url, cdn: server.cdn, token: platform.settings.token }),
    typing: () => [...platform.typing],
    commands: () => commands.list(),
    presence: () => gateway.presence(),
    gateway: () => gateway.view(),
    async connected(timeoutMs = 60_000) {
      if (gateway.view().connected) return gateway.view();
      const words = () => JSON.stringify(gateway.view());
      return until<GatewayView>(gateway.changes, 'ready', () => true, timeoutMs, words);
    },
    dropGateway: (how) => gateway.drop(how),
    refuseReconnects: (n) => gateway.refuse(n),
    askReconnect: () => gateway.send(7, null),
    invalidateSession: (isResumable = false) => gateway.invalidate(isResumable),
    refuseResumes: (n) => gateway.refuseResumes(n),
    stopAcks: (isStopped = true) => gateway.stall(isStopped),
    hold: () => gateway.hold(),
    release: (order) => gateway.release(order),
    dispatch: (event, data) => gateway.force(event, data),
    messageContent(isEnabled) {
      platform.settings.messageContent = isEnabled;
    },
    rate: (limits) => rates.set(limits === false ? undefined : { ...DEFAULT_LIMITS, ...limits }),
    counters: () => ({
      ...{ routes: log.counts('route'), codes: log.counts('code'), ...counts() },
      ...{ gateway: gateway.view(), rate: rates.counts(), interactions: interactions.counts() },
      commandsRegistered: commands.writes(),
      messages: [...world.channels.values()].reduce((sum, channel) => sum + channel.messages.length, 0),
      files: files.count(),
    }),
    commandsRegistered: () => commands.writes(),
    reset() {
      log.clear();
      faults.clear();
      rates.reset();
      gateway.resetCounts();
      interactions.reset();
      commands.resetCounts();
      platform.typing.length = 0;
    },
    async close() {
      removeSource();
      interactions.close();
      gateway.close();
      await server.close();
    },
  };
}

if (import.meta.main) {
  const number = (name: string, fallback: number) => Number(argument(name, String(fallback)));
  const discord = await startDiscord({
    port: number('port', 0),
    token: argument('token', TEST_TOKEN),
    messageContent: argument('message-content', 'yes') === 'yes',
    keepFiles: argument('keep-files', 'yes') === 'yes',
    keepRequests: number('keep-requests', 2000),
    keepMessages: number('keep-messages', 50_000),
    heartbeatMs: number('heartbeat-ms', 41_250),
    identifyMs: number('identify-ms', 0),
  });
  await serveProcess(discord, discord, number('control-port', 0));
}
