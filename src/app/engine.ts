/** The one place that chooses the engine. That of several machines, with its libraries, is loaded only when it is configured. */
import type { Config } from '../config.ts';
import type { Engine, QueueItem } from '../engine/engine.ts';
import { openLocalEngine } from '../engine/local/engine.ts';
import { inspectUnfinished } from '../engine/local/inspect.ts';
import type { Logger } from '../log.ts';
import { type Entry, laneLimits } from '../runtime/contract/entry.ts';
import { entryShape, outboxShape } from '../runtime/contract/spool-shapes.ts';
import type { Home } from '../workspace/home.ts';

interface EngineParts {
  config: Config;
  home: Home;
  log: Logger;
  /** A message was given up after crashing the gateway: the person should hear of it. */
  onDead: (item: QueueItem<Entry>, reason: string) => void;
}

const LEFT =
  'messages or answers wait in the spool of this home since engine.kind was local: start once with that, and stop when `viber queue` is empty';

/** Throws LockedError when another process holds the home, ConfigError for a server that cannot be used, or a system error. */
export async function openEngine({ config, home, log, onDead }: EngineParts): Promise<Engine<Entry>> {
  const { engine, limits } = config;
  const shared = {
    ...{ schema: entryShape, outboxSchema: outboxShape, onDead },
    limits: laneLimits(limits.runs, limits.runsPerPerson),
    onError: (error: unknown) => log.error({ err: error }, 'a part of the engine failed'),
  };
  if (engine.kind === 'redis' && engine.url !== undefined) {
    const left = inspectUnfinished(home.spool).filter(({ state }) => state !== 'dead' && state !== 'unsure').length;
    if (left > 0) log.warn({ left }, LEFT);
    const { openRedisEngine } = await import('../engine/redis/engine.ts');
    return openRedisEngine<Entry>({ ...shared, ...engine, url: engine.url });
  }
  return openLocalEngine<Entry>({ ...shared, folders: home, freeBytes: limits.freeBytes });
}
