/** Opens direct conversations. https://docs.slack.dev/reference/methods/conversations.open/ */
import type { Channel } from '../../channel.ts';
import { fields } from '../../shared/read.ts';
import { readId } from '../decode/base.ts';
import type { SlackContext } from '../options.ts';
import { toDeliveryError } from './refusals.ts';

/** Returns a person's own chat with the bot; undefined if Slack doesn't say. @throws SlackError */
export async function openDirect(api: SlackContext['api'], user: string): Promise<string | undefined> {
  return readId(fields(await api.call('conversations.open', { users: user }), 'channel') ?? {}, 'id');
}

export function createDirectTo({ api }: SlackContext): NonNullable<Channel['directTo']> {
  return async (user, { thread: _there, ...base }) => {
    try {
      const chat = await openDirect(api, user);
      return chat === undefined ? undefined : { ...base, chat };
    } catch (error) {
      throw toDeliveryError(error, true);
    }
  };
}
