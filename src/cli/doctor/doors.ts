/**
 * Checks who may write on a channel: reports the effective access list, settings that let everybody in and settings
 * that let nobody in.
 */
import type { ServerConfig } from '../../channels/kind.ts';
import type { AccessConfig, Config } from '../../config.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { Finding } from './finding.ts';

export interface Door {
  name: string;
  access: AccessConfig;
  /** The servers that the section lists, and the key of that list; absent if the platform has no servers. */
  servers?: { key: string; list: readonly ServerConfig[] };
}

export function checkDoor(door: Door, { people }: Config): Finding[] {
  const { name } = door;
  const note = (detail: Wording): Finding => ({ name, state: 'note', detail });
  return [
    { name, state: 'ok', detail: effective(door) },
    ...openDoors(door).map(note),
    ...shut(door, people).map(note),
  ];
}

/**
 * Describes the effective access. A listed server is open in all its channels, in addition to the channels in
 * `access.chats`.
 */
function effective({ access, servers }: Door): Wording {
  const { dm, groups, chats } = access;
  const when = say('doctor.when', { groups });
  const places = (servers?.list ?? []).map(({ id, groups: own = groups }) =>
    say('doctor.serverAll', { id, when: say('doctor.when', { groups: own }) }),
  );
  if (chats.includes('*')) places.push(say(servers ? 'doctor.everyServer' : 'doctor.everyGroup', { when }));
  else if (chats.length > 0) places.push(say('doctor.inChats', { chats: chats.join(', '), when }));
  const all = places.reduce(
    (before, after) => say('doctor.listed', { before, after }),
    places.shift() ?? say('doctor.nowhere'),
  );
  return say('doctor.door', { dm: say('doctor.dm', { dm }), places: all });
}

/** Finds settings that let in people who are not named anywhere. */
function openDoors({ name, access, servers }: Door): Wording[] {
  const listed = servers?.list ?? [];
  const { dm, groups, chats, memory } = access;
  const key = `channels.${name}.access`;
  const found: Wording[] = [];
  const every = (own: AccessConfig['groups'] = groups) => (own === 'all' ? 'yes' : 'no');
  if (dm === 'open') found.push(say('doctor.openDm', { key, name }));
  for (const { id, groups: own = groups } of listed)
    if (own !== 'off')
      found.push(say('doctor.openServer', { key: `channels.${name}.${servers?.key}`, id, all: every(own) }));
  if (chats.includes('*') && groups !== 'off') found.push(say('doctor.openGroups', { key, all: every() }));
  if (groups === 'all' && chats.length > 0) {
    const where = chats.includes('*') ? say('doctor.anyGroup') : chats.join(', ');
    found.push(say('doctor.everyMessage', { key, where }));
  }
  const hasGroups = chats.length > 0 || listed.length > 0;
  if (memory === 'group' && hasGroups) found.push(say('doctor.groupMemory', { key }));
  return found;
}

/** Finds valid settings that let nobody in: the first thing to check when there is no answer. */
function shut({ name, access, servers }: Door, people: Config['people']): Wording[] {
  const key = `channels.${name}.access`;
  const found: Wording[] = [];
  const isNobodyListed =
    access.allow.length === 0 && !people.some(({ ids }) => ids.some((id) => id.startsWith(`${name}:`)));
  if (access.dm === 'allowlist' && isNobodyListed) found.push(say('doctor.nobodyListed', { key, name }));
  if (access.groups !== 'off' && access.chats.length === 0 && (servers?.list ?? []).length === 0)
    found.push(
      servers
        ? say('doctor.noServers', { servers: `channels.${name}.${servers.key}`, key })
        : say('doctor.noChats', { key }),
    );
  return found;
}
