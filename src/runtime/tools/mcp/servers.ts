/**
 * Servers of the Model Context Protocol, as the configuration names them, and what runs have of them all. One that is away costs a
 * run its tools, never the run.
 */

import { UserError } from '../../../errors.ts';
import { hashText } from '../../../lib/files.ts';
import { within } from '../../../lib/within.ts';
import type { Logger } from '../../../log.ts';
import type { Json } from '../../../workspace/types.ts';
import type { RuntimeTool } from '../../contract/task.ts';
import type { ToolScope } from '../../contract/tool-scope.ts';
import type { McpServerSettings } from './connect.ts';
import { Links, readLink } from './links.ts';
import { listPrompts, readPrompt, type ServerPrompt } from './prompts.ts';
import { type McpHealth, McpServer, type SurveyedServer } from './server.ts';
import { nameFor, reasonOf, toRuntimeTool } from './tool.ts';

export type { McpServerSettings } from './connect.ts';

/** How long a run waits for a server that is not there yet. */
const WAIT_MS = 5_000;

export class McpServers {
  readonly #log: Logger;
  readonly #closing = new AbortController();
  readonly #servers: readonly McpServer[];
  readonly #links = new Links();

  constructor(options: {
    servers: Readonly<Record<string, McpServerSettings>>;
    log: Logger;
    now?: () => number;
  }) {
    const { log, now = Date.now } = options;
    const closing = this.#closing.signal;
    this.#log = log;
    this.#servers = Object.entries(options.servers).map(
      ([name, settings]) => new McpServer({ name, settings, log, now, closing }),
    );
  }

  /** What the servers offer; waits for those that are being connected, but not long. */
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

  /** Those that are on the way, but not long. */
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

  health(): McpHealth[] {
    return this.#servers.map((server) => server.health());
  }

  /** Connects to all of them, and waits until each is there or has failed. */
  survey(): Promise<SurveyedServer[]> {
    return Promise.all(this.#servers.map((server) => server.survey()));
  }

  /** Begins to connect all of them. */
  start(): void {
    for (const server of this.#servers) void server.ensure();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the gateway ends'));
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}
