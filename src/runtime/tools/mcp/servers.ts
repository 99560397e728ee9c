/**
 * Servers of the Model Context Protocol, as the configuration names them: each connected when a run first needs it, again after
 * it has gone, with growing pauses. One that is away costs a run its tools, never the run.
 * https://modelcontextprotocol.io/specification
 */

import { UserError } from '../../../errors.ts';
import { hashText } from '../../../lib/files.ts';
import { within } from '../../../lib/within.ts';
import type { Logger } from '../../../log.ts';
import type { Json } from '../../../workspace/types.ts';
import type { RuntimeTool } from '../../contract/task.ts';
import type { ToolScope } from '../../contract/tool-scope.ts';
import { type Client, connect, isForgotten, isUnsent, type McpServerSettings } from './connect.ts';
import { Links, readLink } from './links.ts';
import { listTools } from './list.ts';
import { listPrompts, readPrompt, type ServerPrompt } from './prompts.ts';
import { effectOf, type McpCall, type McpToolInfo, nameFor, reachesOut, reasonOf, toRuntimeTool } from './tool.ts';

export type { McpServerSettings } from './connect.ts';

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
const BACKOFF_MS = { min: 5_000, max: 300_000 };
/** One that has ended is connected again at once, for the run that needs it; so often in a while, and then with pauses. */
const AT_ONCE = { times: 5, withinMs: 60_000 };

interface Server {
  name: string;
  settings: McpServerSettings;
  state: McpHealth['state'];
  client?: Client;
  offered: McpToolInfo[];
  listedAt: number;
  failures: number;
  retryAt: number;
  /** When it has ended after it was there, the last times. */
  ended: number[];
  problem?: string;
  /** It has said that its tools are others now. */
  isStale?: boolean;
  connecting?: Promise<void>;
  /** Its tools are being listed again; never rejects. */
  listing?: Promise<void>;
}

export class McpServers {
  readonly #log: Logger;
  readonly #now: () => number;
  #isClosed = false;
  readonly #closing = new AbortController();
  readonly #servers: readonly Server[];
  readonly #links = new Links();

  constructor(options: {
    servers: Readonly<Record<string, McpServerSettings>>;
    log: Logger;
    now?: () => number;
  }) {
    this.#log = options.log;
    this.#now = options.now ?? Date.now;
    this.#servers = Object.entries(options.servers).map(
      ([name, settings]): Server => ({
        ...{ name, settings, state: 'idle', offered: [], listedAt: 0, failures: 0, retryAt: 0, ended: [] },
      }),
    );
  }

  /** What the servers offer; waits for those that are being connected, but not long. */
  async tools(scope: ToolScope): Promise<RuntimeTool[]> {
    await this.#connected();
    scope.readLink = (name, signal) => this.#readLink(name, scope, signal);
    const taken = new Set<string>();
    return this.#servers.flatMap((server) => {
      const { client, name, settings, offered } = server;
      if (!client) return [];
      const call: McpCall = (request) => this.#call(server, request);
      const isReadable = client.initializeResult.capabilities.resources !== undefined;
      const linkTo = (uri: string) => (isReadable ? this.#links.add(scope.taskId, name, uri) : undefined);
      const { trusted, command, args, url } = settings;
      const place = hashText(JSON.stringify([command, args, url]));
      return offered.flatMap((info) => {
        const current = () => server.offered.find((each) => each.name === info.name);
        const renewed = async () => {
          await this.#renew(server);
          if (!current()) throw new UserError(`The server ${name} no longer has that tool.`);
        };
        return toRuntimeTool(name, info, { call, trusted, scope, taken, linkTo, place, current, renewed }) ?? [];
      });
    });
  }

  /** Of those that are connected: what runs call their tools. */
  names(): Map<string, readonly string[]> {
    const taken = new Set<string>();
    const there = this.#servers.filter(({ client }) => client);
    return new Map(
      there.map(({ name, offered }) => [name, offered.flatMap((info) => nameFor(name, info.name, taken) ?? [])]),
    );
  }

  /** What the servers have as prompts; waits for them as `tools` does. One that fails has none. */
  async prompts(): Promise<ServerPrompt[]> {
    await this.#connected();
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(WAIT_MS)]);
    const found = this.#servers.map(({ client, name }) => {
      const listed = client ? listPrompts(client, name, signal) : Promise.resolve([]);
      return listed.catch((err: unknown) => {
        this.#log.warn({ err, mcp: name }, 'its prompts could not be listed');
        return [];
      });
    });
    return (await Promise.all(found)).flat();
  }

  /** The words of a prompt. Throws UserError when the server does not give them. */
  async prompt({ server, name }: ServerPrompt, values: Readonly<Record<string, string>>): Promise<string> {
    const client = this.#servers.find((each) => each.name === server)?.client;
    if (!client) throw new UserError(`The server ${server} is away.`);
    return readPrompt(client, name, values, this.#closing.signal).catch((error: unknown) => {
      throw new UserError(`The server ${server} failed: ${reasonOf(error)}`, { cause: error });
    });
  }

  /**
   * Asks once more, and never twice, where the server has done nothing yet: it has forgotten the session, or had ended before it was
   * asked. One that ends meanwhile is asked again for what may be done twice.
   */
  async #call(server: Server, { isRepeatable, ...request }: Parameters<McpCall>[0]): Promise<unknown> {
    const client = await this.#clientOf(server);
    try {
      return await client.callTool(request);
    } catch (error) {
      // Its end is told a moment after the call that met it has failed.
      await new Promise(setImmediate);
      const hasEnded = server.client !== client && isRepeatable && !request.options?.signal?.aborted;
      if (!isForgotten(error) && !isUnsent(error) && !hasEnded) throw error;
      if (server.client === client) {
        delete server.client;
        client.close().catch((err: unknown) => this.#log.debug({ err, mcp: server.name }, 'it could not be closed'));
      }
      return (await this.#clientOf(server)).callTool(request);
    }
  }

  /** As it is connected now, which may be anew since the run began. */
  async #clientOf(server: Server): Promise<Client> {
    if (!server.client) await this.#ensure(server);
    if (!server.client) throw new Error('it is away');
    return server.client;
  }

  /** Those that are on the way, but not long. */
  async #connected(): Promise<void> {
    const waiting = this.#servers.map((server) => this.#ensure(server)).filter((work) => work !== undefined);
    if (waiting.length === 0) return;
    await within(Promise.all(waiting), WAIT_MS);
  }

  #readLink(path: string, scope: ToolScope, signal: AbortSignal): Promise<Json> | undefined {
    const link = this.#links.find(scope.taskId, path);
    const client = link && this.#servers.find(({ name }) => name === link.server)?.client;
    if (link && !client) throw new UserError(`The server ${link.server} is away.`);
    return link && client && readLink(client, { ...link, path }, scope, signal);
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
    const now = this.#now();
    if (client) server.ended = [...server.ended.filter((at) => now - at < AT_ONCE.withinMs), now];
    const isAtOnce = client !== undefined && server.ended.length <= AT_ONCE.times;
    server.failures += 1;
    server.retryAt = isAtOnce ? now : now + Math.min(BACKOFF_MS.max, BACKOFF_MS.min * 2 ** (server.failures - 1));
    this.#log.warn({ mcp: server.name, failures: server.failures }, server.problem);
    // Not before the call that met it has failed, in its own words.
    setImmediate(() => {
      client?.close().catch((err: unknown) => this.#log.debug({ err, mcp: server.name }, 'it could not be closed'));
    });
  }

  async #list(client: Client, server: Server): Promise<McpToolInfo[]> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(CONNECT_MS)]);
    const offered = await listTools(client, server.settings.tools, signal);
    const missing = missingOf(server, offered);
    if (missing.length > 0)
      this.#log.warn({ mcp: server.name, missing }, 'tools that the configuration names are not offered by the server');
    return offered;
  }

  async #connect(server: Server): Promise<void> {
    server.state = 'connecting';
    let client: Client | undefined;
    const isCurrent = () => client !== undefined && server.client === client;
    try {
      client = await connect(server.settings, this.#closing.signal, {
        onStale: () => {
          server.isStale = true;
        },
        onLost: (error) => {
          if (isCurrent()) this.#lost(server, error);
        },
        // What is still on its way in the session is not cut off.
        onForgotten: () => {
          if (!isCurrent()) return;
          delete server.client;
          server.state = 'idle';
        },
      });
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
    if (server.listing) return;
    server.listedAt = this.#now();
    server.isStale = false;
    server.listing = this.#list(client, server)
      .then(
        (offered) => {
          server.offered = offered;
        },
        (error: unknown) => {
          if (server.client === client) this.#lost(server, error);
        },
      )
      .finally(() => {
        delete server.listing;
      });
  }

  /**
   * What it offers is what it has now, as far as it has said so: a consent that was given for good is compared with that. Over HTTP
   * nothing is heard of a server between two questions, so it is asked. Throws UserError where it does not say.
   */
  async #renew(server: Server): Promise<void> {
    if (!server.client) await this.#ensure(server);
    await server.listing;
    const isHeard = server.settings.url === undefined;
    if (server.client && (server.isStale || !isHeard)) this.#refresh(server, server.client);
    await server.listing;
    if (!server.client) throw new UserError(`The server ${server.name} is away.`);
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
