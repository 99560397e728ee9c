/** Slash commands and button presses, and the app's answers to them. */
import { until } from '../base/wait.ts';
import type { Kind } from './deliveries.ts';
import { ApiError } from './errors.ts';
import type { Hook } from './hooks.ts';
import type { Platform } from './platform.ts';
import { isRecord, type Json, type Stored } from './state.ts';
import type { Interaction, People } from './types.ts';
import { buttonsOf } from './visible.ts';

type Interactions = Pick<People, 'slash' | 'press' | 'interact' | 'responses'>;

/** `fallback` is the default person and place. */
export function createInteractions(platform: Platform, fallback: { user: string; channel: string }): Interactions {
  const { world, hooks, deliveries } = platform;
  const { team, bot } = world;
  const token = 'emulated-verification-token';

  function nameOf(user: string): string {
    const known = world.users.get(user);
    if (!known) throw new Error(`there is no user ${user}`);
    return known.name;
  }

  async function deliver(kind: Kind, hook: Hook, payload: Json): Promise<Interaction> {
    const whole = { ...payload, token, api_app_id: bot.appId, response_url: hook.url, trigger_id: hook.triggerId };
    const ack = await deliveries.send(kind, whole);
    let failed = !ack.ok;
    // The acknowledgement itself may answer a command.
    const answer = typeof ack.body === 'string' && ack.body !== '' ? { text: ack.body } : ack.body;
    if (ack.ok && kind === 'slash_commands' && isRecord(answer) && Object.keys(answer).length > 0) {
      try {
        hooks.respond(hook, answer);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        failed = true;
      }
    }
    return { id: hook.id, ack, failed, responses: [...hook.posts], responseUrl: hook.url, triggerId: hook.triggerId };
  }

  function findButton(channelId: string, ts: string | undefined, label?: string, actionId?: string, stale = false) {
    const channel = world.channel(channelId);
    for (const stored of [...channel.messages.values()].reverse()) {
      if (stored.deleted || (ts !== undefined && stored.ts !== ts)) continue;
      const button = buttonsOf(stale ? [...stored.blocks, ...(stored.before ?? [])] : stored.blocks).find(
        (each) =>
          (label === undefined || each.label === label) && (actionId === undefined || each.actionId === actionId),
      );
      if (button) return { channel, stored, button };
    }
    throw new Error(`there is no button "${label ?? actionId ?? ''}" in channel ${channelId}`);
  }

  function pressPayload(stored: Stored, user: string, button: ReturnType<typeof findButton>['button']): Json {
    const channel = world.channel(stored.channel);
    const isEphemeral = stored.ephemeralFor !== undefined;
    const { actionId, blockId, label, value } = button;
    return {
      type: 'block_actions',
      user: { id: user, username: nameOf(user), name: nameOf(user), team_id: team.id },
      container: {
        type: 'message',
        message_ts: stored.ts,
        channel_id: stored.channel,
        is_ephemeral: isEphemeral,
        ...(stored.threadTs && { thread_ts: stored.threadTs }),
      },
      team: { id: team.id, domain: team.domain },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name },
      ...(!isEphemeral && { message: world.wire(stored, true) }),
      state: { values: {} },
      actions: [
        {
          type: 'button',
          action_id: actionId,
          block_id: blockId,
          text: { type: 'plain_text', text: label, emoji: true },
          ...(value !== undefined && { value }),
          action_ts: world.nextTs(),
        },
      ],
    };
  }

  return {
    slash({ user = fallback.user, channel: id = fallback.channel, command = '/viber', text }) {
      const channel = world.channel(id);
      const hook = hooks.open({ channel: id, user, threadTs: undefined, source: undefined });
      const names = { channel: channel.name, group: 'privategroup', mpim: channel.name, im: 'directmessage' };
      return deliver('slash_commands', hook, {
        team_id: team.id,
        team_domain: team.domain,
        channel_id: id,
        channel_name: names[channel.kind],
        user_id: user,
        user_name: nameOf(user),
        command,
        text,
        is_enterprise_install: 'false',
      });
    },
    async press({ user = fallback.user, channel: id, message, label, actionId, stale }) {
      const { stored, button } = findButton(id, message, label, actionId, stale);
      const hook = hooks.open({ channel: id, user, threadTs: stored.threadTs, source: stored });
      return deliver('interactive', hook, pressPayload(stored, user, button));
    },
    interact(payload, { user = fallback.user, channel = fallback.channel } = {}) {
      const hook = hooks.open({ channel, user, threadTs: undefined, source: undefined });
      return deliver('interactive', hook, { user: { id: user, name: nameOf(user), team_id: team.id }, ...payload });
    },
    async responses(id, count = 0, timeoutMs = 60_000) {
      const hook = hooks.get(id);
      if (!hook) throw new Error(`there is no command or press ${id}`);
      if (hook.posts.length < count) {
        const fits = (changed: Hook) => changed === hook && hook.posts.length >= count;
        await until(hooks.changes, 'post', fits, timeoutMs, () => JSON.stringify(hook.posts));
      }
      return [...hook.posts];
    },
  };
}
