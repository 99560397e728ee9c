/**
 * Slack, over Socket Mode or signed HTTP, through Bolt. Each event is decoded, handed over and only then acknowledged. Sending
 * is in `send.ts`; only taking events in is ever retried here.
 */
import { ConfigError } from '../../errors.ts';
import { createLru } from '../../lib/lru.ts';
import type { Address, Channel, ChannelCallbacks, ChannelStatus } from '../channel.ts';
import { refuse, type WebhookHandler } from '../shared/webhook.ts';
import { clientOptions, createApi } from './connect/api.ts';
import { createBackfill } from './connect/backfill.ts';
import { createBolt } from './connect/bolt.ts';
import { createDownload } from './connect/download.ts';
import { createHosts } from './connect/hosts.ts';
import { createHttp } from './connect/http.ts';
import { createIntake } from './connect/intake.ts';
import { createPeople } from './connect/people.ts';
import { createProgress } from './connect/read-cursors.ts';
import { type Identity, introduce, isFatal, settingsProblems } from './connect/setup.ts';
import { createSocket, type Socket } from './connect/socket.ts';
import { createTransport } from './connect/transport.ts';
import type { Self } from './decode/decode.ts';
import { createAssistant } from './live/assistant.ts';
import { createLive } from './live/live.ts';
import { createLiveShow } from './live/show.ts';
import { createShowTask } from './live/show-task.ts';
import { createOpenThread } from './live/threads.ts';
import { LIMITS, type SlackOptions, TIMING } from './options.ts';
import { createFindPlace } from './send/find-place.ts';
import { createReadBack } from './send/read-back.ts';
import { createRespond } from './send/respond.ts';
import { createSend } from './send/send.ts';
import { createUpload } from './send/upload.ts';

export { checkSlack, slackCard } from './connect/check.ts';
export { slackManifest } from './connect/manifest.ts';
export { SLACK_EVENTS, SLACK_SCOPES } from './connect/scopes.ts';
export type { SlackOptions } from './options.ts';

/**
 * A channel; in mode `http` with the handler that the HTTP server calls for Slack's requests, of all three kinds.
 * `connect` throws ConfigError for tokens Slack does not accept and for missing scopes; while Slack cannot be reached it goes on
 * trying, with status `reconnecting`.
 */
export function createSlack(options: SlackOptions): Channel & { webhook?: WebhookHandler } {
  const { botToken, mode, live: liveMode, log, cache } = options;
  const timing = { ...TIMING, ...options.timing };
  const stopping = new AbortController();
  let status: ChannelStatus = { state: 'off' };
  let identity: Identity | undefined;
  let self: Self | undefined;
  let callbacks: ChannelCallbacks | undefined;

  const transport = createTransport();
  const hosts = createHosts(options.apiRoot);
  const client = clientOptions(options.apiRoot, transport);
  const way: Socket & { handler?: WebhookHandler } = mode === 'socket' ? openSocket() : openHttp();
  const bolt = createBolt({
    botToken,
    receiver: way.receiver,
    client,
    log,
    take: (body) => intake.take(body),
    onUnknown: () => callbacks?.onDropped('unknown'),
  });
  const api = createApi(bolt.client);
  const me = () => identity ?? { userId: '', botId: '' };
  const readBack = createReadBack({ api, self: me, skewMs: transport.skewMs });
  const respond = createRespond({ transport, hosts });
  const upload = createUpload({ api, transport, hosts, onShared: readBack.arrived });
  const assistant = createAssistant({ api, log });
  const people = createPeople({ api, cache, log, saveMs: timing.saveMs });
  const progress = createProgress(options.cursors);
  const recipients = createLru<string>(2000);
  const intake = createIntake({
    ...{ self: () => self, callbacks: () => callbacks, progress, people, assistant, respond, log },
    signal: stopping.signal,
    backfill: () => backfill,
    onAccepted: ({ address, sender, messageId }) => {
      if (!sender.isBot) recipients.set(placeOf(address), sender.user);
      if (address.thread === messageId && messageId !== '') tasks.learn(address, { kind: 'theirs' });
    },
  });
  const backfill = createBackfill({
    ...{ api, self: () => self, progress, log, signal: stopping.signal },
    accept: (message, raw) => intake.accept(message, raw),
    read: (body, me) => intake.read(body, me),
    onDropped: (kind) => callbacks?.onDropped(kind),
  });
  const tasks = createShowTask({ api, assistant, self: () => identity, log, everyMs: timing.taskMs });
  const live = createLive({
    show: createLiveShow({ api, teamId: () => identity?.teamId ?? '', log }),
    assistant,
    mode: liveMode,
    log,
    recipientOf: (address) => recipients.get(placeOf(address)),
    timing: timing.live,
  });

  function openSocket() {
    return createSocket({
      appToken: options.appToken || 'missing',
      client: { ...client },
      log,
      onStatus: setStatus,
      onOpening: () => backfill.expect(),
      onOpen: () => backfill.start(),
      onLimited,
      fatal: isFatal,
      ...timing,
    });
  }

  function openHttp() {
    const http = createHttp({ signingSecret: options.signingSecret ?? '', log, onLimited });
    const open = async () => {
      setStatus({ state: 'connected' });
      backfill.start();
    };
    return { ...http, open, close: async () => undefined };
  }

  function setStatus(next: ChannelStatus): void {
    if (next.state === status.state && next.detail === status.detail) return;
    if (stopping.signal.aborted && next.state !== 'off') return;
    if (next.detail !== undefined) log.warn({ channel: 'slack', state: next.state }, next.detail);
    status = next;
    callbacks?.onStatus();
  }

  function onLimited(): void {
    log.warn(
      { channel: 'slack' },
      'Slack holds back events for the rest of the minute; they are looked for afterwards',
    );
    setTimeout(() => {
      if (!stopping.signal.aborted) backfill.start();
    }, timing.limitedMs).unref();
  }

  async function webhook(...[request, response]: Parameters<WebhookHandler>): Promise<void> {
    if (!way.handler || !self || stopping.signal.aborted) return refuse(request, response, 503);
    await way.handler(request, response);
  }

  return {
    id: 'slack',
    limits: LIMITS,
    isExact: true,
    whispers: true,
    get account() {
      return identity?.userId ?? '';
    },
    status: () => status,
    async connect(given) {
      callbacks = given;
      const problems = settingsProblems(options);
      if (problems.length > 0) throw new ConfigError(problems);
      setStatus({ state: 'connecting' });
      const { signal } = stopping;
      [identity] = await Promise.all([
        introduce({ api, log, onStatus: setStatus, backoffMs: timing.backoffMs, signal }),
        people.load(),
      ]);
      if (!identity || signal.aborted) return;
      const commands = new Map(options.commands.map((command) => [command.name, command]));
      self = {
        ...identity,
        commands,
        command: options.command,
        nameOf: people.nameOf,
        languageOf: people.languageOf,
        zoneOf: people.zoneOf,
      };
      await way.open();
    },
    async disconnect() {
      stopping.abort();
      live.close();
      await way.close();
      await intake.idle();
      setStatus({ state: 'off' });
    },
    send: createSend({
      ...{ api, readBack, upload, respond, limits: LIMITS, command: options.command, log },
      botName: () => identity?.name || 'viber',
    }),
    download: createDownload({ api, transport, hosts, botToken }),
    stream: async (event, address, view) => live.event(event, address, view),
    livePace: live.pace,
    endStream: (runId, address, isAnswered) => live.end(runId, address, isAnswered),
    openThread: createOpenThread({
      ...{ api, readBack, respond, progress, identity: () => identity, log },
      onOpened: (address, root, key) => tasks.learn(address, { kind: 'ours', root, key }),
    }),
    showTask: (address, task) => tasks.show(address, task),
    findPlace: createFindPlace({ api, identity: () => identity }),
    ...(mode === 'http' && { webhook }),
  };
}

function placeOf({ chat, thread }: Address): string {
  return `${chat}:${thread ?? ''}`;
}
