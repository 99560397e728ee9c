/** The composition root: only it and its folder know every part. It determines the order of start and stop. */
import fs from 'node:fs';
import path from 'node:path';
import { programTokens } from './app/board/programs.ts';
import { tellChanges } from './app/changes.ts';
import { addChat, buildChannels } from './app/channels.ts';
import { connectAdded, connectAll } from './app/connect.ts';
import type { GatewayOptions, OpenGateway } from './app/contract.ts';
import { watchGauges } from './app/counting.ts';
import { openGateway } from './app/gateway.ts';
import { withPlugins } from './app/plugins.ts';
import { receiveAnswers } from './app/processes/everywhere.ts';
import { watchSpace } from './app/space.ts';
import type { Server } from './board/server.ts';
import { ended } from './channels/lead.ts';
import type { Stop } from './engine/engine.ts';
import { errorMessage } from './errors.ts';
import { connectionsFor } from './lib/handles.ts';
import type { FolderWatch } from './lib/watch-folders.ts';
import type { LoadedFeature } from './plugin/load.ts';
import type { Places, Readiness } from './runtime/contract/board.ts';
import { LetIn } from './runtime/intake/let-in.ts';
import { readinessOf } from './runtime/readiness.ts';

export interface AppOptions extends GatewayOptions {
  env: NodeJS.ProcessEnv;
  /** Whether `start` may use standard input and output. */
  terminal: boolean;
  /** If set, the start fails if `http.port` is in use; otherwise a free port is used, unless platforms call us. */
  isPortChosen?: boolean;
  /** The signal at which this process replaces itself with the program now on disk. */
  renewedBy?: NodeJS.Signals;
  /** The configuration that was read. */
  configFile?: string | undefined;
  /** External features, in addition to those of the table. */
  plugins?: readonly LoadedFeature[];
  /** Called when the terminal's input has ended and everything has been answered. */
  onEnd?: () => void;
  /** Sets where log lines are shown while the terminal draws its screen; undefined when it no longer does. */
  onLogPlace?: (show: ((line: string) => void) | undefined) => void;
}

export interface App {
  /**
   * Resolves when every channel has connected once. An unreachable platform delays it while everything else works.
   * Rejects with ConfigError if no chat channel can ever connect with these settings.
   */
  readonly connected: Promise<void>;
  /** The HTTP port in use; undefined if there is no server. */
  readonly port: number | undefined;
  readiness(): Promise<Readiness>;
  /** Stops the intake first, then runs, which may take `graceMs` to end, then sending. Idempotent. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Starts everything without waiting for platforms.
 * @throws LockedError, or a system error of the home or the port
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { plugins = [], log } = options;
  const features = plugins.length > 0 ? { features: await withPlugins(plugins, log) } : {};
  const app = new RunningApp(await openGateway({ ...options, ...features }));
  await app.start(options);
  return app;
}

class RunningApp implements App {
  connected: Promise<void> = Promise.resolve();
  readonly #open: OpenGateway;
  readonly #letIn: LetIn;
  #stopSweeping: (() => Promise<void>) | undefined;
  #reloading: FolderWatch | undefined;
  #unwatchSpace: () => void = () => undefined;
  #server: Server | undefined;
  #hasConnected = false;
  #wasReady = false;
  readonly #unsubscribe: () => void;
  #unsubscribeAnswers: Stop | undefined;
  #stopping: Promise<void> | undefined;

  constructor(open: OpenGateway) {
    this.#open = open;
    this.#unsubscribe = tellChanges(open.gw);
    this.#letIn = new LetIn(open.gw);
  }

  get port(): number | undefined {
    return this.#server?.port;
  }

  async start(options: AppOptions): Promise<void> {
    const { gw, host } = this.#open;
    const { roles, shortage } = host;
    this.#watch();
    try {
      await this.#build(options);
      // With too few file handles, nothing is accepted: platforms keep new messages, and pending ones stay here.
      if (!shortage?.isTooLow) await this.#open.start();
      roles.start();
    } catch (error) {
      await this.#close();
      throw error;
    }
    const startedAt = new Date().toISOString();
    const { renewedBy } = options;
    const about = { pid: process.pid, port: this.port, startedAt, epoch: gw.engine.epoch, roles: roles.own, renewedBy };
    fs.writeFileSync(path.join(gw.home.run, 'gateway.json'), `${JSON.stringify(about)}\n`, { mode: 0o600 });
    host.damage?.start(gw.home);
    if (!shortage?.isTooLow) this.connected = this.#connect();
    if (!shortage?.isTooLow && !options.localOnly) this.#letIn.start();
    if (options.configFile !== undefined) {
      const { watchConfig } = await import('./app/reload.ts');
      this.#reloading = watchConfig({
        config: gw.config,
        file: options.configFile,
        home: gw.home.root,
        log: gw.log,
      });
    }
    // Callers who await it see a failure, but nobody has to await it.
    this.connected.catch(() => 'the channels have said what is wrong');
  }

  readiness(): Promise<Readiness> {
    const { gw, host } = this.#open;
    const { home, config, engine, delivery } = gw;
    return readinessOf({
      root: home.root,
      freeBytes: config.limits.freeBytes,
      channels: host.built.channels,
      engine,
      queue: engine.queue,
      delivery,
      handles: host.handles.state,
      roles: host.shared && host.roles,
      isStarted: () => this.#hasConnected,
    });
  }

  stop(graceMs?: number): Promise<void> {
    this.#stopping ??= this.#close(graceMs).catch((error: unknown) =>
      this.#open.gw.log.error({ err: errorMessage(error) }, 'stopping failed'),
    );
    return this.#stopping;
  }

  /** Starts the gauges of `/metrics`, the daily sweep, and the checks of free file handles and disk space. */
  #watch(): void {
    const { gw, host, uploads } = this.#open;
    watchGauges(gw, host);
    const sweep = () => {
      this.#open.sweep(new Date());
      uploads.sweep(new Date());
    };
    this.#stopSweeping = host.lead('sweeps', async (turn) => {
      // The first sweep is delayed so that it doesn't slow the start.
      const timers = [setInterval(sweep, 86_400_000).unref(), setTimeout(sweep, 60_000).unref()];
      await ended(turn);
      for (const timer of timers) clearTimeout(timer);
    });
    host.handles.watch(() => void this.#tellReadiness());
    this.#unwatchSpace = watchSpace(gw);
  }

  /** Builds the channels and, except for one-shot commands, serves HTTP. */
  async #build(options: AppOptions): Promise<void> {
    const { gw, host } = this.#open;
    await buildChannels(this.#open, options);
    const onLost = (error: unknown) =>
      gw.log.warn({ err: error }, 'an answer of another process could not be passed on here');
    if (host.shared) this.#unsubscribeAnswers = receiveAnswers(host.built.channels, host.shared, onLost);
    if (!options.localOnly) await this.#serve(options);
  }

  async #serve({ isPortChosen = true, renewedBy, configFile }: AppOptions): Promise<void> {
    const { gw, host } = this.#open;
    const { config, log } = gw;
    const isIngress = host.roles.has('ingress');
    const readiness = () => this.readiness();
    const { startServer } = await import('./board/server.ts');
    this.#server = await startServer({
      ...config.http,
      tokens: programTokens(gw),
      readiness,
      webhooks: isIngress ? host.built.mounts : new Map(),
      isAnyPort: !isPortChosen && (!isIngress || host.built.mounts.size === 0),
      ...(isIngress && {
        board: async (places: Places, port: number) => {
          const { openBoard, programOf } = await import('./app/board.ts');
          const startChat = (name: string, section: unknown) => this.#startChat(name, section);
          const program = { ...programOf(gw, { renewedBy, configFile }), startChat };
          return openBoard(this.#open, { places, port, readiness, program });
        },
      }),
      metrics: (accept) => gw.features.metrics.page(accept),
      maxConnections: connectionsFor(host.limit),
      onError: (error) => log.error({ err: error }, 'a request over HTTP failed'),
      onWrongTokens: (address) => log.warn({ address }, 'many requests over HTTP with a wrong token'),
    });
    const { port } = this.#server;
    this.#open.port = port;
    if (config.http.port !== 0 && port !== config.http.port)
      log.warn({ port }, `port ${config.http.port} is taken, so port ${port} is used; set http.port to choose one`);
  }

  async #connect(): Promise<void> {
    await connectAll(this.#open, this.#onStatus);
    this.#hasConnected = true;
    await this.#tellReadiness();
  }

  #onStatus = (id: string): void => {
    const { gw, host } = this.#open;
    const channel = host.built.channels.get(id);
    if (channel) gw.tasks.news.emit({ type: 'channel:status', channel: id, status: channel.status() });
    void this.#tellReadiness();
  };

  async #startChat(name: string, section: unknown): Promise<boolean> {
    const channel = await addChat(this.#open, name, section);
    if (channel) await connectAdded(this.#open, channel, this.#onStatus);
    return channel !== undefined;
  }

  /** Logs changes of readiness. The intake calls this, so a failure to check must not end it. */
  async #tellReadiness(): Promise<void> {
    const { log, models } = this.#open.gw;
    try {
      const { ready, channels, handles, roles } = await this.readiness();
      const about = { port: this.port, model: models.modelName(), channels: Object.keys(channels) };
      if (ready && !this.#wasReady) log.info({ ...about, ...(roles && { roles: roles.own }) }, 'ready');
      if (!ready && this.#wasReady) log.warn({ channels, handles }, 'not ready');
      this.#wasReady = ready;
    } catch (error) {
      log.error({ err: error }, 'the readiness of the gateway could not be checked');
    }
  }

  /** Stops in order: nothing more is accepted, running work ends or is kept, and outgoing messages are sent. */
  async #close(graceMs?: number): Promise<void> {
    const { gw, host } = this.#open;
    await Promise.all([...host.built.channels.values()].map((channel) => channel.disconnect()));
    await this.#letIn.close();
    await this.#open.stop(graceMs);
    await Promise.all(host.built.closing.map((close) => close()));
    await this.#stopSweeping?.();
    await this.#reloading?.close();
    this.#unwatchSpace();
    this.#unsubscribe();
    await this.#server?.close();
    fs.rmSync(path.join(gw.home.run, 'gateway.json'), { force: true });
    await this.#unsubscribeAnswers?.();
    await this.#open.close();
    gw.log.info('stopped');
  }
}
