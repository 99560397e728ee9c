/** The stream of events as one user sees it: `/sync` with its filters and gaps, and `/rooms/{roomId}/messages`. */
import { contentIn, isJson, type Json, type MatrixEvent, Refused, type Room, type Store } from './store.ts';

const MAX_TIMELINE = 50;
const MAX_PAGE = 100;

const tokenOf = (pos: number): string => `s${pos}_0`;
const pageOf = (pos: number): string => `t0-${pos}_0`;

/** @throws Refused for anything but a token of this homeserver */
function posOf(token: string, mayBePage: boolean): number {
  const [, sync, page] = /^(?:s(\d+)_0|t0-(\d+)_0)$/.exec(token) ?? [];
  const digits = sync ?? (mayBePage ? page : undefined);
  if (digits === undefined) throw new Refused(400, 'M_INVALID_PARAM', `Invalid stream token ${token}`);
  return Number(digits);
}

function readFilter(text: string | undefined): Json {
  if (text === undefined) return {};
  try {
    const filter: unknown = JSON.parse(text);
    if (isJson(filter)) return filter;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Refused(400, 'M_NOT_JSON', 'The filter is no JSON object.');
}

/** https://spec.matrix.org/latest/client-server-api/#filtering */
function passes(filter: Json, { type, sender }: { type: string; sender: string }): boolean {
  const listed = (key: string) => (Array.isArray(filter[key]) ? (filter[key] as string[]) : undefined);
  const fits = (pattern: string) =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(type);
  if (listed('not_senders')?.includes(sender) || listed('not_types')?.some(fits)) return false;
  return (listed('senders')?.includes(sender) ?? true) && (listed('types')?.some(fits) ?? true);
}

const limitOf = (filter: Json, most: number): number => {
  const { limit = 10 } = filter;
  if (!Number.isInteger(limit) || Number(limit) < 1)
    throw new Refused(400, 'M_INVALID_PARAM', 'limit must be positive');
  return Math.min(Number(limit), most);
};

/** An event as a client gets it: with the newest edit, and without its room where that is known. */
export function shown(event: MatrixEvent, store: Store, withRoom: boolean): Json {
  const room = store.rooms.get(event.room_id);
  const edits = room?.arrivals
    .map((arrival) => arrival.event)
    .filter((each) => {
      const relation = contentIn(each.content['m.relates_to']);
      return relation.rel_type === 'm.replace' && relation.event_id === event.event_id && each.sender === event.sender;
    });
  const newest = edits?.at(-1);
  const relations = newest && { 'm.relations': { 'm.replace': newest } };
  const { room_id, unsigned, ...rest } = event;
  return {
    ...rest,
    ...(withRoom && { room_id }),
    unsigned: { age: Date.now() - event.origin_server_ts, ...unsigned, ...relations },
  };
}

export interface SyncQuery {
  since?: string | undefined;
  filter?: string | undefined;
  timeout?: string | undefined;
}

/** Answers at once if there is anything new, or else when there is, or when the time is over. */
export async function sync(store: Store, user: string, query: SyncQuery, isGone: () => boolean): Promise<Json> {
  const filter = readFilter(query.filter);
  const since = query.since === undefined ? undefined : posOf(query.since, false);
  if (since !== undefined && since > store.pos) throw new Refused(400, 'M_UNKNOWN', 'The token is from the future.');
  const end = Date.now() + (since === undefined ? 0 : Number(query.timeout ?? 0));
  for (;;) {
    const answer = syncNow(store, user, since, filter);
    if (answer || isGone() || Date.now() >= end) return { ...answer, next_batch: tokenOf(store.pos) };
    await store.change(end - Date.now());
  }
}

function syncNow(store: Store, user: string, since: number | undefined, filter: Json): Json | undefined {
  const join: Json = {};
  const invite: Json = {};
  const leave: Json = {};
  const rules = contentIn(filter.room);
  for (const room of store.rooms.values()) {
    const membership = store.membershipOf(room, user);
    const isNew = (since ?? 0) < lastOwn(room, user);
    if (membership === 'invite' && isNew) invite[room.id] = { invite_state: { events: strippedOf(room, user) } };
    if ((membership === 'leave' || membership === 'ban') && isNew && since !== undefined) leave[room.id] = {};
    if (membership !== 'join') continue;
    const found = joined(store, room, { user, since, rules });
    if (found) join[room.id] = found;
  }
  const accountTypes = contentIn(filter.account_data);
  const account = [...store.accountData]
    .filter(([key, { pos }]) => key.startsWith(`${user} `) && pos > (since ?? 0))
    .map(([key, { content }]) => ({ type: key.slice(user.length + 1), content }))
    .filter(({ type }) => passes(accountTypes, { type, sender: user }));
  const isEmpty = [join, invite, leave].every((group) => Object.keys(group).length === 0) && account.length === 0;
  if (isEmpty && since !== undefined) return undefined;
  return { account_data: { events: account }, rooms: { join, invite, leave } };
}

const lastOwn = (room: Room, user: string): number =>
  room.arrivals.findLast(({ event }) => event.type === 'm.room.member' && event.state_key === user)?.pos ?? 0;

/** https://spec.matrix.org/latest/client-server-api/#stripped-state */
function strippedOf(room: Room, user: string): Json[] {
  const kept = ['m.room.create', 'm.room.join_rules', 'm.room.encryption', 'm.room.name'];
  return [...room.state.values()]
    .filter(({ type, state_key }) => kept.includes(type) || (type === 'm.room.member' && state_key === user))
    .map(({ type, state_key, sender, content }) => ({ type, state_key, sender, content }));
}

function joined(
  store: Store,
  room: Room,
  { user, since, rules }: { user: string; since: number | undefined; rules: Json },
): Json | undefined {
  const filter = contentIn(rules.timeline);
  const isFresh = since !== undefined && isJoin(room, user) && since < lastOwn(room, user);
  // Somebody who has just joined gets the newest events of before as well.
  const fresh = room.arrivals.filter(({ pos, event }) => (isFresh || pos > (since ?? 0)) && passes(filter, event));
  if (fresh.length === 0 && since !== undefined) return undefined;
  const limit = limitOf(filter, MAX_TIMELINE);
  const events = fresh.slice(-limit);
  const isLimited = fresh.length > limit;
  const first = events[0]?.pos ?? store.pos;
  const senders = new Set([user, ...events.map(({ event }) => event.sender)]);
  const members = [...room.state.values()].filter(
    ({ type, state_key = '', event_id }) =>
      type === 'm.room.member' && senders.has(state_key) && !events.some(({ event }) => event.event_id === event_id),
  );
  const joinedCount = [...room.state.values()].filter(({ content }) => content.membership === 'join').length;
  return {
    summary: { 'm.joined_member_count': joinedCount },
    state: { events: members.map((event) => shown(event, store, false)) },
    timeline: {
      events: events.map(({ event }) => shown(event, store, false)),
      limited: isLimited,
      prev_batch: pageOf(first - 1),
    },
  };
}

/** Whether the user's newest change of membership is a join, and no change of name. */
function isJoin(room: Room, user: string): boolean {
  const own = room.arrivals.findLast(({ event }) => event.type === 'm.room.member' && event.state_key === user);
  return own?.event.content.membership === 'join' && contentIn(own.event.unsigned?.prev_content).membership !== 'join';
}

export interface PageQuery {
  from?: string | undefined;
  to?: string | undefined;
  dir?: string | undefined;
  limit?: string | undefined;
  filter?: string | undefined;
}

/** A page is cut before it is filtered: it may be empty though there are more. */
export function messages(store: Store, room: Room, { from, to, dir, limit, filter }: PageQuery): Json {
  if (dir !== 'b' && dir !== 'f') throw new Refused(400, 'M_MISSING_PARAM', 'dir must be b or f');
  const rules = readFilter(filter);
  const most = limitOf({ limit: limit === undefined ? 10 : Number(limit) }, MAX_PAGE);
  const start = from === undefined ? (dir === 'f' ? 0 : store.pos) : posOf(from, true);
  const stop = to === undefined ? (dir === 'f' ? store.pos : 0) : posOf(to, true);
  const within = room.arrivals.filter(({ pos }) =>
    dir === 'f' ? pos > start && pos <= stop : pos <= start && pos > stop,
  );
  const ordered = dir === 'f' ? within : within.toReversed();
  const page = ordered.slice(0, most);
  const last = page.at(-1);
  const chunk = page.filter(({ event }) => passes(rules, event)).map(({ event }) => shown(event, store, true));
  const isMore = ordered.length > page.length && last !== undefined;
  return { start: pageOf(start), chunk, ...(isMore && { end: pageOf(dir === 'f' ? last.pos : last.pos - 1) }) };
}
