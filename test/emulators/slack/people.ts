/** The actions of people: they write, share, edit, join and leave, and the app gets the events. */
import { createInteractions } from './interactions.ts';
import type { Platform } from './platform.ts';
import { typed, typedBlocks } from './rich-text.ts';
import type { ChannelState, Stored, StoredFile } from './state.ts';
import type { People, Said, SayOptions, SentFile } from './types.ts';
import { mimeOf } from './world.ts';

/** `user` acts if nobody else is named; `channel` is the place. */
export function createPeople(platform: Platform, fallback: { user: string; channel: string }): People {
  const { world, events, deliveries } = platform;
  const { bot } = world;
  /** The events of a person's last action. */
  let newest: string[] = [];

  function keep(file: SentFile, user: string): StoredFile {
    const bytes = file.bytes ? Buffer.from(file.bytes) : Buffer.from(file.base64 ?? '', 'base64');
    return world.keepFile(
      {
        name: file.name,
        mimeType: file.mimeType ?? mimeOf(file.name),
        user,
        ...(file.extra ? { extra: file.extra } : {}),
      },
      bytes,
    );
  }

  function said(stored: Stored, announced: string[]): Said {
    if (announced.length > 0) newest = announced;
    const { channel, ts, threadTs } = stored;
    return { channel, ts, ...(threadTs !== undefined && { thread: threadTs }), events: announced };
  }

  function live(channel: string, ts: string): Stored {
    const stored = world.channel(channel).messages.get(ts);
    if (!stored || stored.deleted) throw new Error(`there is no message ${ts} in channel ${channel}`);
    return stored;
  }

  /** Sends an event about a person or channel rather than a message. */
  function tell(event: Record<string, unknown>, scope: string | undefined, channel?: ChannelState): string[] {
    const id = events.announce({ ...event, event_ts: world.nextTs() }, scope, channel);
    return id === undefined ? [] : [id];
  }

  function moved(kind: 'member_joined_channel' | 'member_left_channel', id: string, user: string): void {
    const channel = world.channel(id);
    // The bot is told that it joined once it is in, and that it left while it still is.
    if (kind === 'member_joined_channel') channel.members.add(user);
    tell(
      { type: kind, user, channel: id, channel_type: channel.kind === 'channel' ? 'C' : 'G', team: world.team.id },
      'channels:read',
      channel,
    );
    if (kind === 'member_left_channel') channel.members.delete(user);
  }

  const people: People = {
    ...createInteractions(platform, fallback),
    addUser: (user) => world.addUser(user),
    addChannel({ id, name, isPrivate = false, members, bot: hasBot = true }) {
      const everyone = members ?? [...world.users.values()].filter((user) => !user.isBot).map((user) => user.id);
      const inside = hasBot ? [...everyone, bot.userId] : everyone;
      const kind = isPrivate ? 'group' : 'channel';
      return world.addChannel({ ...(id !== undefined && { id }), name, kind, members: inside }).id;
    },
    addForeignDm: (users) => world.addChannel({ name: '', kind: 'im', members: users }).id,
    dmChannel: (user) => world.dm(user).id,
    say(id, text, options = {}) {
      const channel = world.channel(id);
      const user = options.from ?? fallback.user;
      if (!world.users.has(user)) throw new Error(`there is no user ${user}`);
      const words = options.mention ? `<@${bot.userId}> ${text}` : text;
      const files = (options.files ?? []).map((file) => keep(file, user));
      if (options.thread !== undefined) live(id, options.thread);
      const stored = world.store(channel, {
        user,
        text: options.blocks ? words : typed(words),
        blocks: options.blocks ?? typedBlocks(words, world.nextId('b')),
        attachments: options.attachments ?? [],
        threadTs: options.thread,
        files,
        broadcast: options.broadcast === true,
        subtype: files.length > 0 ? 'file_share' : undefined,
      });
      if (options.deliver === false) return said(stored, []);
      const announced = events.message(stored, options.first ? { first: options.first } : {});
      for (const { id: file } of files) {
        const facts = { channel_id: id, file_id: file, user_id: user, file: { id: file } };
        announced.push(...tell({ type: 'file_shared', ...facts }, 'files:read', channel));
      }
      return said(stored, announced);
    },
    dm: (user, text, options = {}) => people.say(world.dm(user).id, text, { ...options, from: user }),
    burst(channels, count, prefix = '', options: SayOptions = {}) {
      for (let n = 1; n <= count; n += 1) for (const id of channels) people.say(id, `${prefix}${n}`, options);
    },
    shareFile: (channel, files, { text = '', ...options } = {}) => people.say(channel, text, { ...options, files }),
    botSays(id, text, { thread, ours = false, deliver = true } = {}) {
      if (!world.users.has('U0OTHERBOT')) world.addUser({ id: 'U0OTHERBOT', name: 'otherbot', isBot: true });
      const foreign = { user: 'U0OTHERBOT', botId: 'B0OTHERBOT', appId: 'A0OTHERBOT' };
      const own = { user: bot.userId, botId: bot.botId, appId: bot.appId, byBot: true };
      const author = ours ? own : foreign;
      const stored = world.store(world.channel(id), { ...author, text, threadTs: thread });
      return said(stored, deliver ? events.message(stored) : []);
    },
    edit(id, ts, text, { blocks, attachments } = {}) {
      const stored = live(id, ts);
      const previous = world.wire(stored);
      stored.text = blocks ? text : typed(text);
      stored.blocks = blocks ?? typedBlocks(text, world.nextId('b'));
      stored.attachments = attachments ?? stored.attachments;
      stored.edits += 1;
      stored.edited = { user: stored.user, ts: world.nextTs() };
      world.changed(stored);
      return said(stored, events.changed(stored, previous));
    },
    unfurl(id, ts, attachments) {
      const stored = live(id, ts);
      const previous = world.wire(stored);
      stored.attachments = [...stored.attachments, ...attachments];
      world.changed(stored);
      return said(stored, events.changed(stored, previous));
    },
    remove(id, ts) {
      const stored = live(id, ts);
      const previous = world.wire(stored);
      stored.deleted = true;
      world.changed(stored);
      return said(stored, events.removed(stored, previous));
    },
    react(id, ts, emoji, { from = fallback.user } = {}) {
      const stored = live(id, ts);
      const users = stored.reactions.get(emoji) ?? new Set<string>();
      stored.reactions.set(emoji, users.add(from));
      world.changed(stored);
      const item = { type: 'message', channel: id, ts };
      const event = { type: 'reaction_added', user: from, reaction: emoji, item_user: stored.user, item };
      return said(stored, tell(event, 'reactions:read', world.channel(id)));
    },
    join: (id, user) => moved('member_joined_channel', id, user),
    leave: (id, user) => moved('member_left_channel', id, user),
    archive(id) {
      world.channel(id).archived = true;
      tell({ type: 'channel_archive', channel: id, user: fallback.user }, 'channels:read', world.channel(id));
    },
    restrict(id, isReadOnly = true) {
      world.channel(id).readOnly = isReadOnly;
    },
    openAssistant(user, context = {}) {
      const channel = world.dm(user);
      const own = { user: bot.userId, botId: bot.botId, appId: bot.appId, byBot: true };
      const root = world.store(channel, { ...own, text: 'New Assistant Thread', subtype: 'assistant_app_thread' });
      channel.assistants.set(root.ts, { status: '', title: '', prompts: [] });
      const where = { channel_id: channel.id, thread_ts: root.ts };
      const assistant_thread = { user_id: user, context: { ...context, team_id: world.team.id }, ...where };
      const announced = tell({ type: 'assistant_thread_started', assistant_thread }, 'assistant:write');
      return { ...said(root, announced), thread: root.ts };
    },
    openHome(user) {
      const channel = world.dm(user).id;
      return { channel, ts: '', events: tell({ type: 'app_home_opened', user, channel, tab: 'home' }, undefined) };
    },
    sendEvent(event, eventId) {
      const id = events.raw(event, eventId);
      newest = [id];
      return id;
    },
    redeliver(eventId) {
      const ids = eventId === undefined ? newest : [eventId];
      if (ids.length === 0) throw new Error('there is no event to deliver again');
      for (const id of ids) deliveries.redeliver(id);
    },
    rateLimitEvents: () => events.rateLimited(),
  };
  return people;
}
