/**
 * Determines the viber and the access rules for a conversation, and finds settings that name an unknown viber. Pure
 * except for listing the vibers.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accessOf, channelKinds, chatSection, OWN_CHANNELS, serverOf } from '../channels/index.ts';
import type { AccessConfig } from '../channels/kind.ts';
import { type ConfigProblem, problemWith } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { say } from '../messages/messages.ts';
import type { Data } from './parse.ts';
import type { Config } from './schema.ts';
import { valueAt } from './validate.ts';

const USUAL_VIBER = 'default';

/** The place of a message, and its author. */
interface WrittenIn extends Place {
  chat: string;
  thread?: string;
  isDirect: boolean;
  /** The name under `people:`, or one created by linking accounts. */
  person?: string | undefined;
}

/**
 * Returns the viber of the most specific setting: the thread, its chat, the person (in direct messages only, since
 * everybody in a group talks to the same viber), the server, the channel, and then the whole configuration.
 */
export function configuredViber(config: Config, at: WrittenIn): string {
  const { channel, chat, thread, workspace, isDirect, person } = at;
  const { conversations, people } = config;
  const place = `${channel}:${chat}`;
  const inThread = thread === undefined ? undefined : conversations[`${place}:${thread}`];
  const theirs = isDirect && person !== undefined ? people.find(({ name }) => name === person) : undefined;
  const server = serverOf(config, { channel, ...(workspace !== undefined && { workspace }) });
  const chosen = [inThread, conversations[place], theirs, server, sectionOf(config, channel)];
  return chosen.find((each) => each?.viber !== undefined)?.viber ?? config.viber ?? USUAL_VIBER;
}

/** The local socket has the settings of the terminal. */
function sectionOf(config: Config, channel: string): { viber?: string } | undefined {
  const { channels, hub } = config;
  if (channel === 'hub') return hub.viberId === undefined ? undefined : { viber: hub.viberId };
  return channel === 'terminal' || channel === 'local' ? channels.terminal : chatSection(config, channel);
}

/** Returns settings whose viber has neither a file (`agents/ID.yaml`) nor a folder (`vibers/ID`). */
export function unknownVibers(data: Data, home: string): ConfigProblem[] {
  const named = viberSettings(data).filter(
    ([, id]) => typeof id === 'string' && id !== USUAL_VIBER && !isThere(home, id),
  );
  if (named.length === 0) return [];
  const all = idsIn(home);
  return named.map(([path, id]) => {
    const near = nearest(String(id), all);
    const name = JSON.stringify(String(id).slice(0, 64));
    return problemWith(
      path,
      near === undefined ? say('config.noViber', { name }) : say('config.noViberMean', { name, guess: near }),
    );
  });
}

const isThere = (home: string, id: string): boolean =>
  // The schema reports invalid IDs.
  !/^[a-z0-9][a-z0-9_-]{0,63}$/.test(id) ||
  existsSync(join(home, 'agents', `${id}.yaml`)) ||
  existsSync(join(home, 'vibers', id));

function idsIn(home: string): string[] {
  const names = (folder: string) => (existsSync(join(home, folder)) ? readdirSync(join(home, folder)) : []);
  const agents = names('agents').flatMap((name) => (name.endsWith('.yaml') ? [name.slice(0, -5)] : []));
  return [USUAL_VIBER, ...agents, ...names('vibers')];
}

/** Returns every setting that names a viber, with its path. */
function viberSettings(data: Data): [path: string, id: Data | undefined][] {
  const at = (...path: string[]): [string, Data | undefined] => [path.join('.'), valueAt(data, path)];
  const each = (...path: string[]): string[] => {
    const section = valueAt(data, path);
    return typeof section === 'object' && section !== null ? Object.keys(section) : [];
  };
  return [
    at('viber'),
    at('hub', 'viberId'),
    ...each('vibers').map((index) => at('vibers', index)),
    ...each('channels').map((channel) => at('channels', channel, 'viber')),
    ...channelKinds().flatMap(({ name, servers }) =>
      servers ? each('channels', name, servers.key).map((n) => at('channels', name, servers.key, n, 'viber')) : [],
    ),
    ...each('people').map((index) => at('people', index, 'viber')),
    ...each('conversations').map((place) => at('conversations', place, 'viber')),
  ];
}

/** The parts of an address that matter here (channels/channel.ts has all of it). */
export interface Place {
  channel: string;
  workspace?: string;
}

/**
 * The rules of this machine's own channels, whose users could edit every file anyway, and of programs, which the HTTP
 * guard admits. They have no groups.
 */
const OWN_DOOR: AccessConfig = { dm: 'open', groups: 'off', allow: [], chats: [], memory: 'direct' };
const CLOSED: AccessConfig = { dm: 'off', groups: 'off', allow: [], chats: [], memory: 'direct' };

export const accessRulesOf = (config: Config, at: Place): AccessConfig =>
  OWN_CHANNELS.includes(at.channel) ? OWN_DOOR : (accessOf(config, at) ?? CLOSED);
