/** The platform's whole state: people, channels, messages, files. Changes are emitted as `message` with the record. */
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { ApiError } from './errors.ts';
import type { ChannelState, Json, Stored, StoredFile } from './state.ts';
import type { SlackUser } from './types.ts';
import { type WireOptions, wireMessage } from './wire.ts';

export interface Team {
  id: string;
  name: string;
  domain: string;
}

export interface Bot {
  userId: string;
  botId: string;
  appId: string;
  name: string;
}

export type Draft = Pick<Stored, 'user' | 'text'> & Partial<Omit<Stored, 'ts' | 'channel' | 'at' | 'seq'>>;

export interface World {
  team: Team;
  bot: Bot;
  users: Map<string, SlackUser>;
  channels: Map<string, ChannelState>;
  files: Map<string, StoredFile>;
  changes: EventEmitter;
  /** `http://127.0.0.1:PORT`, known once the server listens. */
  base: string;
  nextTs(): string;
  nextId(prefix: string): string;
  seq(): number;
  addUser(user: Partial<SlackUser> & { id: string }): SlackUser;
  addChannel(channel: Pick<ChannelState, 'kind' | 'name'> & { id?: string; members: Iterable<string> }): ChannelState;
  /** Throws an error for the test, not for the API. */
  channel(id: string): ChannelState;
  dm(user: string): ChannelState;
  store(channel: ChannelState, draft: Draft): Stored;
  changed(stored: Stored): void;
  wire(stored: Stored, metadata?: boolean): Json;
  keepFile(file: Pick<StoredFile, 'name' | 'mimeType' | 'user' | 'extra'>, bytes?: Buffer): StoredFile;
  fill(file: StoredFile, bytes: Buffer): void;
}

const MIME: Record<string, string> = {
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  zip: 'application/zip',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
};

/** Returns the type that the platform derives from a file's name. */
export function mimeOf(name: string): string {
  return MIME[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream';
}

export function createWorld(team: Team, bot: Bot, keepFiles: boolean): World {
  const changes = new EventEmitter().setMaxListeners(0);
  let lastMicros = 0;
  let ids = 0;
  let seq = 0;

  const world: World = {
    team,
    bot,
    users: new Map(),
    channels: new Map(),
    files: new Map(),
    changes,
    base: '',
    nextTs() {
      lastMicros = Math.max(lastMicros + 1, Date.now() * 1000);
      return `${Math.floor(lastMicros / 1e6)}.${String(lastMicros % 1e6).padStart(6, '0')}`;
    },
    nextId(prefix) {
      ids += 1;
      return `${prefix}0${ids.toString(36).toUpperCase().padStart(8, '0')}`;
    },
    seq: () => seq,
    addUser({ id, name = id.toLowerCase(), realName = name, isBot = false }) {
      const user = { id, name, realName, isBot };
      world.users.set(id, user);
      return user;
    },
    addChannel({ id, name, kind, members }) {
      // Private channels have been C... for years, so only direct messages can be recognised by their ID.
      const prefix = kind === 'im' ? 'D' : 'C';
      const channel: ChannelState = {
        id: id ?? world.nextId(prefix),
        name,
        kind,
        members: new Set(members),
        archived: false,
        created: Math.floor(Date.now() / 1000),
        messages: new Map(),
        threads: new Map(),
        assistants: new Map(),
      };
      world.channels.set(channel.id, channel);
      return channel;
    },
    channel(id) {
      const channel = world.channels.get(id);
      if (!channel) throw new Error(`there is no channel ${id}`);
      return channel;
    },
    dm(user) {
      const known = world.channels.get(`D${user.slice(1)}`);
      if (known) return known;
      if (!world.users.has(user)) throw new ApiError('user_not_found');
      return world.addChannel({ id: `D${user.slice(1)}`, kind: 'im', name: '', members: [user, bot.userId] });
    },
    store(channel, draft) {
      const stored: Stored = {
        botId: undefined,
        appId: undefined,
        byBot: false,
        subtype: undefined,
        blocks: [],
        attachments: [],
        threadTs: undefined,
        metadata: undefined,
        files: [],
        edited: undefined,
        edits: 0,
        deleted: false,
        ephemeralFor: undefined,
        broadcast: false,
        unfurlLinks: undefined,
        unfurlMedia: undefined,
        reactions: new Map(),
        streamedAt: undefined,
        ...draft,
        ts: world.nextTs(),
        channel: channel.id,
        at: Date.now(),
        seq: 0,
      };
      channel.messages.set(stored.ts, stored);
      if (stored.threadTs !== undefined) {
        const replies = channel.threads.get(stored.threadTs);
        if (replies) replies.push(stored);
        else channel.threads.set(stored.threadTs, [stored]);
      }
      for (const file of stored.files) file.channels.set(channel.id, channel.kind);
      world.changed(stored);
      return stored;
    },
    changed(stored) {
      seq += 1;
      stored.seq = seq;
      changes.emit('message', stored);
    },
    wire(stored, metadata = false) {
      const options: WireOptions = { base: world.base, team: team.id, botName: bot.name, metadata };
      return wireMessage(world.channel(stored.channel), stored, options);
    },
    keepFile({ name, mimeType, user, extra }, bytes) {
      const file: StoredFile = {
        id: world.nextId('F'),
        name,
        title: name,
        mimeType,
        user,
        size: 0,
        sha256: '',
        bytes: undefined,
        created: Math.floor(Date.now() / 1000),
        state: 'announced',
        channels: new Map(),
        ...(extra ? { extra } : {}),
      };
      world.files.set(file.id, file);
      if (bytes) {
        world.fill(file, bytes);
        file.state = 'complete';
      }
      return file;
    },
    fill(file, bytes) {
      file.size = bytes.length;
      file.sha256 = createHash('sha256').update(bytes).digest('hex');
      file.bytes = keepFiles ? bytes : undefined;
      file.state = 'uploaded';
    },
  };
  world.addUser({ id: bot.userId, name: bot.name, realName: 'Viber', isBot: true });
  return world;
}
