/**
 * What a homeserver knows: users, rooms, events and their order. Everything has a position in one stream, and a sync
 * token names one. https://spec.matrix.org/latest/client-server-api/
 */
import { createHash, randomBytes } from 'node:crypto';

/** A name with a port, as homeservers may have. */
export const SERVER = 'hs.test:8448';

export type Json = Record<string, unknown>;

export interface MatrixEvent extends Json {
  event_id: string;
  type: string;
  room_id: string;
  sender: string;
  origin_server_ts: number;
  content: Json;
  state_key?: string;
  unsigned?: Json;
}

/** An event where it arrived; one that is delivered again has a second place. */
export interface Arrival {
  pos: number;
  event: MatrixEvent;
}

export interface Room {
  id: string;
  arrivals: Arrival[];
  /** The latest event of each type and state key. */
  state: Map<string, MatrixEvent>;
}

export interface User {
  id: string;
  name: string;
}

export class Refused extends Error {
  readonly status: number;
  readonly errcode: string;
  /** Further fields of the answer. */
  readonly more: Json;
  constructor(status: number, errcode: string, message: string, more: Json = {}) {
    super(message);
    this.status = status;
    this.errcode = errcode;
    this.more = more;
  }
}

export const contentIn = (value: unknown): Json => (isJson(value) ? value : {});
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const relationOf = ({ content }: MatrixEvent): Json => contentIn(content['m.relates_to']);

export interface NewEvent {
  type: string;
  content: Json;
  stateKey?: string;
  /** Known to the device that has sent it. */
  transaction?: string;
}

export function createStore() {
  const users = new Map<string, User>();
  const rooms = new Map<string, Room>();
  const events = new Map<string, MatrixEvent>();
  const media = new Map<string, { bytes: Buffer; type: string; name?: string | undefined }>();
  const accountData = new Map<string, { pos: number; content: Json }>();
  const receipts: { user: string; room: string; event: string; thread: unknown }[] = [];
  const typing: { user: string; room: string; typing: boolean }[] = [];
  const waiting = new Set<() => void>();
  let pos = 0;

  function wake(): void {
    for (const each of [...waiting]) each();
  }

  function roomOf(id: string): Room {
    const room = rooms.get(id);
    if (!room) throw new Refused(403, 'M_FORBIDDEN', `You are not in the room ${id}.`);
    return room;
  }

  const stateOf = (room: Room, type: string, key = ''): Json | undefined => room.state.get(`${type} ${key}`)?.content;
  const membershipOf = (room: Room, user: string): unknown => stateOf(room, 'm.room.member', user)?.membership;

  function add(id: string, sender: string, { type, content, stateKey, transaction }: NewEvent): MatrixEvent {
    const room = roomOf(id);
    const event: MatrixEvent = {
      event_id: `$${createHash('sha256')
        .update(`${id} ${++pos} ${randomBytes(8).toString('hex')}`)
        .digest('base64url')}`,
      ...{ type, room_id: id, sender, origin_server_ts: Date.now(), content },
      ...(stateKey !== undefined && { state_key: stateKey }),
    };
    const before = stateKey === undefined ? undefined : stateOf(room, type, stateKey);
    if (before) event.unsigned = { prev_content: before };
    if (transaction !== undefined) event.unsigned = { transaction_id: transaction };
    room.arrivals.push({ pos, event });
    if (stateKey !== undefined) room.state.set(`${type} ${stateKey}`, event);
    events.set(event.event_id, event);
    wake();
    return event;
  }

  return {
    ...{ users, rooms, events, media, accountData, receipts, typing, add, roomOf, stateOf, membershipOf },
    get pos() {
      return pos;
    },
    addUser(local: string, name: string): User {
      const user = { id: `@${local}:${SERVER}`, name };
      users.set(user.id, user);
      return user;
    },
    /** @param id the whole ID; newer rooms have one without a server */
    createRoom(id: string, creator: string, { encrypted = false, version = '11' } = {}): Room {
      const room: Room = { id, arrivals: [], state: new Map() };
      rooms.set(id, room);
      add(id, creator, { type: 'm.room.create', content: { room_version: version }, stateKey: '' });
      add(id, creator, { type: 'm.room.member', content: memberContent(creator, 'join'), stateKey: creator });
      add(id, creator, { type: 'm.room.join_rules', content: { join_rule: 'invite' }, stateKey: '' });
      if (encrypted) {
        const content = { algorithm: 'm.megolm.v1.aes-sha2' };
        add(id, creator, { type: 'm.room.encryption', content, stateKey: '' });
      }
      return room;
    },
    setMember(
      id: string,
      user: string,
      membership: string,
      { by = user, more = {} }: { by?: string; more?: Json } = {},
    ) {
      const content = { ...memberContent(user, membership), ...more };
      return add(id, by, { type: 'm.room.member', content, stateKey: user });
    },
    setAccountData(user: string, type: string, content: Json): void {
      accountData.set(`${user} ${type}`, { pos: ++pos, content });
      wake();
    },
    /** The event arrives once more, as after a repair of the homeserver. */
    repeat(id: string): void {
      const event = events.get(id);
      if (!event) throw new Error(`there is no event ${id}`);
      rooms.get(event.room_id)?.arrivals.push({ pos: ++pos, event });
      wake();
    },
    redact(id: string, by: string): MatrixEvent {
      const event = events.get(id);
      if (!event) throw new Refused(404, 'M_NOT_FOUND', 'There is no such event.');
      event.content = {};
      return add(event.room_id, by, { type: 'm.room.redaction', content: { redacts: id } });
    },
    /** Resolves at the next change, or when the time is over. */
    change(ms: number): Promise<void> {
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        waiting.add(done);
      });
    },
    wake,
  };

  function memberContent(user: string, membership: string): Json {
    const name = users.get(user)?.name;
    return { membership, ...(name !== undefined && { displayname: name }) };
  }
}

export type Store = ReturnType<typeof createStore>;

/** Returns the user's name, as their profile has it. @throws Refused if there is no such user */
export function shownUser({ users }: Store, id: string): string {
  const user = users.get(id);
  if (!user) throw new Refused(404, 'M_NOT_FOUND', 'No such user.');
  return user.name;
}
