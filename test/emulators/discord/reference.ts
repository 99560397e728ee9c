/**
 * Resolves the message that another one answers or forwards.
 * https://discord.com/developers/docs/resources/message#message-reference-types
 */
import { invalid, refuse } from './errors.ts';
import { type Fields, isObject } from './fields.ts';
import { may } from './permissions.ts';
import type { Platform } from './platform.ts';
import { isSnowflake } from './snowflake.ts';
import { SAID, type StoredChannel, type StoredMessage } from './world.ts';

type Reference = Pick<StoredMessage, 'reference' | 'snapshot' | 'type'>;

/** Throws 50035 for a message that doesn't exist or can't be answered; 160002 without the right to read history. */
export function readReference(platform: Platform, channel: StoredChannel, fields: Fields): Reference {
  const none: Reference = { reference: null, snapshot: null, type: 0 };
  const told = fields.message_reference;
  if (!isObject(told)) return none;
  const type = told.type === 1 ? 1 : 0;
  const channelId = isSnowflake(told.channel_id) ? told.channel_id : channel.id;
  if (!isSnowflake(told.message_id)) {
    throw invalid('message_reference.message_id', 'NUMBER_TYPE_COERCE', `Value "${told.message_id}" is not snowflake.`);
  }
  const message = platform.world.channels.get(channelId)?.byId.get(told.message_id);
  const isUnknown = !message || message.seenBy !== null || (type === 0 && channelId !== channel.id);
  if (isUnknown) {
    if (type === 0 && told.fail_if_not_exists === false) return none;
    throw invalid('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
  }
  if (!may(platform.world, channel, 'ReadMessageHistory')) throw refuse(160_002);
  if (type === 0 && !SAID.has(message.type)) {
    throw invalid('message_reference', 'REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE', 'Cannot reply to a system message');
  }
  const reference = { type, messageId: message.id, channelId } as const;
  return { reference, snapshot: type === 1 ? message : null, type: type === 1 ? 0 : 19 };
}
