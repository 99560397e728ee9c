/** Sends events as the app gets them: wrapped, and only those to which its scopes and its membership entitle it. */
import type { Deliveries } from './deliveries.ts';
import type { ChannelState, Json, Stored } from './state.ts';
import type { World } from './world.ts';

export interface Events {
  /** Sends an inner event; returns its `event_id`, or undefined if the app isn't entitled to it. */
  announce(event: Json, scope: string | undefined, channel?: ChannelState): string | undefined;
  /** Sends a new message; returns the IDs of its events. */
  message(stored: Stored, options?: { first?: 'message' | 'app_mention' }): string[];
  changed(stored: Stored, previous: Json): string[];
  removed(stored: Stored, previous: Json): string[];
  /** Sends exactly this; a repeated ID repeats the event. */
  raw(event: Json, eventId?: string): string;
  rateLimited(): void;
}

const HISTORY = { channel: 'channels:history', group: 'groups:history', im: 'im:history', mpim: 'mpim:history' };

export function createEvents(world: World, deliveries: Deliveries, scopes: () => Set<string>): Events {
  const { team, bot } = world;
  /** The old verification token, on which nobody should rely. */
  const token = 'emulated-verification-token';

  function wrap(event: Json, eventId: string): Json {
    return {
      token,
      team_id: team.id,
      context_team_id: team.id,
      context_enterprise_id: null,
      api_app_id: bot.appId,
      event,
      type: 'event_callback',
      event_id: eventId,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [
        { enterprise_id: null, team_id: team.id, user_id: bot.userId, is_bot: true, is_enterprise_install: false },
      ],
      is_ext_shared_channel: false,
      event_context: `4-${eventId}`,
    };
  }

  function raw(event: Json, eventId = world.nextId('Ev')): string {
    void deliveries.send('events_api', wrap(event, eventId));
    return eventId;
  }

  function announce(event: Json, scope: string | undefined, channel?: ChannelState): string | undefined {
    if (scope !== undefined && !scopes().has(scope)) return undefined;
    if (channel && !channel.members.has(bot.userId)) return undefined;
    return raw(event);
  }

  function channelOf(stored: Stored): ChannelState {
    return world.channel(stored.channel);
  }

  /** A change of a message is a separate event with its own `ts`. */
  function about(stored: Stored, event: Json): string[] {
    const channel = channelOf(stored);
    const ts = world.nextTs();
    const whole = { type: 'message', hidden: true, channel: channel.id, ...event, ts, event_ts: ts };
    const id = announce({ ...whole, channel_type: channel.kind }, HISTORY[channel.kind], channel);
    return id === undefined ? [] : [id];
  }

  const isMentioned = (text: string) => text.includes(`<@${bot.userId}>`) || text.includes(`<@${bot.userId}|`);

  return {
    announce,
    raw,
    message(stored, { first = 'message' } = {}) {
      const channel = channelOf(stored);
      const wire = { ...world.wire(stored, scopes().has('metadata.message:read')), channel: channel.id };
      const message = { ...wire, event_ts: stored.ts, channel_type: channel.kind };
      const sends = [() => announce(message, HISTORY[channel.kind], channel)];
      if (isMentioned(stored.text) && !stored.byBot && channel.kind !== 'im') {
        const mention = { ...wire, type: 'app_mention', event_ts: stored.ts };
        sends.push(() => announce(mention, 'app_mentions:read', channel));
      }
      if (first === 'app_mention') sends.reverse();
      return sends.map((send) => send()).filter((id) => id !== undefined);
    },
    changed(stored, previous) {
      const changed = { subtype: 'message_changed', message: world.wire(stored), previous_message: previous };
      const ids = about(stored, changed);
      const channel = channelOf(stored);
      // A newly added mention is announced as well, as part of an edited message.
      const isAdded = isMentioned(stored.text) && !isMentioned(String(previous.text));
      if (!isAdded || stored.byBot || channel.kind === 'im') return ids;
      const mention = { ...world.wire(stored), channel: channel.id, type: 'app_mention', event_ts: world.nextTs() };
      const id = announce(mention, 'app_mentions:read', channel);
      return id === undefined ? ids : [...ids, id];
    },
    removed(stored, previous) {
      return about(stored, { subtype: 'message_deleted', deleted_ts: stored.ts, previous_message: previous });
    },
    rateLimited() {
      const minute = Math.floor(Date.now() / 60_000) * 60;
      void deliveries.send('events_api', {
        token,
        type: 'app_rate_limited',
        minute_rate_limited: minute,
        team_id: team.id,
        api_app_id: bot.appId,
      });
    },
  };
}
