/** The composition root: with its folder the only place that knows every part. Order of start and of stop is what it is about. */
import fs from 'node:fs';
import path from 'node:path';
import { type BoardDoor, createBoardDoor } from './app/board/door.ts';
import { programTokens } from './app/board/programs.ts';
import { tellChanges } from './app/changes.ts';
import { buildChannels } from './app/channels.ts';
import { connectAll } from './app/connect.ts';
import { watchGauges } from './app/counting.ts';
import { wireGateway } from './app/gateway.ts';
import { openNaming } from './app/naming.ts';
import { tellPlanEdits } from './app/plans.ts';
import { hearAnswers } from './app/processes/everywhere.ts';
import { openServices, type Services, type ServicesOptions } from './app/services.ts';
import { watchSpace } from './app/space.ts';
import { openWork, type Work } from './app/work.ts';
import type { Places } from './board/guard.ts';
import type { Server } from './board/server.ts';
import { ended, never } from './channels/lead.ts';
import type { QueueItem, Stop } from './engine/engine.ts';
import { errorMessage } from './errors.ts';
import type { Clock } from './jobs/clock.ts';
import { connectionsFor } from './lib/handles.ts';
import { menuSpecs } from './runtime/commands/table.ts';
import type { Entry } from './runtime/contract/entry.ts';
import type { Gateway } from './runtime/gateway.ts';
import { LetIn } from './runtime/intake/let-in.ts';
import { type Readiness, readinessOf } from './runtime/readiness.ts';
import type { GiveUp } from './runtime/run/retries.ts';

export interface AppOptions extends ServicesOptions {
  env: NodeJS.ProcessEnv;
  /** Whether `start` may talk on standard input and output. */
  terminal: boolean;
  /** A taken `http.port` stops the start; without this a free one is used, unless platforms call us. */
  isPortChosen?: boolean;
  /** The signal by which it goes on as the program that stands on the disk then. */
  renewedBy?: NodeJS.Signals;
  /** For the times of jobs; the system's where there is none. */
  clock?: Clock;
  /** The terminal's input has ended and everything was answered. */
  onEnd?: () => void;
  /** Where lines of the log are shown while the terminal is drawn on; undefined: no longer there. */
  onLogPlace?: (show: ((line: string) => void) | undefined) => void;
}

export interface App {
  /**
   * Resolves when every channel has connected once; a platform that cannot be reached keeps it waiting, and everything
   * else works meanwhile. Rejects with ConfigError when no chat channel can ever connect with these settings.
   */
  readonly connected: Promise<void>;
  /** The HTTP port in use; undefined when there is no server. */
  readonly port: number | undefined;
  readiness(): Promise<Readiness>;
  /** Intake first, then runs, then sending; idempotent. */
  stop(): Promise<void>;
}

/** Starts everything and waits for nobody outside. Throws LockedError, or a system error of the home or the port. */
export async function startApp(options: AppOptions): Promise<App> {
  const services = await openServices(options);
  const { env, clock } = options;
  const syncSoon = (file: string) => services.syncSoon.add(file);
  const board = createBoardDoor(services);
  const { linkFor: boardLink } = board;
  const lead = services.roles.has('work') ? services.lead : never;
  const work = openWork({ ...services, ...{ lead }, env, clock, syncSoon, giveUp: giveUpBy(services), boardLink });
  const app = new RunningApp({ services, work, board }, wireGateway(services, work));
  await app.start(options);
  return app;
}

/** Messages that cannot be worked on are kept, and their people are told. */
function giveUpBy({ queue, notifier }: Pick<Services, 'queue' | 'notifier'>): GiveUp {
  return async (items, reason) => {
    for (const item of items) {
      await queue.giveUp(item, reason);
      await notifier.tellGivenUp(item, reason);
    }
  };
}

/** What is left of traces is not worth more than that at a stop. */
const TRACES_MS = 1_500;

interface Parts {
  services: Services;
  work: Work;
  board: BoardDoor;
}

class RunningApp implements App {
  connected: Promise<void> = Promise.resolve();
  readonly #services: Services;
  readonly #work: Work;
  readonly #board: BoardDoor;
  readonly #gateway: Gateway;
  readonly #letIn: LetIn;
  #stopSweeping: (() => Promise<void>) | undefined;
  #unwatchSpace: () => void = () => undefined;
  #server: Server | undefined;
  #hasConnected = false;
  #wasReady = false;
  readonly #untold: () => void;
  #unheard: Stop | undefined;
  #stopping: Promise<void> | undefined;

  constructor({ services, work, board }: Parts, gateway: Gateway) {
    this.#services = services;
    this.#work = work;
    this.#board = board;
    this.#gateway = gateway;
    const ends = [tellPlanEdits(services), tellChanges(services)];
    this.#untold = () => {
      for (const end of ends) end();
    };
    this.#letIn = new LetIn({ ...services, folder: services.home.access, gateway });
  }

  get port(): number | undefined {
    return this.#server?.port;
  }

  async start(options: AppOptions): Promise<void> {
    const { home, engine, roles, shortage, damage, crashed } = this.#services;
    this.#watch();
    try {
      await this.#open(options);
      // With too few files nothing is taken in: the platforms keep what is written, and what waits here goes on waiting.
      if (!shortage?.isTooLow) await this.#work.start(this.#services.roles.has('work'));
      this.#services.roles.start();
    } catch (error) {
      await this.#close();
      throw error;
    }
    const startedAt = new Date().toISOString();
    const { renewedBy } = options;
    const about = { pid: process.pid, port: this.port, startedAt, epoch: engine.epoch, roles: roles.own, renewedBy };
    fs.writeFileSync(path.join(home.run, 'gateway.json'), `${JSON.stringify(about)}\n`, { mode: 0o600 });
    damage.start(home);
    if (!shortage?.isTooLow) this.connected = this.#connect();
    if (!shortage?.isTooLow && !options.localOnly) this.#letIn.start();
    // Who asks for it learns of a failure; nobody has to.
    this.connected.catch(() => 'the channels have said what is wrong');
    crashed.tellBy((item, reason) => void this.#tellCrashed(item, reason));
  }

  async #tellCrashed(item: QueueItem<Entry>, reason: string): Promise<void> {
    const { notifier, log } = this.#services;
    try {
      await notifier.tellGivenUp(item, reason);
      await this.#work.gaveUp([item.message], reason);
    } catch (error) {
      log.error({ err: error, reason }, 'nobody could be told of a message that was given up');
    }
  }

  readiness(): Promise<Readiness> {
    const { home, config, built, engine, queue, delivery, handles, roles, isShared } = this.#services;
    return readinessOf({
      ...{ root: home.root, freeBytes: config.limits.freeBytes, channels: built.channels, engine, queue, delivery },
      ...{ handles: handles.state, roles: isShared ? roles : undefined, isStarted: () => this.#hasConnected },
    });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#close().catch((error: unknown) =>
      this.#services.log.error({ err: errorMessage(error) }, 'stopping failed'),
    );
    return this.#stopping;
  }

  /** What stands on `/metrics`, the daily sweep, and the look at what is left of files and sockets. */
  #watch(): void {
    const { handles, lead } = this.#services;
    watchGauges(this.#services);
    const sweep = () => {
      this.#work.sweep(new Date());
      this.#services.uploads.sweep(new Date());
    };
    this.#stopSweeping = lead('sweeps', async (turn) => {
      // Not at once: a start has better things to do.
      const timers = [setInterval(sweep, 86_400_000).unref(), setTimeout(sweep, 60_000).unref()];
      await ended(turn);
      for (const timer of timers) clearTimeout(timer);
    });
    handles.watch(() => void this.#tellReadiness());
    this.#unwatchSpace = watchSpace(this.#services);
  }

  /** Builds the channels, and serves HTTP but for one-shot commands. */
  async #open({ terminal, localOnly = false, isPortChosen = true, onEnd, onLogPlace }: AppOptions): Promise<void> {
    const { config, home, log, state, lead, built, metrics, limit, news, roles, isShared, engine, conversations } =
      this.#services;
    const isIngress = roles.has('ingress');
    const parts = { work: this.#work, gateway: this.#gateway, readiness: () => this.readiness() };
    const channels = await buildChannels({
      ...{
        mouth: isShared ? engine : undefined,
        config,
        home,
        log,
        state,
        lead,
        commands: menuSpecs(config.language, { servers: Object.keys(config.mcp).length > 0 }),
        terminal: terminal && isIngress,
        localOnly,
        uploads: this.#services.uploads,
        onNotice: (message, taskId) => news.tell({ type: 'notice', message, ...(taskId !== undefined && { taskId }) }),
        conversations,
        nameAt: openNaming(this.#services),
        onEnd: () => onEnd?.(),
        serveHub: async (socket, caller) => (await this.#board.protocol(parts)).sockets.serve(socket, caller),
      },
      onLogPlace: (show) => onLogPlace?.(show),
      ...(localOnly ? {} : { board: this.#board.answer }),
    });
    Object.assign(built, channels);
    const onUnheard = (error: unknown) => log.warn({ err: error }, 'an answer could not be told here');
    if (isShared) this.#unheard = hearAnswers(built.channels, engine, onUnheard);
    if (localOnly) return;
    const { startServer } = await import('./board/server.ts');
    this.#server = await startServer({
      ...{ ...config.http, tokens: programTokens(this.#services), readiness: () => this.readiness() },
      webhooks: isIngress ? built.mounts : new Map(),
      isAnyPort: !isPortChosen && (!isIngress || built.mounts.size === 0),
      ...(isIngress && { board: (places: Places, port: number) => this.#board.load(places, port, parts) }),
      metrics: (accept) => metrics.page(accept),
      maxConnections: connectionsFor(limit),
      onError: (error) => log.error({ err: error }, 'a request over HTTP failed'),
      onWrongTokens: (address) => log.warn({ address }, 'many requests over HTTP with a wrong token'),
    });
    const { port } = this.#server;
    this.#board.port = port;
    if (config.http.port !== 0 && port !== config.http.port)
      log.warn({ port }, `port ${config.http.port} is taken, so port ${port} is used; set http.port to choose one`);
  }

  async #connect(): Promise<void> {
    await connectAll(this.#services, this.#gateway, this.#work, (id) => {
      const channel = this.#services.built.channels.get(id);
      if (channel) this.#services.news.tell({ type: 'channel:status', channel: id, status: channel.status() });
      void this.#tellReadiness();
    });
    this.#hasConnected = true;
    await this.#work.connected();
    await this.#tellReadiness();
  }

  /** Called from the midst of what takes events in, which a failure to look must not end. */
  async #tellReadiness(): Promise<void> {
    const { log } = this.#services;
    try {
      const { ready, channels, handles, roles } = await this.readiness();
      const about = { port: this.port, model: this.#work.modelName(), channels: Object.keys(channels) };
      if (ready && !this.#wasReady) log.info({ ...about, ...(roles && { roles: roles.own }) }, 'ready');
      if (!ready && this.#wasReady) log.warn({ channels, handles }, 'not ready');
      this.#wasReady = ready;
    } catch (error) {
      log.error({ err: error }, 'it could not be seen whether the gateway is ready');
    }
  }

  /** Nothing is taken in any more, what is at work ends or is kept, and what is on its way out is sent. */
  async #close(): Promise<void> {
    const {
      built,
      delivery,
      tracing,
      languages,
      damage,
      handles,
      syncSoon,
      elsewhere,
      unshareLocks,
      engine,
      home,
      log,
    } = this.#services;
    await Promise.all([...built.channels.values()].map((channel) => channel.disconnect()));
    await this.#letIn.close();
    await this.#work.stop();
    await delivery.close(3_000);
    await Promise.all([tracing?.close(TRACES_MS), built.close()]);
    languages.close();
    damage.close();
    await this.#stopSweeping?.();
    handles.close();
    this.#unwatchSpace();
    this.#untold();
    await elsewhere?.close();
    unshareLocks?.();
    await this.#server?.close();
    await this.#board.close();
    await syncSoon.flush();
    fs.rmSync(path.join(home.run, 'gateway.json'), { force: true });
    this.#services.roles.close();
    await this.#unheard?.();
    await engine.close();
    this.#services.release();
    log.info('stopped');
  }
}
