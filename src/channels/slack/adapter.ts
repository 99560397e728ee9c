/**
 * Connects Slack over Socket Mode or signed HTTP, through Bolt. Each event is decoded, handed on and only then
 * acknowledged. Sending is in `send.ts`; only receiving is ever retried here.
 */
import { ConfigError } from '../../errors.ts';
import type { Channel, ChannelStatus } from '../channel.ts';
import { createChannelState } from '../shared/connection.ts';
import { refuseRequest, type WebhookHandler } from '../shared/webhook.ts';
import { clientOptions, createApi } from './connect/api.ts';
import type { Backfill } from './connect/backfill.ts';
import { createBarred } from './connect/barred.ts';
import { startBolt } from './connect/bolt.ts';
import { createDownload } from './connect/download.ts';
import { createHosts } from './connect/hosts.ts';
import { createHttp } from './connect/http.ts';
import { introduce, isFatal, settingsProblems } from './connect/setup.ts';
import { createSocket, type Socket } from './connect/socket.ts';
import { createTransport } from './connect/transport.ts';
import { LIMITS, type SlackContext, type SlackOptions, TIMING } from './options.ts';
import { createParts } from './parts.ts';
import { createDirectTo } from './send/direct.ts';
import { createFindPlace } from './send/find-place.ts';

export { checkSlack, slackCard } from './connect/check.ts';
export { slackManifest, slackManifestLink } from './connect/manifest.ts';
export { SLACK_EVENTS, SLACK_SCOPES } from './connect/scopes.ts';
export type { SlackOptions } from './options.ts';

/**
 * Creates the channel; in `http` mode with the handler for all three kinds of Slack's requests. While Slack is
 * unreachable, `connect` keeps trying, with status `reconnecting`. `connect` throws ConfigError for tokens that Slack
 * rejects and for missing scopes.
 */
export function createSlack(options: SlackOptions): Channel & { webhook?: WebhookHandler } {
  const { botToken, apiRoot, mode, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const transport = createTransport();
  const slack: SlackContext = {
    options,
    timing: { ...TIMING, ...options.timing },
    log,
    api: createApi(botToken, { apiRoot, transport, log }),
    transport,
    hosts: createHosts(apiRoot),
    signal,
  };
  const state = createChannelState('slack', log, () => slack.callbacks?.onStatus());
  const setStatus: typeof state.set = (next) => {
    if (!signal.aborted || next.state === 'off') state.set(next);
  };
  const parts = createParts(slack);
  const { people, intake, live, tasks } = parts;
  const way = openWay(slack, intake.backfill, setStatus);
  startBolt({
    botToken,
    receiver: way.receiver,
    log,
    take: (body) => intake.take(body),
    onUnknown: () => slack.callbacks?.onDropped('unknown'),
  });

  async function webhook(...[request, response]: Parameters<WebhookHandler>): Promise<void> {
    if (!way.handler || !slack.self || signal.aborted) return refuseRequest(request, response, 503);
    await way.handler(request, response);
  }

  return {
    id: 'slack',
    limits: LIMITS,
    isExact: true,
    whispers: true,
    get account() {
      return slack.identity?.userId ?? '';
    },
    status: state.get,
    async connect(callbacks, { sendOnly = false } = {}) {
      slack.callbacks = callbacks;
      const problems = settingsProblems(options);
      if (problems.length > 0) throw new ConfigError(problems);
      setStatus({ state: 'connecting' });
      const [identity] = await Promise.all([introduce(slack, setStatus), people.load()]);
      slack.identity = identity;
      if (!identity || signal.aborted) return;
      const commands = new Map(options.commands.map((command) => [command.name, command]));
      const { languageOf, zoneOf } = people;
      const nameOf = (user: string) => options.nameOf?.(user, identity.teamId) ?? people.nameOf(user);
      slack.self = { ...identity, commands, command: options.command, nameOf, languageOf, zoneOf };
      if (sendOnly) return setStatus({ state: 'connected' });
      await way.open();
    },
    async disconnect() {
      stopping.abort();
      live.close();
      await way.close();
      await intake.idle();
      setStatus({ state: 'off' });
    },
    send: parts.send,
    download: createDownload(slack),
    stream: async (event, address, view) => live.event(event, address, view),
    livePace: live.pace,
    endStream: (runId, address, isAnswered) => live.end(runId, address, isAnswered),
    openThread: parts.openThread,
    pointTo: parts.pointTo,
    showTask: (address, task) => tasks.show(address, task),
    findPlace: createFindPlace(slack),
    lookUp: parts.lookUp,
    barred: createBarred(slack),
    directTo: createDirectTo(slack),
    ...(mode === 'http' && { webhook }),
  };
}

/** Chooses how events arrive: over a socket that we open, or by Slack's requests. */
function openWay(
  { options, timing, transport, log, signal }: SlackContext,
  backfill: Backfill,
  onStatus: (status: ChannelStatus) => void,
): Socket & { handler?: WebhookHandler } {
  function onLimited(): void {
    log.warn({ channel: 'slack' }, 'Slack withholds events for the rest of the minute; they are fetched afterwards');
    setTimeout(() => {
      if (!signal.aborted) backfill.start();
    }, timing.limitedMs).unref();
  }

  if (options.mode === 'socket')
    return createSocket({
      appToken: options.appToken || 'missing',
      client: clientOptions({ apiRoot: options.apiRoot, transport, log }),
      log,
      onLimited,
      fatal: isFatal,
      onStatus,
      onOpening: () => backfill.expect(),
      onOpen: () => backfill.start(),
      ...timing,
    });
  const http = createHttp({ signingSecret: options.signingSecret ?? '', log, onLimited });
  const open = async () => {
    onStatus({ state: 'connected' });
    backfill.start();
  };
  return { ...http, open, close: async () => undefined };
}
