/** The state on which the methods work. */
import type { Deliveries } from './deliveries.ts';
import type { Events } from './events.ts';
import type { Hooks } from './hooks.ts';
import type { RequestUrl } from './request-url.ts';
import type { Sockets } from './sockets.ts';
import type { Ping } from './view.ts';
import type { World } from './world.ts';

export interface Platform {
  world: World;
  events: Events;
  deliveries: Deliveries;
  sockets: Sockets;
  requestUrl: RequestUrl;
  hooks: Hooks;
  pings: Ping[];
  scopes(): Set<string>;
  botToken: string;
  appToken: string;
  shareDelayMs: number;
  uploadLimit: number;
  /** The error with which every upload is refused, if set. */
  withheld: string | undefined;
  /** The time without an append after which a stream is stopped, in milliseconds. */
  streamIdleMs: number;
}

/** Every bot scope that something here requires. */
// biome-ignore format: a list is filled
export const ALL_SCOPES = [
  'app_mentions:read', 'assistant:write', 'channels:history', 'channels:join', 'channels:read', 'chat:write',
  'commands', 'files:read', 'files:write', 'groups:history', 'groups:read', 'im:history', 'im:read', 'im:write',
  'metadata.message:read', 'mpim:history', 'mpim:read', 'mpim:write', 'reactions:read', 'reactions:write', 'team:read',
  'users:read',
];
