/**
 * Checks who may write on a channel: reports the effective access list, settings that let everybody in and settings
 * that let nobody in.
 */
import type { ServerConfig } from '../../channels/kind.ts';
import type { AccessConfig, Config } from '../../config.ts';
import type { Finding } from './finding.ts';

export interface Door {
  name: string;
  access: AccessConfig;
  /** The servers that the section lists, and the key of that list; absent if the platform has no servers. */
  servers?: { key: string; list: readonly ServerConfig[] };
}

const LET_IN = 'may spend your model’s money; those on no list see no memory and no files of the workspace';

const DIRECT: Record<AccessConfig['dm'], string> = {
  pairing: 'those in people: and access.allow, and those let in by a code',
  allowlist: 'those in people: and access.allow',
  open: 'everybody',
  off: 'nobody',
};
const WHEN: Record<AccessConfig['groups'], string> = {
  mention: 'when it is mentioned',
  all: 'every message',
  off: 'never',
};

export function checkDoor(door: Door, { people }: Config): Finding[] {
  const { name } = door;
  const note = (detail: string): Finding => ({ name, state: 'note', detail });
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
function effective({ access, servers }: Door): string {
  const { dm, groups, chats } = access;
  const open = (servers?.list ?? []).map((server) => `all of server ${server.id} (${WHEN[server.groups ?? groups]})`);
  const every = servers ? 'every channel of every other server' : 'every group it was added to';
  const listed = chats.includes('*') ? every : chats.length > 0 ? `in ${chats.join(', ')}` : '';
  const places = [...open, ...(listed ? [`${listed} (${WHEN[groups]})`] : [])];
  return `answers in direct messages: ${DIRECT[dm]}; in groups: ${places.join(', ') || 'nowhere'}`;
}

/** Finds settings that let in people who are not named anywhere. */
function openDoors({ name, access, servers }: Door): string[] {
  const listed = servers?.list ?? [];
  const { dm, groups, chats, memory } = access;
  const key = `channels.${name}.access`;
  const isOn = (own: AccessConfig['groups'] = groups) => own !== 'off';
  const who = (own: AccessConfig['groups'] = groups) =>
    own === 'all' ? 'everybody who writes' : 'everybody who mentions it';
  const found: string[] = [];
  if (dm === 'open') found.push(`${key}.dm is open: everybody on ${name} ${LET_IN}`);
  for (const { id, groups: own } of listed.filter((server) => isOn(server.groups)))
    found.push(`channels.${name}.${servers?.key} lists server ${id}: ${who(own)} in any of its channels ${LET_IN}`);
  if (chats.includes('*') && isOn())
    found.push(`${key}.chats holds "*": whoever adds it to a group opens that group; ${who()} there ${LET_IN}`);
  if (groups === 'all' && chats.length > 0)
    found.push(
      `${key}.groups is all: every message in ${chats.includes('*') ? 'every group' : chats.join(', ')} is answered and costs a model call`,
    );
  const hasGroups = chats.length > 0 || listed.length > 0;
  if (memory === 'group' && hasGroups)
    found.push(
      `${key}.memory is group: whoever reads along there may read what was made of MEMORY.md, USER.md and the daily logs`,
    );
  return found;
}

/** Finds valid settings that let nobody in: the first thing to check when there is no answer. */
function shut({ name, access, servers }: Door, people: Config['people']): string[] {
  const key = `channels.${name}.access`;
  const found: string[] = [];
  const isNobodyListed =
    access.allow.length === 0 && !people.some(({ ids }) => ids.some((id) => id.startsWith(`${name}:`)));
  if (access.dm === 'allowlist' && isNobodyListed)
    found.push(`${key}.allow is empty and people: lists nobody of ${name}: direct messages are answered to nobody`);
  if (access.groups !== 'off' && access.chats.length === 0 && (servers?.list ?? []).length === 0) {
    const lists = servers ? `channels.${name}.${servers.key} and ` : '';
    found.push(`${lists}${key}.chats ${lists ? 'are' : 'is'} empty: it answers in direct messages only`);
  }
  return found;
}
