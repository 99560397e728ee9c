/**
 * Receives events by long polling (https://spec.matrix.org/latest/client-server-api/#syncing). Invariants: the position
 * is kept only after everything of a sync has been accepted, so that a crash repeats it and event IDs tell what is
 * known; what a sync leaves out is fetched; only the process that leads moves the position.
 */
import {
  type ChannelCache,
  type ChannelStatus,
  createBackoff,
  errorMessage,
  type Fields,
  fields,
  isFields,
  type Logger,
  list,
  sleep,
  string,
  type Turn,
} from 'openviber-gateway/plugin';
import { CLIENT, type MatrixApi, MatrixError, parse } from './api.ts';
import { eventsIn, isOwnJoin, isOwnMembership, sinceInvited, TIMELINE } from './history.ts';
import type { Invitations } from './invitations.ts';
import { type Invitation, type Rooms, readInvitation } from './rooms.ts';

export interface SyncOptions {
  api: MatrixApi;
  self: string;
  rooms: Rooms;
  invitations: Invitations;
  cache: ChannelCache;
  log: Logger;
  turn: Turn;
  timing: { pollMs: number; backoffMs: { min: number; max: number } };
  onStatus(status: ChannelStatus): void;
  /**
   * Accepts events of rooms, in each room's order. Rejects if some could not be stored, or could not be completed
   * because the homeserver is away; `isLast`: without asking it again.
   */
  take(events: readonly RoomEvent[], isLast: boolean): Promise<void>;
}

export interface RoomEvent {
  room: string;
  event: Fields;
}

/** Kept together, so that no invitation is forgotten with the position that has brought it. */
interface Position {
  since?: string;
  invitations: Invitation[];
}

const BATCH = 50;
/** Invitations that wait for their answer; more at once are nobody's who wants one. */
const MAX_INVITATIONS = 500;
/** Milliseconds past its due time after which a poll counts as lost. */
const GRACE_MS = 15_000;
/** So often a sync is repeated before what it refers to is done without. */
const MAX_TRIES = 5;

const FILTER = JSON.stringify({
  presence: { types: [] },
  account_data: { types: ['m.direct'] },
  room: {
    account_data: { types: [] },
    ephemeral: { types: [] },
    state: { types: ['m.room.member'], lazy_load_members: true, include_redundant_members: true },
    timeline: { ...TIMELINE, limit: BATCH },
  },
});

/**
 * Keeps where the stream of events is now, if nothing is kept yet: what is said from then on counts. Invitations of before
 * are answered. @throws MatrixError
 */
export async function beginSync(
  options: Pick<SyncOptions, 'api' | 'self' | 'cache'>,
  over: AbortSignal,
): Promise<void> {
  if ((await readPosition(options)).since !== undefined) return;
  const answer = await poll(options.api, {}, 0, over);
  const since = string(answer, 'next_batch');
  if (since === undefined) throw noBatch();
  await keep({ since, invitations: invitationsIn(answer, [], options.self) }, options);
}

/** Polls until its turn is over. */
export async function runSync(options: SyncOptions): Promise<void> {
  const { turn, timing, onStatus, invitations } = options;
  const backoff = createBackoff(timing.backoffMs.min, timing.backoffMs.max);
  const position = await readPosition(options);
  const save = () => keep(position, options);
  for (const invitation of position.invitations) invitations.add(invitation, settled(invitation));
  let failures = 0;

  function settled(invitation: Invitation) {
    return async () => {
      position.invitations = position.invitations.filter(({ room }) => room !== invitation.room);
      await save();
    };
  }

  while (!turn.over.aborted && turn.isOurs()) {
    try {
      // After a failure the first call doesn't wait for events, so that its success is known at once.
      const answer = await poll(options.api, position, failures === 0 ? timing.pollMs : 0, turn.over);
      const next = string(answer, 'next_batch');
      if (next === undefined) throw noBatch();
      const invited = await takeAnswer(answer, position, { options, isLast: failures >= MAX_TRIES });
      if (!turn.isOurs()) return;
      const isNews = invited.length > 0 || next !== position.since;
      position.since = next;
      position.invitations.push(...invited);
      if (isNews) await save();
      for (const invitation of invited) invitations.add(invitation, settled(invitation));
      failures = 0;
      backoff.reset();
      onStatus({ state: 'connected' });
    } catch (error) {
      if (turn.over.aborted) return;
      failures++;
      onStatus(statusOf(error));
      if (isLostPosition(error) && failures > MAX_TRIES) {
        options.log.error(
          { err: error },
          'Matrix no longer knows the position; what was said meanwhile may stay unanswered',
        );
        delete position.since;
      }
      const waitMs = error instanceof MatrixError && error.isTokenWrong ? timing.backoffMs.max : retryAfter(error);
      await sleep(waitMs ?? backoff.next(), turn.over);
    }
  }
}

/** A homeserver that was restored from a backup may not know its own tokens. */
const isLostPosition = (error: unknown): boolean => error instanceof MatrixError && error.status === 400;

const retryAfter = (error: unknown): number | undefined =>
  error instanceof MatrixError ? error.retryAfterMs : undefined;

function statusOf(error: unknown): ChannelStatus {
  if (!(error instanceof MatrixError))
    return { state: 'reconnecting', detail: `messages can't be stored (${errorMessage(error)}); Matrix keeps them` };
  if (error.isTokenWrong)
    return { state: 'failed', detail: `${error.message}: set channels.matrix.token to a valid one` };
  return { state: 'reconnecting', detail: error.message };
}

const noBatch = (): MatrixError => new MatrixError('the homeserver names no next batch', { status: 502 });

function poll(api: MatrixApi, { since }: { since?: string }, timeout: number, signal: AbortSignal): Promise<Fields> {
  const query = { filter: FILTER, set_presence: 'offline', timeout: since === undefined ? 0 : timeout, since };
  return api.call('GET', [...CLIENT, 'sync'], { query, timeoutMs: timeout + GRACE_MS, signal });
}

/** Accepts everything of a sync, and returns the new invitations. */
async function takeAnswer(
  answer: Fields,
  { since, invitations }: Position,
  { options, isLast }: { options: SyncOptions; isLast: boolean },
): Promise<Invitation[]> {
  const { rooms, self, turn } = options;
  for (const { type, content } of list(fields(answer, 'account_data') ?? {}, 'events'))
    if (type === 'm.direct' && isFields(content)) rooms.setDirect(content);
  const groups = fields(answer, 'rooms') ?? {};
  const plain: RoomEvent[] = [];
  // What was said before the bot's first start isn't meant for it.
  const joined = since === undefined ? [] : Object.entries(fields(groups, 'join') ?? {});
  for (const [room, given] of joined) {
    if (!isFields(given)) continue;
    const timeline = fields(given, 'timeline') ?? {};
    const events = list(timeline, 'events');
    const state = list(fields(given, 'state') ?? {}, 'events');
    rooms.note(room, [...state, ...events]);
    const from = string(timeline, 'prev_batch');
    const isGap = timeline.limited === true && from !== undefined && since !== undefined;
    // The state may name a join of long ago.
    if (events.some((event) => isOwnJoin(event, self))) {
      const before = isGap ? await sinceInvited(options.api, { room, from, self }, turn.over) : [];
      plain.push(...sinceCalled([...before, ...events], self).map((event) => ({ room, event })));
      continue;
    }
    if (isGap)
      for await (const page of eventsIn(options.api, { room, from: since, to: from }, turn.over)) {
        rooms.note(room, page);
        await options.take(
          page.map((event) => ({ room, event })),
          isLast,
        );
      }
    plain.push(...events.map((event) => ({ room, event })));
  }
  if (plain.length > 0) await options.take(plain, isLast);
  return invitationsIn(answer, invitations, self);
}

/** Returns the invitations of a sync that aren't known. */
function invitationsIn(answer: Fields, known: readonly Invitation[], self: string): Invitation[] {
  const rooms = new Set(known.map(({ room }) => room));
  return Object.entries(fields(fields(answer, 'rooms') ?? {}, 'invite') ?? {})
    .filter(([room]) => !rooms.has(room))
    .slice(0, MAX_INVITATIONS - known.length)
    .flatMap(([room, given]) => readInvitation(room, given, self) ?? []);
}

/** Returns the events since the bot was invited or, if nobody has invited it, since it joined. */
function sinceCalled(events: readonly Fields[], self: string): readonly Fields[] {
  const invited = events.findLastIndex((event) => isOwnMembership(event, self, 'invite'));
  return events.slice((invited < 0 ? events.findLastIndex((event) => isOwnJoin(event, self)) : invited) + 1);
}

const keyOf = ({ self }: { self: string }): string => `matrix.position.${self}`;

type Kept = Pick<SyncOptions, 'cache' | 'self'>;

async function readPosition(options: Kept): Promise<Position> {
  const text = await options.cache.get(keyOf(options));
  if (text === undefined) return { invitations: [] };
  const kept = parse(text);
  if (!isFields(kept)) return { invitations: [] };
  const since = string(kept, 'since');
  const invitations = list(kept, 'invitations').flatMap((each): Invitation[] => {
    const [room, by] = [string(each, 'room'), string(each, 'by')];
    if (room === undefined || by === undefined) return [];
    return [{ room, by, isDirect: each.isDirect === true, isEncrypted: each.isEncrypted === true }];
  });
  return { ...(since !== undefined && { since }), invitations };
}

async function keep(position: Position, options: Kept): Promise<void> {
  await options.cache.set(keyOf(options), JSON.stringify(position));
}
