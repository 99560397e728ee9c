/** Fetches the part of a room's timeline that a sync has left out, oldest first. */
import { type Fields, list, string } from 'openviber-gateway/plugin';
import { CLIENT, contentOf, type MatrixApi } from './api.ts';

/** The events that the channel asks for. The homeserver leaves out all others. */
export const TIMELINE = {
  types: ['m.room.message', 'm.sticker', 'm.reaction', 'm.room.encrypted', 'm.room.tombstone', 'm.room.member'],
  lazy_load_members: true,
  include_redundant_members: true,
};
const PAGE = 100;
/** 50,000 events; no gap is larger, unless the homeserver leads in a circle. */
const MAX_PAGES = 500;
/** Of a room that was just joined, only what was said since the invitation is read. */
const MAX_BACK = 5;

export interface Gap {
  room: string;
  /** The `since` of the sync, and its `prev_batch`. */
  from: string;
  to: string;
}

/** Yields the events of a gap, page by page. @throws MatrixError */
export async function* eventsIn(
  api: MatrixApi,
  { room, from, to }: Gap,
  signal: AbortSignal,
): AsyncGenerator<Fields[]> {
  let at: string | undefined = from;
  for (let page = 0; page < MAX_PAGES && at !== undefined; page++) {
    const answer = await messages(api, room, { from: at, to, dir: 'f' }, signal);
    const events = list(answer, 'chunk');
    if (events.length > 0) yield events;
    const end = string(answer, 'end');
    at = end === at || end === to ? undefined : end;
  }
}

/** Returns what a room's timeline has before `from`, back to the bot's invitation. @throws MatrixError */
export async function sinceInvited(
  api: MatrixApi,
  { room, from, self }: { room: string; from: string; self: string },
  signal: AbortSignal,
): Promise<Fields[]> {
  const found: Fields[] = [];
  let at: string | undefined = from;
  for (let page = 0; page < MAX_BACK && at !== undefined; page++) {
    const answer = await messages(api, room, { from: at, dir: 'b' }, signal);
    const events = list(answer, 'chunk');
    found.unshift(...events.toReversed());
    if (events.some((event) => isOwnMembership(event, self, 'invite'))) break;
    const end = string(answer, 'end');
    at = end === at ? undefined : end;
  }
  return found;
}

function messages(api: MatrixApi, room: string, query: Record<string, string>, signal: AbortSignal): Promise<Fields> {
  const all = { ...query, limit: PAGE, filter: JSON.stringify(TIMELINE) };
  return api.call('GET', [...CLIENT, 'rooms', room, 'messages'], { query: all, signal });
}

export const isOwnMembership = (event: Fields, self: string, membership: string): boolean =>
  event.type === 'm.room.member' && event.state_key === self && contentOf(event).membership === membership;

/** Whether the bot has joined by this event, and wasn't there before. */
export function isOwnJoin(event: Fields, self: string): boolean {
  if (!isOwnMembership(event, self, 'join')) return false;
  const { unsigned } = event;
  const before = typeof unsigned === 'object' && unsigned !== null ? (unsigned as Fields).prev_content : undefined;
  return !(typeof before === 'object' && before !== null && (before as Fields).membership === 'join');
}
