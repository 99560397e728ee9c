/**
 * Finds the place of an address, from gateway events or else one REST call. A thread may be given by its own ID alone.
 * https://discord.com/developers/docs/resources/channel#get-channel
 */
import type { Address, Channel, Place } from '../../channel.ts';
import { fieldsList, isFields, string } from '../../shared/read.ts';
import { type DiscordApi, DiscordError } from '../connect/api.ts';
import { isDirect, isThread, type Places } from '../decode/places.ts';
import { id, isId } from '../decode/read.ts';
import { toDeliveryError } from './refusals.ts';

/** Returns the direct conversation of a person with this bot; undefined if the answer isn't one. @throws DeliveryError */
export async function openDirect(
  api: DiscordApi,
  user: string,
  { channel, account }: Address,
): Promise<Address | undefined> {
  const opened = await api
    .call('POST', '/users/@me/channels', { body: { recipient_id: user } })
    .catch((error: unknown) => Promise.reject(toDeliveryError(error, true)));
  const chat = isFields(opened) ? id(opened, 'id') : undefined;
  return chat === undefined ? undefined : { channel, account, chat };
}

export function createFindPlace(options: {
  api: DiscordApi;
  places: Places;
  account: () => string;
}): NonNullable<Channel['findPlace']> {
  const { api, places, account } = options;

  /** Returns the other person of a direct conversation, which the gateway doesn't list. */
  async function ask(channelId: string): Promise<{ user?: string } | undefined> {
    try {
      const channel = await api.call('GET', `/channels/${channelId}`);
      if (!isFields(channel) || !places.learn(channel)) return undefined;
      const [user] = fieldsList(channel, 'recipients').map(
        (recipient) => id(recipient, 'id') ?? string(recipient, 'id'),
      );
      return user === undefined ? {} : { user };
    } catch (error) {
      if (error instanceof DiscordError && (error.status === 404 || error.status === 403)) return undefined;
      throw toDeliveryError(error, true);
    }
  }

  return async ({ chat, thread }): Promise<Place | undefined> => {
    const wanted = thread ?? chat;
    if (!isId(wanted)) return undefined;
    const known = places.get(wanted);
    const asked = known && !isDirect(known) ? {} : await ask(wanted);
    const place = places.get(wanted);
    if (!asked || !place) return undefined;
    const base = { channel: 'discord', account: account() };
    if (isDirect(place)) return { address: { ...base, chat: wanted }, isDirect: true, ...asked };
    if (place.guild === undefined) return undefined;
    const inGuild = { ...base, workspace: place.guild };
    if (!isThread(place)) return { address: { ...inGuild, chat: wanted }, isDirect: false };
    if (place.parent === undefined || (thread !== undefined && place.parent !== chat)) return undefined;
    return { address: { ...inGuild, chat: place.parent, thread: wanted }, isDirect: false };
  };
}
