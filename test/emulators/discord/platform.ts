/** The state that the platform's parts share, and how they inform the bot about a change. */
import type { EventEmitter } from 'node:events';
import type { Commands } from './commands.ts';
import type { FileStore } from './files.ts';
import type { Gateway } from './gateway-types.ts';
import { intentsFor } from './intents.ts';
import type { Interactions } from './interactions.ts';
import { sees } from './permissions.ts';
import type { Rates } from './rates.ts';
import { DM, type StoredChannel, type StoredMessage, type World } from './world.ts';

export interface Settings {
  token: string;
  messageContent: boolean;
  heartbeatMs: number;
  identifyMs: number;
  identifiesLeft: number;
  resumeMs: number;
  acknowledgeMs: number;
  interactionTokenMs: number;
  keepMessages: number;
  nonceMs: number;
}

export interface Platform {
  applicationId: string;
  settings: Settings;
  world: World;
  files: FileStore;
  gateway: Gateway;
  commands: Commands;
  interactions: Interactions;
  rates: Rates;
  /** Emits `message` with a StoredMessage that was created or changed, and `interaction` with an interaction's ID. */
  changes: EventEmitter;
  typing: { channelId: string; at: number }[];
  /** The bot's messages by nonce, with the time of their creation. */
  nonces: Map<string, { message: StoredMessage; at: number }>;
  url(): string;
}

/**
 * Dispatches an event to the bot. If a channel is given, only if the bot sees that channel. `redacted` is the version
 * for a session that may not read content.
 */
export function emit(
  platform: Platform,
  name: string,
  data: object,
  channel?: StoredChannel,
  redacted?: () => object,
): void {
  if (channel && !sees(platform.world, channel)) return;
  platform.gateway.dispatch({
    name,
    intents: intentsFor(name, channel?.type === DM),
    data: JSON.stringify(data),
    redacted: redacted && (() => JSON.stringify(redacted())),
  });
}
