/** Everything that a test can make the platform and its people do. */
import type { PlatformControl } from '../base/control.ts';
import type { Ask } from './ask.ts';
import type { People } from './people.ts';
import type { Places } from './places.ts';
import type { Transcript } from './transcript.ts';
import type { Counters, Fault, GatewayView, LoggedRequest, RateLimits } from './types.ts';

type Control = PlatformControl<Fault, RateLimits, Counters, LoggedRequest>;
type Seen = Omit<Transcript, 'waitFor' | 'onMessage'>;

/** The functions that a test can call, in this process or another. Ids are snowflakes as strings throughout. */
export interface DiscordControl extends Control, People, Places, Ask, Seen {
  /** Returns the bot's typing indicators, oldest first. */
  typing(): { channelId: string; at: number }[];
  /** Returns the registered commands as the API lists them. */
  commands(): object[];
  /** Returns the bot's last presence; null if there was none. */
  presence(): object | null;

  gateway(): GatewayView;
  /** Resolves when a session has identified (or resumed) and got its guilds. */
  connected(timeoutMs?: number): Promise<GatewayView>;
  /**
   * Breaks the socket. `resumable` (true by default) keeps the session. With `code`, closes with that code, otherwise
   * resets the connection; 4004 and 4010 to 4014 forbid reconnecting.
   */
  dropGateway(options?: { resumable?: boolean; code?: number }): void;
  /** Refuses the next `n` socket connections. */
  refuseReconnects(n: number): void;
  /** Sends RECONNECT (op 7). */
  askReconnect(): void;
  /** Sends INVALID_SESSION (op 9). */
  invalidateSession(resumable?: boolean): void;
  /** Answers the next `n` RESUMEs with INVALID_SESSION. */
  refuseResumes(n: number): void;
  /** Stops acknowledging heartbeats and dispatching events, on a socket that stays open, until called with `false`. */
  stopAcks(isStopped?: boolean): void;
  /** Holds events back; `release` sends them, the newest first if `reversed`, or in the order of these indexes. */
  hold(): void;
  release(order?: 'reversed' | number[]): void;
  /** Dispatches any event unchanged to the connected sessions, whatever their intents. */
  dispatch(event: string, data: object): void;
  /** Switches the application's privileged MESSAGE_CONTENT intent on or off, for the next identify. */
  messageContent(isEnabled: boolean): void;
  /** The address where it listens, and the token that it accepts. */
  facts(): { url: string; cdn: string; token: string };
  /** Returns how often commands were written (POST). */
  commandsRegistered(): number;
}
