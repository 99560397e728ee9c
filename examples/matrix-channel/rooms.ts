/**
 * What is known of rooms: which are direct chats, and people's names there. All of it can be asked for again, so nothing
 * is kept on disk, and every map has a limit.
 */
import { createLru, type Fields, fields, isFields, list, string } from 'openviber-gateway/plugin';
import { CLIENT, contentOf, type MatrixApi, MatrixError } from './api.ts';

const MAX_ROOMS = 2_000;
const MAX_NAMES = 10_000;

export interface Rooms {
  /** Returns whether the room is marked as a direct chat, and only one person is in it beside the bot. */
  isDirect(room: string): Promise<boolean>;
  /** Returns the person of a direct chat. */
  personOf(room: string): string | undefined;
  /** Returns the room of a person, if they have one. */
  directRoomOf(user: string): string | undefined;
  /** Marks a room as direct, for every device of the bot. */
  mark(room: string, user: string): Promise<void>;
  nameOf(room: string, user: string): string | undefined;
  /** Takes the room's changes of members from a sync. */
  note(room: string, events: readonly Fields[]): void;
  /** Takes the list of direct chats. */
  setDirect(content: Fields): void;
  /** Reads the list of direct chats. @throws MatrixError */
  load(): Promise<void>;
}

export function createRooms(api: MatrixApi, self: string): Rooms {
  const names = createLru<string>(MAX_NAMES);
  /** Whether one person is in a direct room, until its members change. */
  const alone = createLru<boolean>(MAX_ROOMS);
  let people = new Map<string, string>();
  const account = [...CLIENT, 'user', self, 'account_data', 'm.direct'];

  function setDirect(content: Fields): void {
    people = new Map();
    for (const [user, rooms] of Object.entries(content))
      if (Array.isArray(rooms)) for (const room of rooms) if (typeof room === 'string') people.set(room, user);
  }

  async function read(): Promise<Fields> {
    try {
      return await api.call('GET', account);
    } catch (error) {
      if (error instanceof MatrixError && error.status === 404) return {};
      throw error;
    }
  }

  /** Returns everybody who reads in the room, or will once they accept their invitation. */
  async function members(room: string): Promise<string[]> {
    const answer = await api.call('GET', [...CLIENT, 'rooms', room, 'members'], { query: { not_membership: 'leave' } });
    return list(answer, 'chunk').flatMap((event) => {
      const user = string(event, 'state_key');
      const membership = string(contentOf(event), 'membership');
      return user !== undefined && (membership === 'join' || membership === 'invite') ? [user] : [];
    });
  }

  return {
    async isDirect(room) {
      if (!people.has(room)) return false;
      const known = alone.get(room);
      if (known !== undefined) return known;
      const others = (await members(room)).filter((user) => user !== self);
      alone.set(room, others.length === 1);
      return others.length === 1;
    },
    personOf: (room) => people.get(room),
    directRoomOf: (user) => [...people].findLast(([, person]) => person === user)?.[0],
    async mark(room, user) {
      const content = await read();
      const rooms = Array.isArray(content[user]) ? content[user] : [];
      if (!rooms.includes(room)) await api.call('PUT', account, { json: { ...content, [user]: [...rooms, room] } });
      people.set(room, user);
    },
    nameOf: (room, user) => names.get(`${room} ${user}`),
    note(room, events) {
      for (const event of events) {
        if (event.type !== 'm.room.member') continue;
        alone.delete(room);
        const user = string(event, 'state_key');
        const name = string(contentOf(event), 'displayname');
        if (user !== undefined && name !== undefined) names.set(`${room} ${user}`, name);
      }
    },
    setDirect,
    async load() {
      setDirect(await read());
    },
  };
}

/** An invitation, as far as its stripped state says. */
export interface Invitation {
  room: string;
  by: string;
  isDirect: boolean;
  isEncrypted: boolean;
}

/** Reads an invitation from a sync's `invite_state`; undefined without the inviting person. */
export function readInvitation(room: string, given: unknown, self: string): Invitation | undefined {
  const events = isFields(given) ? list(fields(given, 'invite_state') ?? {}, 'events') : [];
  const own = events.findLast((event) => event.type === 'm.room.member' && event.state_key === self);
  const by = own && string(own, 'sender');
  if (!own || by === undefined) return undefined;
  const isEncrypted = events.some((event) => event.type === 'm.room.encryption');
  return { room, by, isDirect: contentOf(own).is_direct === true, isEncrypted };
}
