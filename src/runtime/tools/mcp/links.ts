/**
 * Links that servers have given in a task, readable by the name that the result gave them. Only those: an address that a model has made
 * up could tell the server what nobody has agreed to. Of this process; after a restart the tool that gave a link gives it again.
 */
import { UserError } from '../../../errors.ts';
import { createLru } from '../../../lib/lru.ts';
import type { Json } from '../../../workspace/types.ts';
import type { ToolScope } from '../../contract/tool-scope.ts';
import { told } from './answer.ts';
import type { Client } from './connect.ts';
import { reasonOf } from './tool.ts';

const MAX_TASKS = 200;
/** Of one task. */
const MAX_LINKS = 500;
const NAME = /^mcp:([a-z0-9][a-z0-9-]{0,23}):(.+)$/s;

export class Links {
  readonly #given = createLru<Set<string>>(MAX_TASKS);

  /** Its name from now on. */
  add(taskId: string, server: string, uri: string): string | undefined {
    const given = this.#given.get(taskId) ?? new Set();
    this.#given.set(taskId, given);
    const name = `mcp:${server}:${uri}`;
    if (given.size >= MAX_LINKS && !given.has(name)) return undefined;
    given.add(name);
    return name;
  }

  /** Undefined for what is no such name. Throws UserError for a link that nobody has given. */
  find(taskId: string, name: string): { server: string; uri: string } | undefined {
    const [, server, uri] = NAME.exec(name) ?? [];
    if (server === undefined || uri === undefined) return undefined;
    if (!this.#given.get(taskId)?.has(name))
      throw new UserError(`The server ${server} has given no such link just now: call the tool that gave it again.`);
    return { server, uri };
  }
}

const READ_MS = 60_000;

/** What a link leads to, as an answer of its server. Throws UserError when the server does not give it. */
export async function readLink(
  client: Pick<Client, 'readResource'>,
  { server, uri, path }: { server: string; uri: string; path: string },
  scope: ToolScope,
  signal: AbortSignal,
): Promise<Json> {
  const reply = await client.readResource({ uri, options: { signal, timeout: READ_MS } }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new UserError(`The server ${server} failed: ${reasonOf(error)}`);
  });
  const content = reply.contents.map((resource) => ({ type: 'resource', resource }));
  return { path, ...(await told({ content }, { scope, title: path, linkTo: () => undefined })) };
}
