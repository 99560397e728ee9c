/**
 * The Discord API v10 (REST, gateway socket and CDN) on loopback, as strict as its documentation, with the people's side
 * to drive it and faults on demand. Runs in-process (`startDiscord`) or as a process: `node test/emulators/discord.ts
 * --port N` prints `{"url", "control", "pid"}` and is driven through `discord-client.ts` or any HTTP client.
 */
import type { APIUser } from 'discord-api-types/v10';
import { assemble } from './discord/assemble.ts';
import type { DiscordControl } from './discord/control.ts';
import { TEST_CHANNELS, TEST_GUILD, TEST_TOKEN } from './discord/fixtures.ts';
import { DEFAULT_LIMITS } from './discord/rates.ts';
import { userObject } from './discord/render.ts';
import type { ChatMessage, GatewayView, LoggedRequest } from './discord/types.ts';
import { argument, serveProcess } from './remote.ts';
import { until } from './wait.ts';

export type { DiscordControl } from './discord/control.ts';
export { TEST_APPLICATION, TEST_CHANNELS, TEST_GUILD, TEST_PEOPLE, TEST_TOKEN } from './discord/fixtures.ts';
export type * from './discord/types.ts';

export interface DiscordOptions {
  port?: number;
  token?: string;
  /** The bot may read what others say (the privileged MESSAGE_CONTENT intent is enabled); true unless told. */
  messageContent?: boolean;
  /** Milliseconds between heartbeats told in HELLO; 41,250 unless told. */
  heartbeatMs?: number;
  /** Milliseconds between identifies (max_concurrency 1); Discord's is 5000, 0 (off) unless told. */
  identifyMs?: number;
  /** Identifies left for today, told by GET /gateway/bot and enforced; 1000 unless told. */
  identifiesLeft?: number;
  /** Milliseconds a dropped session may be resumed; 60,000 unless told. */
  resumeMs?: number;
  /** Milliseconds in which an interaction must be acknowledged; 3000 unless told. */
  acknowledgeMs?: number;
  /** Milliseconds an interaction's token works; 900,000 unless told. */
  interactionTokenMs?: number;
  /** Milliseconds the address of an attachment works; 86,400,000 unless told. */
  linkMs?: number;
  /** Bytes of one upload; 10 MiB unless told. */
  uploadLimit?: number;
  /** Keep the bytes of what the bot uploads (hash and size are always kept); true unless told. */
  keepFiles?: boolean;
  /** Calls the log keeps; 2000 unless told. */
  keepRequests?: number;
  /** Messages a channel keeps; 50,000 unless told. */
  keepMessages?: number;
  /** Milliseconds a nonce is remembered; 300,000 unless told. */
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
  /** The channels it starts with, by name. */
  rooms: typeof TEST_CHANNELS;
  /** Resolves with the first message, there already or to come, that fits. */
  waitFor(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
  /** Calls back for every message created or edited, with its newest state; gives the way to stop. */
  onMessage(listener: (message: ChatMessage) => void): () => void;
  bytes(attachmentId: string): Buffer;
  close(): Promise<void>;
}

/** Starts the platform on a loopback port and resolves once it listens. */
export async function startDiscord(options: DiscordOptions = {}): Promise<Discord> {
  const { platform, server, people, places, ask, transcript } = await assemble(options);
  const { gateway, interactions, world, files, commands, rates } = platform;
  const { log, faults } = server;

  function bytes(attachmentId: string): Buffer {
    const file = files.get(attachmentId);
    if (!file?.bytes) throw new Error(`the bytes of attachment ${attachmentId} are not kept`);
    return file.bytes;
  }

  return {
    ...people,
    ...places,
    ...ask,
    ...transcript,
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
    file: (attachmentId) => bytes(attachmentId).toString('base64'),
    commands: (guildId = '') => commands.list(guildId),
    presence: () => gateway.presence(),
    gateway: () => gateway.view(),
    async connected(timeoutMs = 60_000) {
      if (gateway.view().connected) return gateway.view();
      return until<GatewayView>(
        gateway.changes,
        'ready',
        () => true,
        timeoutMs,
        () => JSON.stringify(gateway.view()),
      );
    },
    dropGateway: (how) => gateway.drop(how),
    refuseReconnects: (n) => gateway.refuse(n),
    askReconnect: () => gateway.send(7, null),
    invalidateSession: (isResumable = false) => gateway.invalidate(isResumable),
    refuseResumes: (n) => gateway.refuseResumes(n),
    stopAcks: (isStopped = true) => gateway.stall(isStopped),
    askHeartbeat: () => gateway.send(1, null),
    hold: () => gateway.hold(),
    release: (order) => gateway.release(order),
    dispatch: (event, data) => gateway.force(event, data),
    messageContent(isEnabled) {
      platform.settings.messageContent = isEnabled;
    },
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    outage: (kind) => server.outage(kind),
    rate: (limits) => rates.set(limits === false ? undefined : { ...DEFAULT_LIMITS, ...limits }),
    counters() {
      const { user, system } = process.cpuUsage();
      return {
        ...log.counts(),
        connections: server.connections(),
        gateway: gateway.view(),
        rate: rates.counts(),
        interactions: interactions.counts(),
        commandsRegistered: commands.writes(),
        messages: [...world.channels.values()].reduce((sum, channel) => sum + channel.messages.length, 0),
        files: files.count(),
        faultsLeft: faults.left(),
        cpuMicros: user + system,
      };
    },
    requests: (route) => log.all().filter((request) => route === undefined || request.route === route),
    async called(route, timeoutMs = 60_000) {
      const fits = (request: LoggedRequest) => request.route === route;
      const known = log.all().findLast(fits);
      return known ?? until(log.seen, 'request', fits, timeoutMs, () => JSON.stringify(log.counts().routes));
    },
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
