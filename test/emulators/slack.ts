/**
 * Slack on the loopback interface: Web API, Socket Mode, signed HTTP delivery and file host, as strict as its
 * documentation. Tests act as its people and cause faults on demand. Runs in-process (`startSlack`) or as a process:
 * `node test/emulators/slack.ts --port N` prints `{"url", "control", "pid"}` and is driven through `slack-client.ts`.
 */
import { addSource } from './base/activity.ts';
import { argument, serveProcess } from './base/remote.ts';
import type { SlackControl } from './slack/control.ts';
import { createSlackControl } from './slack/control-object.ts';
import { createDeliveries } from './slack/deliveries.ts';
import { createEvents } from './slack/events.ts';
import { createHooks } from './slack/hooks.ts';
import { ALL_SCOPES, type Platform } from './slack/platform.ts';
import { createRequestUrl } from './slack/request-url.ts';
import { startServer } from './slack/server.ts';
import { startSockets } from './slack/sockets.ts';
import type { SlackOptions, SlackUser } from './slack/types.ts';
import type { Transcript } from './slack/view.ts';
import { createWorld } from './slack/world.ts';

export type { Outage } from './base/faults.ts';
export type { Counters, SlackControl } from './slack/control.ts';
export type { Fault } from './slack/faults.ts';
export { ALL_SCOPES } from './slack/platform.ts';
export type {
  Ack,
  Interaction,
  Press,
  RawAnswer,
  RawRequest,
  ResponsePost,
  Said,
  SayOptions,
  SentFile,
  SlackOptions,
  SlackUser,
  Slash,
} from './slack/types.ts';
export type { ChannelView, ChatMessage, Ping, ShownButton, ShownFile, Wanted } from './slack/view.ts';
export { visibleText } from './slack/visible.ts';

export const TEST_BOT_TOKEN = 'xoxb-emulated-bot-token-for-tests-only';
export const TEST_APP_TOKEN = 'xapp-emulated-app-token-for-tests-only';
export const TEST_SIGNING_SECRET = 'emulated-signing-secret-for-tests-only';
export const TEST_TEAM = { id: 'T0EMULATE', name: 'Emulated', domain: 'emulated' };
export const TEST_BOT = { userId: 'U0VIBER00', botId: 'B0VIBER00', appId: 'A0VIBER00', name: 'viber' };
/** Two people exist from the start, both in the channel TEST_CHANNEL with the bot. */
export const TEST_USERS = { alex: 'U0ALEX000', sam: 'U0SAM0000' };
export const TEST_CHANNEL = 'C0GENERAL';

export interface Slack extends SlackControl, Pick<Transcript, 'waitFor' | 'onMessage'> {
  /** `http://127.0.0.1:PORT/api/`, for `clientOptions.slackApiUrl`. */
  url: string;
  /** Host and port of the files (`127.0.0.1:PORT`), where a download may carry the token. */
  fileHost: string;
  botToken: string;
  appToken: string;
  signingSecret: string;
  team: typeof TEST_TEAM;
  bot: typeof TEST_BOT;
  users: Record<'alex' | 'sam', SlackUser>;
  /** The public channel that exists from the start. */
  general: string;
  bytes(fileId: string): Buffer;
  close(): Promise<void>;
}

/** Starts the platform on a loopback port; resolves once it listens. */
export async function startSlack(options: SlackOptions = {}): Promise<Slack> {
  const botToken = options.botToken ?? TEST_BOT_TOKEN;
  const appToken = options.appToken ?? TEST_APP_TOKEN;
  const signingSecret = options.signingSecret ?? TEST_SIGNING_SECRET;
  const ackTimeoutMs = options.ackTimeoutMs ?? 3000;
  const retryDelaysMs = options.retryDelaysMs ?? [0, 60_000, 300_000];
  let scopes = new Set(options.scopes ?? ALL_SCOPES);

  const world = createWorld(TEST_TEAM, TEST_BOT, options.keepFiles ?? true);
  const alex = world.addUser({ id: TEST_USERS.alex, name: 'alex', realName: 'Alex Example' });
  const sam = world.addUser({ id: TEST_USERS.sam, name: 'sam', realName: 'Sam Example' });
  const members = [alex.id, sam.id, TEST_BOT.userId];
  world.addChannel({ id: TEST_CHANNEL, name: 'general', kind: 'channel', members });

  const sockets = await startSockets({
    appId: TEST_BOT.appId,
    pingMs: options.pingMs ?? 5000,
    lingers: options.socketsLinger ?? false,
  });
  const requestUrl = createRequestUrl(signingSecret, 'emulated-verification-token', ackTimeoutMs);
  const deliveries = createDeliveries(
    (outgoing) => (requestUrl.targets() ? requestUrl.send(outgoing) : sockets.send(outgoing)),
    { ackTimeoutMs, retryDelaysMs },
  );
  const events = createEvents(world, deliveries, () => scopes);
  const hooks = createHooks(() => platform, {
    responseLifetimeMs: options.responseLifetimeMs ?? 30 * 60_000,
  });
  const platform: Platform = {
    world,
    events,
    deliveries,
    sockets,
    requestUrl,
    hooks,
    pings: [],
    scopes: () => scopes,
    botToken,
    appToken,
    shareDelayMs: options.shareDelayMs ?? 20,
    uploadLimit: options.uploadLimit ?? 1024 ** 3,
    withheld: undefined,
    streamIdleMs: options.streamIdleMs ?? 300_000,
  };
  const server = await startServer(platform, options.port ?? 0, options.keepRequests ?? 2000);
  world.base = `http://127.0.0.1:${server.port}`;
  const control = createSlackControl(platform, server, {
    user: alex.id,
    channel: TEST_CHANNEL,
    setScopes: (next) => {
      scopes = new Set(next);
    },
  });

  const removeSource = addSource({
    open: () => (deliveries.underWay() > 0 ? [`${deliveries.underWay()} events of Slack`] : []),
    count: () => deliveries.counts().acknowledged,
  });
  return {
    ...control,
    url: `${world.base}/api/`,
    fileHost: `127.0.0.1:${server.port}`,
    botToken,
    appToken,
    signingSecret,
    team: TEST_TEAM,
    bot: TEST_BOT,
    users: { alex, sam },
    general: TEST_CHANNEL,
    bytes: (fileId) => Buffer.from(control.file(fileId), 'base64'),
    async close() {
      removeSource();
      deliveries.reset();
      await sockets.close();
      await server.close();
    },
  };
}

if (import.meta.main) {
  const slack = await startSlack({
    port: Number(argument('port', '0')),
    botToken: argument('bot-token', TEST_BOT_TOKEN),
    appToken: argument('app-token', TEST_APP_TOKEN),
    keepFiles: argument('keep-files', 'yes') === 'yes',
    keepRequests: Number(argument('keep-requests', '2000')),
    ackTimeoutMs: Number(argument('ack-timeout-ms', '3000')),
    retryDelaysMs: argument('retry-delays-ms', '0,60000,300000').split(',').map(Number),
  });
  await serveProcess(slack, slack, Number(argument('control-port', '0')));
}
