/** What commands read of the server that several machines share. */
import { type Config, loadConfig } from '../config.ts';
import type { Found } from '../engine/local/inspect.ts';
import { ConfigError } from '../errors.ts';
import type { CliContext } from './command.ts';

type Server = Pick<Config['engine'], 'shards'> & { url: string };

/** Of several machines the queue is on a server. A configuration that cannot be read names none. */
export async function serverOf({ home, config: file, env }: CliContext): Promise<Server | undefined> {
  try {
    const { kind, url, shards } = (await loadConfig({ file, home, env })).config.engine;
    return kind === 'redis' && url !== undefined ? { url, shards } : undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return undefined;
  }
}

export async function foundOn(server: Server | undefined, id?: string): Promise<Found[]> {
  if (!server) return [];
  const { inspectServer } = await import('../engine/redis/inspect.ts');
  return inspectServer(server, id);
}
