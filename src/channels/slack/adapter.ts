/**
 * Connects Slack over Socket Mode or signed HTTP, through Bolt. Each event is decoded, handed on and only then
 * acknowledged. Sending is in `send.ts`; only receiving is ever retried here.
 */
import { ConfigError } from '../../errors.ts';
import type { Channel } from '../channel.ts';
import { createChannelState } from '../shared/connection.ts';
import { refuseRequest, type WebhookHandler } from '../shared/webhook.ts';
import { clientOptions, createApi } from './connect/api.ts';
import { createBarred, createDirectTo } from './connect/barred.ts';
import { createBolt } from './connect/bolt.ts';
import { createDownload } from './connect/download.ts';
import { createHosts } from './connect/hosts.ts';
import { createHttp } from './connect/http.ts';
import { introduce, isFatal, settingsProblems } from './connect/setup.ts';
import { createSocket, type Socket } from './connect/socket.ts';
import { createTransport } from './connect/transport.ts';
import { LIMITS, type SlackOptions, TIMING } from './options.ts';
import { createParts, type Parts, type Session } from './parts.ts';

export { checkSlack, slackCard } from './connect/check.ts';
export { slackManifest } from './connect/manifest.ts';
export { SLACK_EVENTS, SLACK_SCOPES } from './connect/scopes.ts';
export type { SlackOptions } from './options.ts';

/**
 * Creates the channel; in `http` mode with the handler for all three kinds of Slack's requests. While Slack is
 * unreachable, `connect` keeps trying, with status `reconnecting`. `connect` throws ConfigError for tokens that Slack
 * rejects and for missing scopes.
 */
export function createSlack(options: SlackOptions): Channel & { webhook?: WebhookHandler } {
  const { botToken, mode, log } = options;
  const timing = { ...TIMING, ...options.timing };
  const stopping = new AbortController();
  const { signal } = stopping;
  const session: Session = { signal };
  const state = createChannelState('slack', log, () => session.callbacks?.onStatus());
  const setStatus: typeof state.set = (next) => {
    if (!signal.aborted || next.state === 'off') state.set(next);
  };

  const transport = createTransport();
  const hosts = createHosts(options.apiRoot);
  const client = clientOptions(options.apiRoot, transport);
  const way = openWay(options, { client, setStatus, signal, parts: () => parts });
  const bolt = createBolt({
    botToken,
    receiver: way.receiver,
    client,
    log,
    take: (body) => parts.intake.take(body),
    onUnknown: () => session.callbacks?.onDropped('unknown'),
  });
  const api = createApi(bolt.client);
  const parts = createParts({ options, session, api, transport, hosts });
  const { people, intake, live, tasks } = parts;

  async function webhook(...[request, response]: Parameters<WebhookHandler>): Promise<void> {
    if (!way.handler || !session.self || signal.aborted) return refuseRequest(request, response, 503);
    await way.handler(request, response);
  }

  return {
    id: 'slack',
    limits: LIMITS,
    isExact: true,
    whispers: true,
    get account() {
      return session.identity?.userId ?? '';
    },
    status: state.get,
    async connect(callbacks, { sendOnly = false } = {}) {
      session.callbacks = callbacks;
      const problems = settingsProblems(options);
      if (problems.length > 0) throw new ConfigError(problems);
      setStatus({ state: 'connecting' });
      const introducing = introduce({ api, log, onStatus: setStatus, backoffMs: timing.backoffMs, signal });
      [session.identity] = await Promise.all([introducing, people.load()]);
      if (!session.identity || signal.aborted) return;
      const commands = new Map(options.commands.map((command) => [command.name, command]));
      const { languageOf, zoneOf } = people;
      const { teamId } = session.identity;
      const nameOf = (user: string) => options.nameOf?.(user, teamId) ?? people.nameOf(user);
      session.self = { ...session.identity, commands, command: options.command, nameOf, languageOf, zoneOf };
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
    download: createDownload({ api, transport, hosts, botToken }),
    stream: async (event, address, view) => live.event(event, address, view),
    livePace: live.pace,
    endStream: (runId, address, isAnswered) => live.end(runId, address, isAnswered),
    openThread: parts.openThread,
    pointTo: parts.pointTo,
    showTask: (address, task) => tasks.show(address, task),
    findPlace: parts.findPlace,
    lookUp: parts.lookUp,
    barred: createBarred({ api }),
    directTo: createDirectTo({ api }),
    ...(mode === 'http' && { webhook }),
  };
}

interface WayOptions {
  client: ReturnType<typeof clientOptions>;
  setStatus: ReturnType<typeof createChannelState>['set'];
  signal: AbortSignal;
  /** A getter, because the parts are created after this. */
  parts: () => Parts;
}

/** Chooses how events arrive: over a socket that we open, or by Slack's requests. */
function openWay(options: SlackOptions, to: WayOptions): Socket & { handler?: WebhookHandler } {
  const { mode, log } = options;
  const timing = { ...TIMING, ...options.timing };
  const { setStatus, parts } = to;

  function onLimited(): void {
    const why = 'Slack holds back events for the rest of the minute; they are looked for afterwards';
    log.warn({ channel: 'slack' }, why);
    setTimeout(() => {
      if (!to.signal.aborted) parts().backfill.start();
    }, timing.limitedMs).unref();
  }

  if (mode === 'socket')
    return createSocket({
      appToken: options.appToken || 'missing',
      client: { ...to.client },
      log,
      onLimited,
      fatal: isFatal,
      onStatus: setStatus,
      onOpening: () => parts().backfill.expect(),
      onOpen: () => parts().backfill.start(),
      ...timing,
    });
  const http = createHttp({ signingSecret: options.signingSecret ?? '', log, onLimited });
  const open = async () => {
    setStatus({ state: 'connected' });
    parts().backfill.start();
  };
  return { ...http, open, close: async () => undefined };
}
