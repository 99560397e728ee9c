/** What a method of the Bot API may use, and what it is called with. */
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
  /** Groups show the bot only what is meant for it. */
  privacy: boolean;
  /** Milliseconds in which a button press may be answered. */
  queryLifetimeMs: number;
  /** False while an older server is played, which has no rich messages. */
  knowsRich(): boolean;
}

export interface Call {
  params: Params;
  /** Registers what to do when the client closes the connection before the answer. */
  gone(then: () => void): void;
}

/** Gives the `result` of the answer, or throws ApiError. */
export type Method = (platform: Platform, call: Call) => unknown;
