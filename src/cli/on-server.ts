/** Reads the queue server that several machines share, for commands. */
import { type Config, loadConfig } from '../config.ts';
import type { SpoolRecord } from '../engine/local/inspect.ts';
import { ConfigError, UserError } from '../errors.ts';
import type { CliContext } from '../runtime/contract/cli.ts';

type Server = Pick<Config['engine'], 'shards'> & { url: string };

/** Returns undefined if the queue is local or the configuration can't be read. */
export async function serverOf({ home, config: file, env }: CliContext): Promise<Server | undefined> {
  try {
    const { kind, url, shards } = (await loadConfig({ file, home, env })).config.engine;
    return kind === 'redis' && url !== undefined ? { url, shards } : undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return undefined;
  }
}

/** Counts the work on the server, which is in no file of the home. `problem` says why it could not be counted. */
export async function workOn(server: Server | undefined) {
  if (!server) return undefined;
  const { inspectServerWork } = await import('../engine/redis/inspect.ts');
  const { hostAndPort: addressOf } = await import('../engine/redis/connection.ts');
  const address = addressOf(server.url);
  try {
    const { messages, answers } = await inspectServerWork(server);
    return { address, messages, answers };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { address, problem: error.message };
  }
}

export async function foundOn(server: Server | undefined, id?: string): Promise<SpoolRecord[]> {
  if (!server) return [];
  const { inspectServer } = await import('../engine/redis/inspect.ts');
  return inspectServer(server, id);
}
