/**
 * Keeps a shard's session for the process that holds the connection next, so that it continues without repeating or
 * missing anything. Invariant: the stored sequence number never passes an event that isn't accepted; with a lower one
 * Discord replays more. https://discord.com/developers/docs/events/gateway#resuming
 */
import type { SessionInfo } from '@discordjs/ws';
import { errorMessage } from '../../../errors.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Logger } from '../../../log.ts';
import type { ChannelCache } from '../../kind.ts';
import { integer, isFields, string } from '../../shared/read.ts';

export interface KeptSessionsOptions {
  store: ChannelCache;
  account: string;
  /** Resolves once everything received so far was handled; true if all of it was accepted. */
  isAllAccepted: () => Promise<boolean>;
  /** False once another process may hold the connection; its stored session must not be replaced. */
  isOurs: () => boolean;
  log: Logger;
}

const EVERY_MS = 1_000;
/** Discord keeps a session for some minutes after its connection broke. */
const OLD_MS = 600_000;

export class KeptSessions {
  readonly #to: KeptSessionsOptions;
  readonly #loaded = new Set<number>();
  readonly #newest = new Map<number, SessionInfo>();
  readonly #timer: NodeJS.Timeout;
  #storing: Promise<void> | undefined;

  constructor(options: KeptSessionsOptions) {
    this.#to = options;
    this.#timer = setInterval(() => void this.#store(), EVERY_MS).unref();
  }

  /** Returns the session to resume; once per shard. */
  async load(shard: number): Promise<SessionInfo | undefined> {
    // A session that didn't work isn't tried again.
    if (this.#loaded.has(shard)) return undefined;
    this.#loaded.add(shard);
    try {
      return sessionIn(await this.#to.store.get(this.#key(shard)), shard);
    } catch (error) {
      this.#to.log.warn(
        { channel: 'discord', err: errorMessage(error) },
        'a new session is started, because the last one could not be read',
      );
      return undefined;
    }
  }

  /** Notes that events up to here were passed on. */
  note(session: SessionInfo): void {
    this.#newest.set(session.shardId, session);
  }

  /** Drops a session that can't be resumed. */
  forget(shard: number): void {
    this.#newest.delete(shard);
    void this.#write(shard, '');
  }

  /** Stores the newest session, if allowed. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#storing;
    await this.#store();
  }

  /** Stores one at a time, so that an older session never replaces a newer one. */
  #store(): Promise<void> {
    this.#storing ??= this.#storeNow().finally(() => {
      this.#storing = undefined;
    });
    return this.#storing;
  }

  async #storeNow(): Promise<void> {
    if (this.#newest.size === 0) return;
    const noted = new Map(this.#newest);
    if (!(await this.#to.isAllAccepted()) || !this.#to.isOurs()) return;
    for (const [shard, session] of noted) {
      if (!this.#newest.has(shard)) continue;
      if (this.#newest.get(shard) === session) this.#newest.delete(shard);
      await this.#write(shard, JSON.stringify({ ...session, at: Date.now() }));
    }
  }

  async #write(shard: number, text: string): Promise<void> {
    try {
      await this.#to.store.set(this.#key(shard), text);
    } catch (error) {
      // The next one will be stored; until then Discord would replay more than necessary.
      this.#to.log.warn({ channel: 'discord', err: errorMessage(error) }, 'the session could not be stored');
    }
  }

  #key(shard: number): string {
    return `discord.session.${this.#to.account}.${shard}`;
  }
}

function sessionIn(text: string | undefined, shardId: number): SessionInfo | undefined {
  const kept = text === undefined ? undefined : parseJson(text);
  if (!isFields(kept)) return undefined;
  const at = integer(kept, 'at') ?? 0;
  const sequence = integer(kept, 'sequence');
  const shardCount = integer(kept, 'shardCount');
  const sessionId = string(kept, 'sessionId');
  const resumeURL = string(kept, 'resumeURL');
  if (sequence === undefined || shardCount === undefined || sessionId === undefined || resumeURL === undefined)
    return undefined;
  if (integer(kept, 'shardId') !== shardId || Math.abs(Date.now() - at) > OLD_MS) return undefined;
  return { sequence, shardCount, shardId, sessionId, resumeURL };
}
