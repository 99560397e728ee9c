/**
 * The configured MCP servers, and what runs get from all of them. An unreachable server costs a run its tools, never
 * the run itself.
 */

import { UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { within } from '../../lib/within.ts';
import type { Logger } from '../../log.ts';
import type { ServerHealth } from '../../runtime/contract/feature.ts';
import type { RuntimeTool } from '../../runtime/contract/task.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import type { Json } from '../../workspace/types.ts';
import type { Need } from './auth/notes.ts';
import type { OAuthPlace } from './auth/oauth.ts';
import type { McpServerSettings } from './connect.ts';
import { Links, readLink } from './links.ts';
import { listPrompts, readPrompt, type ServerPrompt } from './prompts.ts';
import { installsIn, McpServer, type SurveyedServer } from './server.ts';
import { failureReason, nameFor, toRuntimeTool } from './tool.ts';

export type { McpServerSettings } from './connect.ts';

/** How long a run waits for servers that are still connecting, in ms. */
const WAIT_MS = 5_000;

/** Called when a call of a task's run needs a login at a server. */
type OnNeed = (taskId: string, server: string, need: Need) => void;

export class McpServers {
  readonly #log: Logger;
  readonly #closing = new AbortController();
  readonly #servers: readonly McpServer[];
  readonly #links = new Links();
  readonly #onNeed: OnNeed;

  constructor(options: {
    servers: Readonly<Record<string, McpServerSettings>>;
    log: Logger;
    now?: () => number;
    oauth?: OAuthPlace | undefined;
    /** The home's cache, for installed packages; absent: npx fetches them each time. */
    cache?: string;
    onNeed?: OnNeed;
  }) {
    const { log, now = Date.now, oauth, cache, onNeed = () => undefined } = options;
    this.#onNeed = onNeed;
    const closing = this.#closing.signal;
    this.#log = log;
    const installs = cache === undefined ? undefined : installsIn(cache);
    this.#servers = Object.entries(options.servers).map(
      ([name, settings]) => new McpServer({ name, settings, log, now, closing, oauth, installs }),
    );
  }

  async tools(scope: ToolScope): Promise<RuntimeTool[]> {
    await this.#connected();
    scope.readLink = (name, signal) => this.#readLink(name, scope, signal);
    const taken = new Set<string>();
    return this.#servers.flatMap((server) => {
      const { client, name, settings } = server;
      if (!client) return [];
      const call = server.call.bind(server);
      const isReadable = client.initializeResult.capabilities.resources !== undefined;
      const linkTo = (uri: string) => (isReadable ? this.#links.add(scope.taskId, name, uri) : undefined);
      const { trusted, command, args, url } = settings;
      const place = hashText(JSON.stringify([command, args, url]));
      return server.offered.flatMap((info) => {
        const current = () => server.offered.find((each) => each.name === info.name);
        const renewed = async () => {
          await server.renew();
          if (!current()) throw new UserError(`The server ${name} no longer has that tool.`);
        };
        const onNeed = (need: Need) => this.#onNeed(scope.taskId, name, need);
        return (
          toRuntimeTool(name, info, { onNeed, call, trusted, scope, taken, linkTo, place, current, renewed }) ?? []
        );
      });
    });
  }

  names(): Map<string, readonly string[]> {
    const taken = new Set<string>();
    const there = this.#servers.filter(({ client }) => client);
    return new Map(
      there.map(({ name, offered }) => [name, offered.flatMap((info) => nameFor(name, info.name, taken) ?? [])]),
    );
  }

  /** Returns the servers' prompts; waits for servers like `tools`. A server that fails has none. */
  async prompts(): Promise<ServerPrompt[]> {
    await this.#connected();
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(WAIT_MS)]);
    const found = this.#servers.map(({ client, name }) => {
      const onRefused = (err: unknown) => this.#log.warn({ err, mcp: name }, 'it refused a page of its prompts');
      const listed = client ? listPrompts(client, name, { signal, onRefused }) : Promise.resolve([]);
      return listed.catch((err: unknown) => {
        this.#log.warn({ err, mcp: name }, 'its prompts could not be listed');
        return [];
      });
    });
    return (await Promise.all(found)).flat();
  }

  /**
   * Returns the text of a prompt.
   * @throws UserError if the server doesn't return it
   */
  async prompt({ server, name }: ServerPrompt, values: Readonly<Record<string, string>>): Promise<string> {
    const client = this.#servers.find((each) => each.name === server)?.client;
    if (!client) throw new UserError(`The server ${server} is away.`);
    return readPrompt(client, name, values, this.#closing.signal).catch((error: unknown) => {
      throw new UserError(`The server ${server} failed: ${failureReason(error)}`, { cause: error });
    });
  }

  /** Waits briefly for servers that are connecting. */
  async #connected(): Promise<void> {
    const waiting = this.#servers.map((server) => server.ensure()).filter((work) => work !== undefined);
    if (waiting.length === 0) return;
    await within(Promise.all(waiting), WAIT_MS);
  }

  #readLink(path: string, scope: ToolScope, signal: AbortSignal): Promise<Json> | undefined {
    const link = this.#links.find(scope.taskId, path);
    const client = link && this.#servers.find(({ name }) => name === link.server)?.client;
    if (link && !client) throw new UserError(`The server ${link.server} is away.`);
    return link && client && readLink(client, { ...link, path }, scope, signal);
  }

  health(): ServerHealth[] {
    return this.#servers.map((server) => server.health());
  }

  /** Connects to all servers, and waits until each has connected or failed. */
  survey(): Promise<SurveyedServer[]> {
    return Promise.all(this.#servers.map((server) => server.survey()));
  }

  /** @throws Error if there is no such server */
  async surveyOf(name: string): Promise<SurveyedServer> {
    const server = this.#servers.find((each) => each.name === name);
    if (!server) throw new Error(`no server ${name}`);
    return server.survey();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the gateway ends'));
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}
