/** Information: auth.test, users, conversations and their history. */
import { type Args, flag, integer, required, text } from './args.ts';
import { joined, message, seen } from './conversation.ts';
import { ApiError } from './errors.ts';
import type { Method } from './methods.ts';
import type { Platform } from './platform.ts';
import type { ChannelState, Json, Stored } from './state.ts';
import { wireChannel, wireUser } from './wire.ts';

const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read'];
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];
const KIND_SCOPE = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' };
/** Throws ApiError `missing_scope` if the kind of channel requires another scope than the bot has. */
function checkKind(platform: Platform, channel: ChannelState, what: 'read' | 'history'): void {
  const needed = `${KIND_SCOPE[channel.kind]}:${what}`;
  if (platform.scopes().has(needed)) return;
  throw new ApiError('missing_scope', { needed, provided: [...platform.scopes()].join(',') });
}

interface Page<T> {
  items: T[];
  cursor: string;
}

/** Throws ApiError `invalid_cursor` or `invalid_limit`. */
function page<T>(args: Args, all: T[], keyOf: (item: T) => string, fallback: number, most = 999): Page<T> {
  const limit = integer(args, 'limit') ?? fallback;
  if (limit < 1 || limit > most) throw new ApiError('invalid_limit');
  const given = text(args, 'cursor');
  // A cursor names the next item, so that messages that arrive between pages don't shift anything.
  const next = given === undefined ? undefined : Buffer.from(given, 'base64').toString().replace('next:', '');
  const start = next === undefined ? 0 : all.findIndex((item) => keyOf(item) === next);
  if (start === -1) throw new ApiError('invalid_cursor');
  const end = start + limit;
  const after = all[end];
  return {
    items: all.slice(start, end),
    cursor: after === undefined ? '' : Buffer.from(`next:${keyOf(after)}`).toString('base64'),
  };
}

function paged(cursor: string): Json {
  return { has_more: cursor !== '', response_metadata: { next_cursor: cursor } };
}

/** Throws ApiError `invalid_ts_oldest` or `invalid_ts_latest`. */
function between(args: Args): (stored: Stored) => boolean {
  const oldest = text(args, 'oldest');
  const latest = text(args, 'latest');
  if (oldest !== undefined && !/^\d+(\.\d+)?$/.test(oldest)) throw new ApiError('invalid_ts_oldest');
  if (latest !== undefined && !/^\d+(\.\d+)?$/.test(latest)) throw new ApiError('invalid_ts_latest');
  const inclusive = flag(args, 'inclusive') === true;
  // Microseconds as one number: both ends may lack their six decimals.
  const micros = (ts: string) => {
    const [seconds = '0', rest = ''] = ts.split('.');
    return Number(seconds) * 1e6 + Number(rest.padEnd(6, '0').slice(0, 6));
  };
  const low = oldest === undefined ? Number.NEGATIVE_INFINITY : micros(oldest);
  const high = latest === undefined ? Number.POSITIVE_INFINITY : micros(latest);
  return ({ ts }) => {
    const at = micros(ts);
    return inclusive ? at >= low && at <= high : at > low && at < high;
  };
}

const isShown = (stored: Stored) => !stored.deleted && stored.ephemeralFor === undefined;

const history: Method['run'] = (platform, args) => {
  const channel = joined(platform, args);
  checkKind(platform, channel, 'history');
  const fits = between(args);
  const all = [...channel.messages.values()].filter(
    (stored) => isShown(stored) && (stored.threadTs === undefined || stored.broadcast) && fits(stored),
  );
  const { items, cursor } = page(args, all.reverse(), (stored) => stored.ts, 100);
  const metadata = flag(args, 'include_all_metadata') === true;
  return { messages: items.map((stored) => platform.world.wire(stored, metadata)), pin_count: 0, ...paged(cursor) };
};

const replies: Method['run'] = (platform, args) => {
  const channel = joined(platform, args);
  checkKind(platform, channel, 'history');
  const asked = message(channel, required(args, 'ts'), 'thread_not_found');
  const root = asked.threadTs === undefined ? asked : message(channel, asked.threadTs, 'thread_not_found');
  const all = (channel.threads.get(root.ts) ?? []).filter(isShown).filter(between(args));
  const { items, cursor } = page(args, all, (stored) => stored.ts, 1000, 1000);
  const metadata = flag(args, 'include_all_metadata') === true;
  // Every page includes the first message of the thread, whatever the range.
  return { messages: [root, ...items].map((stored) => platform.world.wire(stored, metadata)), ...paged(cursor) };
};

const open: Method['run'] = (platform, args) => {
  const id = text(args, 'channel');
  const users = text(args, 'users')?.split(',') ?? [];
  const { world } = platform;
  if (id === undefined && users.length === 0) throw new ApiError('users_list_not_supplied');
  for (const user of users) if (!world.users.has(user)) throw new ApiError('user_not_found');
  if (users.includes(world.bot.userId)) throw new ApiError('cannot_dm_bot');
  const everyone = [...users, world.bot.userId];
  const known = [...world.channels.values()].find(
    (channel) =>
      channel.kind === 'mpim' &&
      channel.members.size === everyone.length &&
      everyone.every((user) => channel.members.has(user)),
  );
  const [first = ''] = users;
  const group = () => known ?? world.addChannel({ kind: 'mpim', name: `mpdm-${users.join('--')}`, members: everyone });
  const channel = id === undefined ? (users.length === 1 ? world.dm(first) : group()) : seen(platform, id);
  return { channel: flag(args, 'return_im') ? wireChannel(channel, world.bot.userId) : { id: channel.id } };
};

function inform(platform: Platform, args: Args): Json {
  const channel = seen(platform, required(args, 'channel'));
  checkKind(platform, channel, 'read');
  return { channel: wireChannel(channel, platform.world.bot.userId) };
}

export const INFO_METHODS: Record<string, Method> = {
  'auth.test': {
    run({ world }) {
      const { team, bot } = world;
      const url = `https://${team.domain}.slack.com/`;
      const own = { team: team.name, user: bot.name, team_id: team.id, user_id: bot.userId, bot_id: bot.botId };
      return { url, ...own, is_enterprise_install: false };
    },
  },
  'apps.connections.open': { token: 'app', tier: 1, run: ({ sockets }) => ({ url: sockets.ticket() }) },
  'users.info': {
    scope: 'users:read',
    tier: 4,
    run({ world }, args) {
      const user = world.users.get(required(args, 'user'));
      if (!user) throw new ApiError('user_not_found');
      const locale = String(args.include_locale) === 'true';
      return { user: { ...wireUser(user, world.team.id), ...(locale && { locale: user.locale ?? 'en-US' }) } };
    },
  },
  'conversations.info': { scope: READ, tier: 3, run: inform },
  'conversations.open': { scope: ['im:write', 'mpim:write'], tier: 3, run: open },
  'conversations.history': { scope: HISTORY, tier: 3, run: history },
  'conversations.replies': { scope: HISTORY, tier: 3, run: replies },
};
