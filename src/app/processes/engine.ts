/**
 * Chooses the engine; nothing else does. The engine for several machines is loaded, with its libraries, only if it is
 * configured.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config.ts';
import type { Engine, QueueItem } from '../../engine/engine.ts';
import { openLocalEngine } from '../../engine/local/engine.ts';
import type { Logger } from '../../log.ts';
import { type Entry, laneLimits } from '../../runtime/contract/entry.ts';
import { entryShape, outboxShape } from '../../runtime/contract/spool-shapes.ts';
import { hasResult } from '../../runtime/run/batches.ts';
import { scriptsReach } from '../../skills/script-proxy.ts';
import type { Home } from '../../workspace/home.ts';
import { homeKey } from './home-key.ts';
import { leaveLocal, leaveServer } from './other-engine.ts';

interface EngineParts {
  config: Config;
  home: Home;
  log: Logger;
  /** Called when a message was given up after it crashed the gateway. Resolves once its senders have been told. */
  onDead: (item: QueueItem<Entry>, reason: string) => Promise<void>;
  /** Used by the engine on one machine. */
  suspectDelayMs?: number;
}

/**
 * @throws LockedError if another process holds the home
 * @throws ConfigError for a server that can't be used
 * @throws a system error
 */
export async function openEngine({ config, home, log, onDead, suspectDelayMs }: EngineParts): Promise<Engine<Entry>> {
  const { engine, limits } = config;
  const shared = {
    schema: entryShape,
    outboxSchema: outboxShape,
    onDead,
    hasResult: (item: QueueItem<Entry>) => hasResult(home, item),
    limits: laneLimits(limits.runs, limits.runsPerPerson),
    onError: (error: unknown) => log.error({ err: error }, 'a part of the engine failed'),
  };
  if (engine.kind === 'redis' && engine.url !== undefined) {
    await leaveLocal({ engine, home, log }, path.join(home.root, 'run'));
    const { openRedisEngine } = await import('../../engine/redis/engine.ts');
    const own = { secret: homeKey(home.access), reachedByScripts: await scriptsReach(new URL(engine.url).hostname) };
    // Earlier versions didn't seal pending entries. Those that exist at the first start count, but later ones without a
    // seal don't.
    // seal don't.
    const mark = path.join(home.access, 'server.sealed');
    const opened = await openRedisEngine<Entry>({ ...shared, ...engine, url: engine.url, ...own });
    if (!fs.existsSync(mark)) {
      await opened.sealOld();
      fs.writeFileSync(mark, '', { mode: 0o600 });
    }
    return opened;
  }
  await leaveServer({ engine, home, log });
  return openLocalEngine<Entry>({
    ...shared,
    folders: home,
    freeBytes: limits.freeBytes,
    ...(suspectDelayMs !== undefined && { suspectDelayMs }),
  });
}
