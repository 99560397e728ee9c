/** Opens the direct messages of a person with this bot. https://discord.com/developers/docs/resources/user#create-dm */
import type { Channel } from '../../channel.ts';
import { isFields } from '../../shared/read.ts';
import type { DiscordApi } from '../connect/api.ts';
import { id } from '../decode/read.ts';
import { toDeliveryError } from './refusals.ts';

export function createDirectTo(api: DiscordApi): NonNullable<Channel['directTo']> {
  return async (user, { channel, account }) => {
    const opened = await api
      .call('POST', '/users/@me/channels', { body: { recipient_id: user } })
      .catch((error: unknown) => Promise.reject(toDeliveryError(error, true)));
    const chat = isFields(opened) ? id(opened, 'id') : undefined;
    return chat === undefined ? undefined : { channel, account, chat };
  };
}
