/** The composition root: with its folder the only place that knows every part. Order of start and of stop is what it is about. */
import fs from 'node:fs';
import path from 'node:path';
import { Links } from './access/links.ts';
import { openPairing } from './access/pairing.ts';
import { createPeople } from './access/people.ts';
import { type BuiltChannels, buildChannels } from './app/channels.ts';
import { hearDamage } from './app/damage.ts';
import { wireGateway } from './app/gateway.ts';
import { openLive } from './app/live.ts';
import { openWork } from './app/work.ts';
import type { Server } from './board/server.ts';
import type { Address, Channel, ChannelCallbacks } from './channels/channel.ts';
import { accessRulesOf, type Config } from './config.ts';
import type { QueueItem } from './engine/engine.ts';
import { bury } from './engine/local/dead-letters.ts';
import { openLedger } from './engine/local/ledger.ts';
import { acquireLock } from './engine/local/lock.ts';
import { spoolShape } from './engine/local/recovery.ts';
import { openSpool } from './engine/local/spool.ts';
import { openStore } from './engine/local/store.ts';
import { ConfigError, errorMessage } from './errors.ts';
import type { Clock } from './jobs/clock.ts';
import { openCache } from './lib/cache.ts';
import { connectionsFor, createHandles, handleLimit, limitProblem } from './lib/handles.ts';
import { heard, type Logger } from './log.ts';
import { createMetrics } from './metrics.ts';
import { commandSpecs } from './runtime/commands/table.ts';
import { type Entry, laneLimits } from './runtime/contract/entry.ts';
import { entryShape } from './runtime/contract/spool-shapes.ts';
import { openConversations } from './runtime/conversations/conversations.ts';
import { openOwnerNotifier } from './runtime/conversations/owner-notifier.ts';
import { openDelivery } from './runtime/delivery.ts';
import { createBus } from './runtime/live/bus.ts';
import { type Readiness, readinessOf } from './runtime/readiness.ts';
import { createButtons } from './runtime/reply/buttons.ts';
import type { GiveUp } from './runtime/run/retries.ts';
import { openHome } from './workspace/home.ts';

const VIBER = 'default';

export interface AppOptions {
  config: Config;
  homeRoot: string;
  log: Logger;
  env: NodeJS.ProcessEnv;
  /** Whether `start` may talk on standard input and output. */
  terminal: boolean;
  /** Only the machine's own door: for one-shot commands. */
  localOnly?: boolean;
  /** For the times of jobs; the system's where there is none. */
  clock?: Clock;
  /** The terminal's input has ended and everything was answered. */
  onEnd?: () => void;
}

export interface App {
  /**
   * Resolves when every channel has connected once; a platform that cannot be reached keeps it waiting, and everything
   * else works meanwhile. Rejects with ConfigError when no chat channel can ever connect with these settings.
   */
  connected: Promise<void>;
  /** The HTTP port in use; undefined when there is no server. */
  port: number | undefined;
  readiness(): Readiness;
  /** Intake first, then runs, then sending; idempotent. */
  stop(): Promise<void>;
}

/** Starts everything and waits for nobody outside. Throws LockedError, or a system error of the home or the port. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config } = options;
  const limit = options.localOnly ? undefined : handleLimit();
  const handles = createHandles(limit);
  const log = heard(options.log, handles.note);
  const shortage = limitProblem(limit);
  if (shortage) log[shortage.isTooLow ? 'error' : 'warn']({ limit }, shortage.detail);
  const home = await openHome(options.homeRoot);
  const lock = acquireLock(home.run);
  const metrics = createMetrics();
  const store = openStore({ root: home.spool, freeBytes: config.limits.freeBytes });
  const ledger = openLedger(path.join(home.spool, 'ledger'), lock.epoch);
  const damage = hearDamage({ root: home.root, log, tellOwners: (id, text) => notifier.tellOwners(id, text) });
  const dead: { item: QueueItem<Entry>; reason: string }[] = [];
  const queue = await openSpool<Entry>({
    ...{ store, schema: entryShape, onDead: (item, reason) => dead.push({ item, reason }) },
    limits: laneLimits(config.limits.runs, config.limits.runsPerPerson),
  });
  const cache = openCache(home.cache);
  const buttons = createButtons(cache);
  const bus = createBus((error) => log.error({ err: error }, 'a listener of the bus failed'));
  let built: BuiltChannels = { channels: new Map(), mounts: new Map(), close: async () => undefined };
  const channelOf = (address: Pick<Address, 'channel'>) => built.channels.get(address.channel);
  const delivery = openDelivery({
    ...{ store, ledger, log, channelOf: (message) => channelOf(message.address) },
    onOutcome: (outcome) => metrics.count('viber_deliveries_total', { outcome }),
    onDead: (message, reason) => notifier.tellUndelivered(message, reason),
  });
  const { live, settings } = openLive({ config, home, bus, buttons, cache, delivery, channelOf, log });
  const links = new Links(home.access);
  const pairing = openPairing(
    home.access,
    config.people.some((person) => person.role === 'owner'),
  );
  const people = createPeople(config.people, pairing, links, (who) =>
    accessRulesOf(config, who).allow.includes(who.user),
  );
  const conversations = openConversations(home.conversations);
  const notifier = openOwnerNotifier({ folder: home.access, pairing, people, buttons, delivery, log });
  const shared = {
    ...{ config, home, viber: VIBER, queue, conversations, settings, delivery, notifier },
    ...{ people, pairing, links, buttons, metrics, log, channelOf },
  };
  const giveUp: GiveUp = async (items, reason) => {
    for (const item of items) {
      const stored = store.read('cur', item.id, spoolShape(entryShape)) ?? { ...item, dedupeId: '' };
      await bury(store, stored, reason, Date.now());
      await notifier.tellGivenUp(item, reason);
    }
  };
  const work = openWork({
    ...{ ...shared, live, bus, env: options.env, clock: options.clock, syncSoon: store.syncSoon, giveUp },
  });
  const gateway = wireGateway({ ...shared, store });

  const readiness = () =>
    readinessOf({
      ...{ root: home.root, freeBytes: config.limits.freeBytes, channels: built.channels, queue, delivery },
      ...{ handles: handles.state, isStarted: () => started },
    });
  let wasReady = false;
  /** Called from the midst of what takes events in, which a failure to look must not end. */
  function onStatus(): void {
    try {
      tellReadiness();
    } catch (error) {
      log.error({ err: error }, 'it could not be seen whether the gateway is ready');
    }
  }

  function tellReadiness(): void {
    const { ready, channels: states, handles: left } = readiness();
    if (ready && !wasReady)
      log.info({ port: server?.port, model: work.modelName(), channels: Object.keys(states) }, 'ready');
    if (!ready && wasReady) log.warn({ channels: states, handles: left }, 'not ready');
    wasReady = ready;
  }
  metrics.gauge('viber_waiting', 'Messages and answers not finished.', () => queue.size() + delivery.counts().waiting);
  metrics.gauge('viber_dead', 'Messages given up.', () => delivery.counts().dead);
  metrics.gauge('viber_resident_bytes', 'Resident memory.', () => process.memoryUsage.rss());

  let started = false;
  let server: Server | undefined;
  let stopping: Promise<void> | undefined;

  async function connectOne(channel: Channel): Promise<ConfigError | undefined> {
    const callbacks: ChannelCallbacks = {
      async onMessage(message, raw) {
        try {
          return await gateway.accept(message, raw);
        } catch (error) {
          handles.note(error);
          throw error;
        }
      },
      onInterrupt: async (signal, address) => void work.interrupt(signal, address),
      onDropped: (kind) => metrics.count('viber_dropped_total', { channel: channel.id, kind }),
      onSuggest: (query) => gateway.suggest(query),
      onStatus,
    };
    try {
      await channel.connect(callbacks);
      return undefined;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log.error({ channel: channel.id }, error.message);
      return error;
    }
  }

  async function connectAll(): Promise<void> {
    const connecting = Promise.all([...built.channels.values()].map(connectOne));
    // Parsing the model's libraries fills the time in which the platforms answer.
    const [outcomes] = await Promise.all([connecting, work.preload()]);
    const problems = outcomes.filter((problem) => problem !== undefined);
    const chat = [...built.channels.keys()].filter((id) => id !== 'local');
    if (problems.length > 0 && problems.length === chat.length)
      throw new ConfigError(problems.flatMap((problem) => problem.problems));
    started = true;
    await work.connected();
    onStatus();
  }

  async function stop(): Promise<void> {
    await Promise.all([...built.channels.values()].map((channel) => channel.disconnect()));
    await work.stop();
    await delivery.close(3_000);
    await built.close();
    notifier.close();
    damage.close();
    clearInterval(daily);
    clearTimeout(early);
    handles.close();
    await server?.close();
    await cache.close();
    ledger.close();
    await store.close();
    fs.rmSync(path.join(home.run, 'gateway.json'), { force: true });
    lock.release();
    log.info('stopped');
  }

  const prune = () => {
    ledger.prune(store.prune(new Date()));
    work.sweep(new Date());
  };
  const daily = setInterval(prune, 86_400_000).unref();
  // Not at once: a start has better things to do.
  const early = setTimeout(prune, 60_000).unref();
  handles.watch(onStatus);
  try {
    built = await buildChannels({
      ...{ config, home, log, cache, commands: commandSpecs(), terminal: options.terminal },
      localOnly: options.localOnly === true,
      onEnd: () => options.onEnd?.(),
    });
    if (!options.localOnly) {
      const [{ startServer }, { createJobsApi }] = await Promise.all([
        import('./board/server.ts'),
        import('./board/jobs.ts'),
      ]);
      server = await startServer({
        ...{ ...config.http, token: config.http.token, readiness, webhooks: built.mounts },
        api: new Map([['/api/jobs', createJobsApi({ service: work.jobs })]]),
        metrics: () => metrics.render(),
        maxConnections: connectionsFor(limit),
        onError: (error) => log.error({ err: error }, 'a request over HTTP failed'),
        onWrongTokens: (address) => log.warn({ address }, 'many requests over HTTP with a wrong token'),
      });
    }
    // With too few nothing is taken in: the platforms keep what is written, and what waits here goes on waiting.
    if (!shortage?.isTooLow) await work.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const about = { pid: process.pid, port: server?.port, startedAt: new Date().toISOString(), epoch: lock.epoch };
  fs.writeFileSync(path.join(home.run, 'gateway.json'), `${JSON.stringify(about)}\n`, { mode: 0o600 });
  damage.start(home);
  const connected = shortage?.isTooLow ? Promise.resolve() : connectAll();
  // Who asks for it learns of a failure; nobody has to.
  connected.catch(() => 'the channels have said what is wrong');
  for (const { item, reason } of dead) await notifier.tellGivenUp(item, reason);
  return {
    connected,
    port: server?.port,
    readiness,
    stop() {
      stopping ??= stop().catch((error: unknown) => log.error({ err: errorMessage(error) }, 'stopping failed'));
      return stopping;
    },
  };
}
