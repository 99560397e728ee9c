/**
 * Handles a home that was used with the other engine. This engine doesn't see messages that are pending there, so a
 * start warns about them. While gateways with the other engine are running on the home, the start is refused. The home
 * stores its server in `spool/server.json`, without the password.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineConfig } from '../../config/sections/engine.ts';
import { countUnfinished } from '../../engine/local/inspect.ts';
import { acquireLock } from '../../engine/local/lock.ts';
import { LockedError, UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { readJson } from '../../lib/json.ts';
import { isFilled, isInteger, objectOf, shape } from '../../lib/shape.ts';
import { writeJson } from '../../lib/write-json.ts';
import type { Logger } from '../../log.ts';
import type { Home } from '../../workspace/home.ts';

interface KnownServer {
  /** The address without its password. */
  url: string;
  shards: number;
}

type Parts = { engine: EngineConfig; home: Home; log: Logger };

const serverShape = shape<KnownServer>(objectOf({ url: isFilled, shards: isInteger }));
const ABOUT = { lost: 'the server on which messages of this home may be pending' };
const serverFile = (spool: string) => path.join(spool, 'server.json');

const LEFT = `messages or answers from the time of engine.kind local are still in the spool of this home: start once with that setting, and stop when "${viberCommand('queue')}" is empty`;
const ON_SERVER = `messages or answers from the time of engine.kind redis are still on a server: start once with that setting, and stop when "${viberCommand('queue')}" is empty`;
const UNKNOWN =
  'this home was used with engine.kind redis, and its server cannot be reached: messages pending there get no answer while engine.kind is local. If that server is gone for good, delete spool/server.json';

/** The check is repeated, because another starting process may be checking at the same moment. */
const TRIES = 5;
const AGAIN_MS = 100;

/**
 * Must be called before a start with a server.
 * @throws LockedError while a gateway with `local` works on the home
 */
export async function leaveLocal({ engine, home, log }: Parts, run: string): Promise<void> {
  for (let tries = 1; fs.existsSync(path.join(run, 'lock.sqlite')); tries++) {
    try {
      acquireLock(run).release();
      break;
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      if (tries === TRIES)
        throw new LockedError(`a gateway with engine.kind local uses ${home.root}: stop it first`, {
          cause: error,
        });
      await sleep(AGAIN_MS);
    }
  }
  const left = countUnfinished(home.spool);
  if (left > 0) log.warn({ left }, LEFT);
  const known = withoutPassword(engine);
  const before = readJson(serverFile(home.spool), serverShape, ABOUT);
  if (before?.url !== known.url || before.shards !== known.shards) writeJson(serverFile(home.spool), known);
}

/**
 * Must be called before a start without a server.
 * @throws LockedError while gateways with a server work on the home
 */
export async function leaveServer({ engine, home, log }: Parts): Promise<void> {
  if (!fs.existsSync(serverFile(home.spool))) return;
  const known = readJson(serverFile(home.spool), serverShape, ABOUT);
  if (!known) return;
  const { url, shards } = withPassword(known, engine);
  const { hostAndPort: addressOf } = await import('../../engine/redis/connection.ts');
  const { inspectServerWork } = await import('../../engine/redis/inspect.ts');
  const server = addressOf(url);
  try {
    const { messages, answers, isHere } = await inspectServerWork({ url, shards });
    if (isHere)
      throw new LockedError(
        `gateways with engine.kind redis use ${home.root} (server ${server}), or were killed in the last seconds: stop them first`,
      );
    if (messages + answers > 0) log.warn({ server, messages, answers }, ON_SERVER);
    else fs.rmSync(serverFile(home.spool), { force: true });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    log.warn({ server, err: error.message }, UNKNOWN);
  }
}

function withoutPassword({ url = '', shards }: EngineConfig): KnownServer {
  const plain = new URL(url);
  plain.password = '';
  return { url: plain.href, shards };
}

/** After a return to `local` the settings may still contain the address. */
function withPassword(known: KnownServer, engine: EngineConfig): KnownServer {
  const isSame = engine.url !== undefined && withoutPassword(engine).url === known.url;
  return isSame && engine.url !== undefined ? { ...known, url: engine.url } : known;
}
