/** Opens this process's own resources on its machine: the home, the engine, and what it holds only while it runs. */
import type { Channel } from '../channels/channel.ts';
import type { Engine } from '../engine/engine.ts';
import { leadBy } from '../engine/lead.ts';
import { openRunFolder } from '../engine/run-folder.ts';
import { SyncSoon } from '../lib/files.ts';
import { createHandles, handleLimit, limitProblem } from '../lib/handles.ts';
import { shareLocks } from '../lib/locks.ts';
import { heard, type Logger } from '../log.ts';
import { messagesIn } from '../messages/messages.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import { type Home, openHome } from '../workspace/home.ts';
import { noteCommands } from '../workspace/own-files.ts';
import type { GatewayOptions, Host } from './contract.ts';
import { CrashReports } from './crashed.ts';
import { openEngine } from './processes/engine.ts';
import { rolesOf } from './processes/roles.ts';

interface OpenHost {
  home: Home;
  log: Logger;
  engine: Engine<Entry>;
  host: Host;
}

/** @throws LockedError, or a system error of the home */
export async function openHost(options: GatewayOptions): Promise<OpenHost> {
  const { config } = options;
  const limit = options.localOnly ? undefined : handleLimit();
  const handles = createHandles(limit);
  const log = heard(options.log, handles.note);
  const shortage = limitProblem(limit);
  if (shortage) log[shortage.isTooLow ? 'error' : 'warn']({ limit }, messagesIn('en').said(shortage.detail));
  const { home, release } = openOwnFolder(await openHome(options.homeRoot), options);
  const servers = Object.values(config.mcp).map(({ command, args = [] }) => (command ? [command, ...args] : []));
  noteCommands(
    home.root,
    [...servers, config.voice.command].filter((command) => command.length > 0),
  );
  const crashed = new CrashReports();
  const { suspectDelayMs } = options;
  const engine = await openEngine({
    config,
    home,
    log,
    onDead: (item, reason) => crashed.note(item, reason),
    ...(suspectDelayMs !== undefined && { suspectDelayMs }),
  });
  const roles = rolesOf(config.engine, engine.state, log);
  const shared = config.engine.kind === 'local' ? undefined : engine;
  const unshareLocks = shared && shareLocks(home.root, (name, work) => shared.lock(name, work));
  const channels = new Map<string, Channel>((options.channels ?? []).map((channel) => [channel.id, channel]));
  const host: Host = {
    roles,
    shared,
    lead: leadBy(engine, (error, name) => log.error({ err: error, name }, 'work for a single process failed')),
    built: { channels, mounts: new Map(), closing: [] },
    handles,
    limit,
    shortage,
    syncSoon: new SyncSoon(),
    crashed,
    unshareLocks: () => unshareLocks?.(),
    release,
  };
  return { home, log, engine, host };
}

/**
 * If several processes share a home, each machine has its own locks and sockets.
 * @throws LockedError
 */
function openOwnFolder(home: Home, { config, env = {} }: GatewayOptions): { home: Home; release: () => void } {
  if (config.engine.kind === 'local') return { home, release: () => undefined };
  const { folder, release } = openRunFolder(home.root, env, config.engine.runDir);
  return { home: { ...home, run: folder }, release };
}
