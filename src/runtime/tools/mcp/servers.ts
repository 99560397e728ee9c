/**
 * Servers of the Model Context Protocol, as the configuration names them: each connected when a run first needs it, again after
 * it has gone, with growing pauses. One that is away costs a run its tools, never the run.
 * https://modelcontextprotocol.io/specification
 */
import type { Logger } from '../../../log.ts';
import type { RuntimeTool } from '../../contract/task.ts';
import type { ToolScope } from '../../contract/tool-scope.ts';
import { effectOf, isOfferable, type McpToolInfo, reachesOut, reasonOf, toRuntimeTool } from './tool.ts';

export interface McpServerSettings {
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  /** Names of the tools that are offered; absent means all. */
  tools?: readonly string[];
  trusted: boolean;
}

export interface McpHealth {
  name: string;
  state: 'idle' | 'connecting' | 'connected' | 'failed';
  tools: number;
  /** One sentence, when it has failed. */
  problem?: string;
}

/** For people who look at the configuration. */
export interface SurveyedServer extends McpHealth {
  /** How many of its tools wait for a person's consent, where the viber's mode is the usual one. */
  asking: number;
  /** Tools that the configuration names and the server has not. */
  missing: string[];
}

const CONNECT_MS = 20_000;
/** How long a run waits for a server that is not there yet. */
const WAIT_MS = 5_000;
const LIST_AGAIN_MS = 10 * 60_000;
/** However often it says that its tools have changed. */
const LIST_SOONEST_MS = 10_000;
const MAX_TOOLS = 128;
const MAX_PAGES = 20;
const BACKOFF_MS = { min: 5_000, max: 300_000 };

type Client = Awaited<ReturnType<typeof import('@ai-sdk/mcp')['createMCPClient']>>;

interface Server {
  name: string;
  settings: McpServerSettings;
  state: McpHealth['state'];
  client?: Client;
  offered: McpToolInfo[];
  listedAt: number;
  failures: number;
  retryAt: number;
  problem?: string;
  /** It has said that its tools are others now. */
  isStale?: boolean;
  connecting?: Promise<void>;
}

export class McpServers {
  readonly #log: Logger;
  readonly #now: () => number;
  #isClosed = false;
  readonly #closing = new AbortController();
  readonly #servers: readonly Server[];

  constructor(options: {
    servers: Readonly<Record<string, McpServerSettings>>;
    log: Logger;
    now?: () => number;
  }) {
    this.#log = options.log;
    this.#now = options.now ?? Date.now;
    this.#servers = Object.entries(options.servers).map(
      ([name, settings]): Server => ({
        ...{ name, settings, state: 'idle', offered: [], listedAt: 0, failures: 0, retryAt: 0 },
      }),
    );
  }

  /** What the servers offer; waits for those that are being connected, but not long. */
  async tools(scope: ToolScope): Promise<RuntimeTool[]> {
    const waiting = this.#servers.map((server) => this.#ensure(server)).filter((work) => work !== undefined);
    if (waiting.length > 0) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, WAIT_MS);
      await Promise.race([Promise.all(waiting), late]);
      clearTimeout(timer);
    }
    const taken = new Set<string>();
    return this.#servers.flatMap((server) => {
      const { client, name, settings, offered } = server;
      if (!client) return [];
      const call: Client['callTool'] = (args) => client.callTool(args);
      return offered.flatMap(
        (info) => toRuntimeTool(name, info, { call, trusted: settings.trusted, scope, taken }) ?? [],
      );
    });
  }

  health(): McpHealth[] {
    return this.#servers.map((a) => this.#healthOf(a));
  }

  /** Connects to all of them, and waits until each is there or has failed. */
  async survey(): Promise<SurveyedServer[]> {
    await Promise.all(this.#servers.map((server) => this.#ensure(server)));
    return this.#servers.map((server) => {
      const { settings, offered } = server;
      const asking = offered.filter((info) => effectOf(info, settings.trusted) !== 'read' || reachesOut(info)).length;
      return { ...this.#healthOf(server), asking, missing: missingOf(server, offered) };
    });
  }

  /** Begins to connect all of them. */
  start(): void {
    for (const server of this.#servers) void this.#ensure(server);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort(new Error('the gateway ends'));
    await Promise.all(this.#servers.map((server) => server.connecting));
    await Promise.all(
      this.#servers.map(({ client, name }) =>
        client?.close().catch((err: unknown) => this.#log.debug({ err, mcp: name }, 'it could not be closed')),
      ),
    );
  }

  #lost(server: Server, error: unknown): void {
    const { client } = server;
    if (this.#isClosed) return;
    delete server.client;
    server.state = 'failed';
    server.problem = `The server ${server.name} (mcp.${server.name}) is not there: ${reasonOf(error, valuesOf(server.settings))}`;
    server.failures += 1;
    server.retryAt = this.#now() + Math.min(BACKOFF_MS.max, BACKOFF_MS.min * 2 ** (server.failures - 1));
    this.#log.warn({ mcp: server.name, failures: server.failures }, server.problem);
    // Not before the call that met it has failed, in its own words.
    setImmediate(() => {
      client?.close().catch((err: unknown) => this.#log.debug({ err, mcp: server.name }, 'it could not be closed'));
    });
  }

  async #open(server: Server): Promise<Client> {
    const { command, args, env, url, headers } = server.settings;
    const { createMCPClient } = await import('@ai-sdk/mcp');
    const common = {
      clientName: 'openviber',
      initializationOptions: { timeout: CONNECT_MS, signal: this.#closing.signal },
    };
    if (url !== undefined) {
      const { fetchAnswer } = await import('./http.ts');
      const onUncaughtError = (error: unknown) => {
        if (server.client && isFaultOfConnection(error)) this.#lost(server, error);
      };
      const transport = { type: 'http' as const, url, headers: { ...headers }, fetch: fetchAnswer };
      return createMCPClient({ ...common, onUncaughtError, transport });
    }
    const { openStdio } = await import('./stdio.ts');
    let ended: Error | undefined;
    const transport = await openStdio({
      ...{ command: command ?? '', args: args ?? [], env: env ?? {} },
      onNote(method) {
        if (method === 'notifications/tools/list_changed') server.isStale = true;
      },
      onEnd: (why) => {
        ended = why;
        if (server.client) this.#lost(server, why);
      },
    });
    return createMCPClient({ ...common, transport }).catch((error: unknown) => {
      throw ended ?? error;
    });
  }

  async #list(client: Client, server: Server): Promise<McpToolInfo[]> {
    const { settings, name } = server;
    const found = new Map<string, McpToolInfo>();
    let cursor: string | undefined;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(CONNECT_MS)]);
    for (let page = 0; page < MAX_PAGES && found.size < MAX_TOOLS; page++) {
      const answer = await client.listTools({
        ...(cursor === undefined ? {} : { params: { cursor } }),
        options: { signal },
      });
      for (const tool of answer.tools) {
        if (settings.tools?.includes(tool.name) !== false && isOfferable(tool)) found.set(tool.name, tool);
      }
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    const offered = [...found.values()].slice(0, MAX_TOOLS);
    const missing = missingOf(server, offered);
    if (missing.length > 0)
      this.#log.warn({ mcp: name, missing }, 'tools that the configuration names are not offered by the server');
    return offered;
  }

  async #connect(server: Server): Promise<void> {
    server.state = 'connecting';
    let client: Client | undefined;
    try {
      client = await this.#open(server);
      server.offered = await this.#list(client, server);
      if (this.#isClosed) return await client.close();
      Object.assign(server, { client, state: 'connected', listedAt: this.#now(), failures: 0 });
      delete server.problem;
      this.#log.info({ mcp: server.name, tools: server.offered.length }, 'connected');
    } catch (error) {
      this.#lost(server, error);
      await client
        ?.close()
        .catch((err: unknown) => this.#log.debug({ err, mcp: server.name }, 'it could not be closed'));
    }
  }

  /** Connected, or on the way; undefined when it is not time to try again. */
  #ensure(server: Server): Promise<void> | undefined {
    if (this.#isClosed || server.connecting) return server.connecting;
    if (server.client) {
      const age = this.#now() - server.listedAt;
      if (age > LIST_AGAIN_MS || (server.isStale && age > LIST_SOONEST_MS)) this.#refresh(server, server.client);
      return undefined;
    }
    if (this.#now() < server.retryAt) return undefined;
    server.connecting = this.#connect(server).finally(() => {
      delete server.connecting;
    });
    return server.connecting;
  }

  /** Beside the run: what was offered ten minutes ago is good enough for it. */
  #refresh(server: Server, client: Client): void {
    server.listedAt = this.#now();
    server.isStale = false;
    this.#list(client, server).then(
      (offered) => {
        server.offered = offered;
      },
      (error: unknown) => {
        if (server.client === client) this.#lost(server, error);
      },
    );
  }

  #healthOf({ name, state, offered, problem }: Server): McpHealth {
    return {
      ...{ name, state, tools: state === 'connected' ? offered.length : 0 },
      ...(problem === undefined ? {} : { problem }),
    };
  }
}

/** What it was given, which it may repeat in what it says. */
const valuesOf = ({ env, headers }: McpServerSettings): string[] => Object.values({ ...env, ...headers });

function missingOf({ settings }: Pick<Server, 'settings'>, offered: readonly McpToolInfo[]): string[] {
  const names = new Set(offered.map(({ name }) => name));
  return settings.tools?.filter((tool) => !names.has(tool)) ?? [];
}

/** Statuses that say so of the session or of who we are, not of one call. */
const GONE = [401, 403, 404];

/** Notes, answers to questions that were given up, and calls that fail one by one are none. */
function isFaultOfConnection(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'AnswerError') return false;
  if ('statusCode' in error && typeof error.statusCode === 'number') return GONE.includes(error.statusCode);
  return !/^(Unsupported message|Protocol error|Ignoring|MCP HTTP Transport Error: Unexpected content)/.test(
    error.message,
  );
}
