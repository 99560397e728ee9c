/** What a method of the Bot API may use, and the arguments with which it is called. */
import type { BotCommand } from '@grammyjs/types';
import type { Params } from './params.ts';
import type { People } from './people.ts';
import type { Updates } from './updates.ts';
import type { Webhook } from './webhook.ts';
import type { World } from './world.ts';

export interface Platform {
  world: World;
  updates: Updates;
  webhook: Webhook;
  people: People;
  commands: Map<string, BotCommand[]>;
  /** Whether groups show the bot only messages that are meant for it. */
  privacy: boolean;
  /** How long a button press may be answered, in milliseconds. */
  queryLifetimeMs: number;
  /** False while acting as an older server, which has no rich messages. */
  knowsRich(): boolean;
}

export interface Call {
  params: Params;
  /** Registers a callback for a client that closes the connection before the answer. */
  gone(then: () => void): void;
}

/** Returns the `result` of the answer, or throws ApiError. */
export type Method = (platform: Platform, call: Call) => unknown;
