/**
 * One MCP (Model Context Protocol) server: connected when it is first needed, and again after it has gone, with growing
 * pauses.
 * https://modelcontextprotocol.io/specification
 */
import path from 'node:path';
import { UserError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { ServerHealth } from '../../runtime/contract/feature.ts';
import type { OAuthPlace } from './auth/oauth.ts';
import { type Client, connectServer, isForgotten, isUnsent, type McpServerSettings } from './connect.ts';
import { type LeftOutTool, listTools } from './list.ts';
import { effectOf, failureReason, type McpCall, type McpToolInfo, reachesOut } from './tool.ts';

/** A server's state for people who check the configuration. */
export interface SurveyedServer extends ServerHealth {
  /** How many of its tools ask for consent in the viber's default mode. */
  asking: number;
  /** The names of its tools, as it calls them. */
  names: string[];
  /** Tools that the configuration names and the server doesn't have. */
  missing: string[];
  /** Tools that it has and models don't get. */
  leftOut: readonly LeftOutTool[];
}

const CONNECT_MS = 20_000;
const LIST_AGAIN_MS = 10 * 60_000;
/** The shortest time between two listings in ms, however often the server reports changed tools. */
const LIST_SOONEST_MS = 10_000;
const BACKOFF_MS = { min: 5_000, max: 300_000 };
/**
 * A server that has ended is reconnected at once for the run that needs it; after this many times within this period,
 * only with pauses.
 */
const AT_ONCE = { times: 5, withinMs: 60_000 };

/** Returns where packages of servers are installed. */
export const installsIn = (cache: string): string => path.join(cache, 'servers');

export interface McpServerOptions {
  name: string;
  settings: McpServerSettings;
  log: Logger;
  now: () => number;
  closing: AbortSignal;
  /** The store of logins; absent: nobody can log in. */
  oauth?: OAuthPlace | undefined;
  /** The folder of installed packages; absent: npx fetches them each time. */
  installs?: string | undefined;
}

export class McpServer {
  readonly name: string;
  readonly settings: McpServerSettings;
  client: Client | undefined;
  offered: readonly McpToolInfo[] = [];
  #leftOut: readonly LeftOutTool[] = [];
  #missing: string[];
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #closing: AbortSignal;
  /** Set for a server at an address whose settings have no key. */
  readonly #oauth: OAuthPlace | undefined;
  readonly #installs: string | undefined;
  /** Set while a login is needed. */
  needsLogin = false;
  #send: Promise<typeof fetch> | undefined;
  #state: ServerHealth['state'] = 'idle';
  #listedAt = 0;
  #failures = 0;
  #retryAt = 0;
  /** When the server recently ended after it was connected. */
  #ended: number[] = [];
  #problem: string | undefined;
  /** Whether the server has reported that its tools changed. */
  #isStale = false;
  #connecting: Promise<void> | undefined;
  /** The listing of its tools that is running; never rejects. */
  #listing: Promise<void> | undefined;

  constructor({ name, settings, log, now, closing, oauth, installs }: McpServerOptions) {
    this.name = name;
    this.settings = settings;
    this.#log = log;
    this.#now = now;
    this.#missing = [...(settings.tools ?? [])];
    this.#closing = closing;
    this.#installs = installs;
    this.#oauth = maySignIn(settings) ? oauth : undefined;
  }

  /**
   * Calls a tool. Repeats the call at most once, if the server has done nothing yet: it has forgotten the session, or
   * ended before it received the call. If the server ends during the call, a repeatable call is repeated.
   * @throws UserError if the server has another tool under that name by now
   */
  async call({ isRepeatable, begin, isSame, ...request }: Parameters<McpCall>[0]): Promise<unknown> {
    await this.#sameAt(isSame);
    await begin?.();
    // The server may have ended while `begin` ran.
    const client = await this.#sameAt(isSame);
    try {
      return await client.callTool(request);
    } catch (error) {
      if (error instanceof UserError) throw error;
      // The end of a server is reported shortly after the call that ran into it has failed.
      await new Promise(setImmediate);
      const hasEnded = this.client !== client && isRepeatable && !request.options?.signal?.aborted;
      if (!isForgotten(error) && !isUnsent(error) && !hasEnded) throw error;
      if (this.client === client) {
        this.client = undefined;
        void this.#end(client);
      }
      return (await this.#sameAt(isSame)).callTool(request);
    }
  }

  /** Connects if needed; returns undefined if connected or if it isn't time to try again. */
  ensure(): Promise<void> | undefined {
    if (this.#closing.aborted || this.#connecting) return this.#connecting;
    if (this.client) {
      const age = this.#now() - this.#listedAt;
      if (age > LIST_AGAIN_MS || (this.#isStale && age > LIST_SOONEST_MS)) this.#refresh(this.client);
      return undefined;
    }
    if (this.needsLogin ? !this.#isLoggedIn() : this.#now() < this.#retryAt) return undefined;
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /**
   * Updates the offered tools, because permanent consent is compared with them. A server over HTTP doesn't report
   * changes between two calls, so it is asked.
   * @throws UserError if the server is unreachable
   */
  async renew(): Promise<void> {
    if (!this.client) await this.ensure();
    await this.#listing;
    const isHeard = this.settings.url === undefined;
    if (this.client && (this.#isStale || !isHeard)) this.#refresh(this.client);
    await this.#listing;
    if (!this.client) throw new UserError(`The server ${this.name} is away.`);
  }

  health(): ServerHealth {
    const tools = this.#state === 'connected' ? this.offered.length : 0;
    const problem = this.#problem === undefined ? {} : { problem: this.#problem };
    return { name: this.name, state: this.#state, tools, ...problem, ...(this.needsLogin && { needsLogin: true }) };
  }

  /** Returns the state once the server has connected or failed. */
  async survey(): Promise<SurveyedServer> {
    await this.ensure();
    const { trusted } = this.settings;
    const asking = this.offered.filter((info) => effectOf(info, trusted) !== 'read' || reachesOut(info)).length;
    const names = this.offered.map(({ name }) => name);
    return { ...this.health(), asking, names, missing: this.#missing, leftOut: this.#leftOut };
  }

  /** Closes the connection; call it after `closing` was aborted. */
  async close(): Promise<void> {
    await this.#connecting;
    await this.#end(this.client);
  }

  /** Returns the current connection, which may be newer than the run. */
  async #current(): Promise<Client> {
    if (!this.client) await this.ensure();
    if (!this.client) throw new Error('it is away');
    return this.client;
  }

  /** Returns the current connection if the tool there is the one that was agreed on: a server may replace it, or end. */
  async #sameAt(isSame: () => boolean): Promise<Client> {
    await this.#listing;
    if (this.client && this.#isStale) this.#refresh(this.client);
    await this.#listing;
    const client = await this.#current();
    if (!isSame())
      throw new UserError(
        `The server ${this.name} has just changed this tool, so nothing was done. Call it again if it still fits.`,
      );
    return client;
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
    this.needsLogin = error instanceof Error && error.name === 'LoginNeeded';
    this.#problem = this.needsLogin
      ? failureReason(error)
      : `The server ${this.name} (mcp.${this.name}) is not there: ${failureReason(error, valuesOf(this.settings))}`;
    const now = this.#now();
    if (client) this.#ended = [...this.#ended.filter((at) => now - at < AT_ONCE.withinMs), now];
    const isAtOnce = client !== undefined && this.#ended.length <= AT_ONCE.times;
    this.#failures += 1;
    this.#retryAt = isAtOnce ? now : now + Math.min(BACKOFF_MS.max, BACKOFF_MS.min * 2 ** (this.#failures - 1));
    this.#log.warn({ mcp: this.name, failures: this.#failures }, this.#problem);
    // The call that ran into it must fail first, with its own error.
    setImmediate(() => void this.#end(client));
  }

  #isLoggedIn(): boolean {
    const { url = '' } = this.settings;
    return this.#oauth?.logins.tokens(this.name, url) !== undefined;
  }

  async #authorised(oauth: OAuthPlace): Promise<typeof fetch> {
    const { url = '', headers, oauth: settings } = this.settings;
    const { authorised } = await import('./auth/authorise.ts');
    return authorised({ name: this.name, url, headers, oauth: settings }, oauth);
  }

  async #list(client: Client): Promise<McpToolInfo[]> {
    const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(CONNECT_MS)]);
    const onRefused = (err: unknown) => this.#log.warn({ err, mcp: this.name }, 'it refused a page of its tools');
    const { offered, leftOut, found } = await listTools(client, { names: this.settings.tools, signal, onRefused });
    this.#leftOut = leftOut;
    this.#missing = this.settings.tools?.filter((tool) => !found.has(tool)) ?? [];
    if (leftOut.length > 0) this.#log.warn({ mcp: this.name, leftOut }, 'tools that models do not get');
    if (this.#missing.length > 0)
      this.#log.warn(
        { mcp: this.name, missing: this.#missing },
        'tools that the configuration names are not offered by the server',
      );
    return offered;
  }

  /** Installs its package if needed, and returns the settings that start it. */
  async #started(): Promise<McpServerSettings> {
    if (this.settings.command !== 'npx' || this.#installs === undefined) return this.settings;
    const { installed } = await import('./installed.ts');
    return installed(this.settings, this.#installs, this.#closing);
  }

  async #connect(): Promise<void> {
    this.#state = 'connecting';
    let client: Client | undefined;
    const isCurrent = () => client !== undefined && this.client === client;
    try {
      if (this.#oauth) this.#send ??= this.#authorised(this.#oauth);
      const hearing = {
        onStale: () => {
          this.#isStale = true;
        },
        onLost: (error: unknown) => {
          if (isCurrent()) this.#lost(error);
        },
        // Requests still running in the session are not cut off.
        onForgotten: () => {
          if (!isCurrent()) return;
          this.client = undefined;
          this.#state = 'idle';
        },
      };
      client = await connectServer(await this.#started(), this.#closing, hearing, await this.#send);
      this.offered = await this.#list(client);
      if (this.#closing.aborted) return await client.close();
      this.client = client;
      this.#state = 'connected';
      this.#listedAt = this.#now();
      this.#failures = 0;
      this.#problem = undefined;
      this.needsLogin = false;
      this.#log.info({ mcp: this.name, tools: this.offered.length }, 'connected');
    } catch (error) {
      this.#lost(error);
      await this.#end(client);
    }
  }

  /** Lists the tools again in the background: a list that is ten minutes old is good enough for the run. */
  #refresh(client: Client): void {
    if (this.#listing) return;
    this.#listedAt = this.#now();
    this.#isStale = false;
    this.#listing = this.#list(client)
      .then(
        (offered) => {
          // A server that was restarted in between has listed its tools already.
          if (this.client === client) this.offered = offered;
        },
        (error: unknown) => {
          if (this.client === client) this.#lost(error);
        },
      )
      .finally(() => {
        this.#listing = undefined;
      });
  }
}

/** Returns whether people can log in at the server: a key in the headers replaces a login. */
export const maySignIn = ({ url, headers = {} }: McpServerSettings): boolean =>
  url !== undefined && !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

const valuesOf = ({ env, headers }: McpServerSettings): string[] => Object.values({ ...env, ...headers });
