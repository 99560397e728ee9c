/**
 * One server of the Model Context Protocol: connected when it is first needed, again after it has gone, with growing pauses.
 * https://modelcontextprotocol.io/specification
 */
import { UserError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { type Client, connect, isForgotten, isUnsent, type McpServerSettings } from './connect.ts';
import { listTools } from './list.ts';
import { effectOf, type McpCall, type McpToolInfo, reachesOut, reasonOf } from './tool.ts';

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
const LIST_AGAIN_MS = 10 * 60_000;
/** However often it says that its tools have changed. */
const LIST_SOONEST_MS = 10_000;
const BACKOFF_MS = { min: 5_000, max: 300_000 };
/** One that has ended is connected again at once, for the run that needs it; so often in a while, and then with pauses. */
const AT_ONCE = { times: 5, withinMs: 60_000 };

export interface McpServerOptions {
  name: string;
  settings: McpServerSettings;
  log: Logger;
  now: () => number;
  /** Aborts when the gateway ends. */
  closing: AbortSignal;
}

export class McpServer {
  readonly name: string;
  readonly settings: McpServerSettings;
  client: Client | undefined;
  offered: readonly McpToolInfo[] = [];
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #closing: AbortSignal;
  #state: McpHealth['state'] = 'idle';
  #listedAt = 0;
  #failures = 0;
  #retryAt = 0;
  /** When it has ended after it was there, the last times. */
  #ended: number[] = [];
  #problem: string | undefined;
  /** It has said that its tools are others now. */
  #isStale = false;
  #connecting: Promise<void> | undefined;
  /** Its tools are being listed again; never rejects. */
  #listing: Promise<void> | undefined;

  constructor({ name, settings, log, now, closing }: McpServerOptions) {
    this.name = name;
    this.settings = settings;
    this.#log = log;
    this.#now = now;
    this.#closing = closing;
  }

  /**
   * Asks once more, and never twice, where the server has done nothing yet: it has forgotten the session, or had ended before it was
   * asked. One that ends meanwhile is asked again for what may be done twice.
   */
  async call({ isRepeatable, begin, ...request }: Parameters<McpCall>[0]): Promise<unknown> {
    await this.#current();
    await begin?.();
    // It may have ended while that was noted.
    const client = await this.#current();
    try {
      return await client.callTool(request);
    } catch (error) {
      // Its end is told a moment after the call that met it has failed.
      await new Promise(setImmediate);
      const hasEnded = this.client !== client && isRepeatable && !request.options?.signal?.aborted;
      if (!isForgotten(error) && !isUnsent(error) && !hasEnded) throw error;
      if (this.client === client) {
        this.client = undefined;
        void this.#end(client);
      }
      return (await this.#current()).callTool(request);
    }
  }

  /** Connected, or on the way; undefined when it is not time to try again. */
  ensure(): Promise<void> | undefined {
    if (this.#closing.aborted || this.#connecting) return this.#connecting;
    if (this.client) {
      const age = this.#now() - this.#listedAt;
      if (age > LIST_AGAIN_MS || (this.#isStale && age > LIST_SOONEST_MS)) this.#refresh(this.client);
      return undefined;
    }
    if (this.#now() < this.#retryAt) return undefined;
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /**
   * What it offers is what it has now, as far as it has said so: a consent that was given for good is compared with that. Over HTTP
   * nothing is heard of a server between two questions, so it is asked. Throws UserError where it does not say.
   */
  async renew(): Promise<void> {
    if (!this.client) await this.ensure();
    await this.#listing;
    const isHeard = this.settings.url === undefined;
    if (this.client && (this.#isStale || !isHeard)) this.#refresh(this.client);
    await this.#listing;
    if (!this.client) throw new UserError(`The server ${this.name} is away.`);
  }

  health(): McpHealth {
    const tools = this.#state === 'connected' ? this.offered.length : 0;
    const problem = this.#problem === undefined ? {} : { problem: this.#problem };
    return { name: this.name, state: this.#state, tools, ...problem };
  }

  /** As it is when it has connected, or has failed to. */
  async survey(): Promise<SurveyedServer> {
    await this.ensure();
    const { trusted } = this.settings;
    const asking = this.offered.filter((info) => effectOf(info, trusted) !== 'read' || reachesOut(info)).length;
    return { ...this.health(), asking, missing: this.#missing(this.offered) };
  }

  /** After the gateway's end has been told by `closing`. */
  async close(): Promise<void> {
    await this.#connecting;
    await this.#end(this.client);
  }

  /** As it is connected now, which may be anew since the run began. */
  async #current(): Promise<Client> {
    if (!this.client) await this.ensure();
    if (!this.client) throw new Error('it is away');
    return this.client;
  }

  /** Never rejects. */
  async #end(client: Client | undefined): Promise<void> {
    try {
      await client?.close();
    } catch (error) {
      this.#log.debug({ err: error, mcp: this.name }, 'it could not be closed');
    }
  }

  #lost(error: unknown): void {
    const { client } = this;
    if (this.#closing.aborted) return;
    this.client = undefined;
    this.#state = 'failed';
    this.#problem = `The server ${this.name} (mcp.${this.name}) is not there: ${reasonOf(error, valuesOf(this.settings))}`;
    const now = this.#now();
    if (client) this.#ended = [...this.#ended.filter((at) => now - at < AT_ONCE.withinMs), now];
    const isAtOnce = client !== undefined && this.#ended.length <= AT_ONCE.times;
    this.#failures += 1;
    this.#retryAt = isAtOnce ? now : now + Math.min(BACKOFF_MS.max, BACKOFF_MS.min * 2 ** (this.#failures - 1));
    this.#log.warn({ mcp: this.name, failures: this.#failures }, this.#problem);
    // Not before the call that met it has failed, in its own words.
    setImmediate(() => void this.#end(client));
  }

  async #list(client: Client): Promise<McpToolInfo[]> {
    const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(CONNECT_MS)]);
    const offered = await listTools(client, this.settings.tools, signal);
    const missing = this.#missing(offered);
    if (missing.length > 0)
      this.#log.warn({ mcp: this.name, missing }, 'tools that the configuration names are not offered by the server');
    return offered;
  }

  async #connect(): Promise<void> {
    this.#state = 'connecting';
    let client: Client | undefined;
    const isCurrent = () => client !== undefined && this.client === client;
    try {
      client = await connect(this.settings, this.#closing, {
        onStale: () => {
          this.#isStale = true;
        },
        onLost: (error) => {
          if (isCurrent()) this.#lost(error);
        },
        // What is still on its way in the session is not cut off.
        onForgotten: () => {
          if (!isCurrent()) return;
          this.client = undefined;
          this.#state = 'idle';
        },
      });
      this.offered = await this.#list(client);
      if (this.#closing.aborted) return await client.close();
      this.client = client;
      this.#state = 'connected';
      this.#listedAt = this.#now();
      this.#failures = 0;
      this.#problem = undefined;
      this.#log.info({ mcp: this.name, tools: this.offered.length }, 'connected');
    } catch (error) {
      this.#lost(error);
      await this.#end(client);
    }
  }

  /** Beside the run: what was offered ten minutes ago is good enough for it. */
  #refresh(client: Client): void {
    if (this.#listing) return;
    this.#listedAt = this.#now();
    this.#isStale = false;
    this.#listing = this.#list(client)
      .then(
        (offered) => {
          this.offered = offered;
        },
        (error: unknown) => {
          if (this.client === client) this.#lost(error);
        },
      )
      .finally(() => {
        this.#listing = undefined;
      });
  }

  #missing(offered: readonly McpToolInfo[]): string[] {
    const names = new Set(offered.map(({ name }) => name));
    return this.settings.tools?.filter((tool) => !names.has(tool)) ?? [];
  }
}

/** What it was given, which it may repeat in what it says. */
const valuesOf = ({ env, headers }: McpServerSettings): string[] => Object.values({ ...env, ...headers });
