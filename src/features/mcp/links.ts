/**
 * Tracks links that servers gave in a task. The model can read them by the name in the result, and no other address:
 * one that it made up could tell the server what nobody has agreed to. Kept in memory; after a restart, the tool must
 * give the link again.
 */
import { UserError } from '../../errors.ts';
import { createLru } from '../../lib/lru.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import type { Json } from '../../workspace/types.ts';
import { answerForModel } from './answer.ts';
import type { Client } from './connect.ts';
import { failureReason } from './tool.ts';

const MAX_TASKS = 200;
/** The most links of one task. */
const MAX_LINKS = 500;
const NAME = /^mcp:([a-z0-9][a-z0-9-]{0,23}):(.+)$/s;

export class Links {
  readonly #given = createLru<Set<string>>(MAX_TASKS);

  add(taskId: string, server: string, uri: string): string | undefined {
    const given = this.#given.get(taskId) ?? new Set();
    this.#given.set(taskId, given);
    const name = `mcp:${server}:${uri}`;
    if (given.size >= MAX_LINKS && !given.has(name)) return undefined;
    given.add(name);
    return name;
  }

  /**
   * Returns undefined if the name isn't a link's.
   * @throws UserError for a link that no server has given
   */
  find(taskId: string, name: string): { server: string; uri: string } | undefined {
    const [, server, uri] = NAME.exec(name) ?? [];
    if (server === undefined || uri === undefined) return undefined;
    if (!this.#given.get(taskId)?.has(name))
      throw new UserError(`The server ${server} gave no such link in this task: call the tool again that gave it.`);
    return { server, uri };
  }
}

const READ_MS = 60_000;

/**
 * Reads what a link leads to, as an answer of its server.
 * @throws UserError if the server doesn't return it
 */
export async function readLink(
  client: Client,
  { server, uri, path }: { server: string; uri: string; path: string },
  scope: ToolScope,
  signal: AbortSignal,
): Promise<Json> {
  const reply = await client.readResource({ uri, options: { signal, timeout: READ_MS } }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new UserError(`The server ${server} failed: ${failureReason(error)}`);
  });
  const content = reply.contents.map((resource) => ({ type: 'resource', resource }));
  return { path, ...(await answerForModel({ content }, { scope, title: path, linkTo: () => undefined })) };
}
