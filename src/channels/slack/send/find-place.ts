/**
 * Finds the place of an address. The ID tells its kind: C and G are channels, D a direct conversation, U a person, with
 * whom one is opened. The other person of a direct conversation is found in its history, which needs no additional
 * scope, or by opening it again.
 */
import type { Channel } from '../../channel.ts';
import { fields, fieldsList, string } from '../../shared/read.ts';
import { SlackError } from '../connect/api.ts';
import type { SlackContext } from '../options.ts';
import { openDirect } from './direct.ts';
import { toDeliveryError } from './refusals.ts';

/** The number of messages searched for one of theirs. */
const LOOKED_AT = 50;

export function createFindPlace(slack: SlackContext): NonNullable<Channel['findPlace']> {
  const { api } = slack;

  /** Returns the other person if only the bot has written lately; undefined without the scope. */
  async function ownerOf(chat: string): Promise<string | undefined> {
    try {
      const opened = await api.call('conversations.open', { channel: chat, return_im: true });
      return string(fields(opened, 'channel') ?? {}, 'user');
    } catch (error) {
      if (error instanceof SlackError && error.code === 'missing_scope') return undefined;
      throw error;
    }
  }

  async function direct(chat: string): Promise<{ chat: string; user?: string } | undefined> {
    try {
      if (/^[UW]/.test(chat)) {
        const id = await openDirect(api, chat);
        return id === undefined ? undefined : { chat: id, user: chat };
      }
      const history = await api.call('conversations.history', { channel: chat, limit: LOOKED_AT });
      const users = fieldsList(history, 'messages').map((message) => string(message, 'user'));
      const user = users.find((one) => one !== undefined && one !== slack.identity?.userId) ?? (await ownerOf(chat));
      return { chat, ...(user === undefined ? {} : { user }) };
    } catch (error) {
      const isRefused = error instanceof SlackError && error.kind === 'refused' && error.retryAfterMs === undefined;
      if (isRefused && !/auth|token|account_inactive/.test(error.code)) return undefined;
      throw toDeliveryError(error, true);
    }
  }

  return async ({ chat, thread }) => {
    const self = slack.identity;
    if (!self || !/^[A-Z0-9]{2,24}$/.test(chat)) return undefined;
    if (thread !== undefined && !/^\d{1,16}\.\d{1,10}$/.test(thread)) return undefined;
    const base = { channel: 'slack', account: self.userId, workspace: self.teamId };
    const inThread = thread === undefined ? {} : { thread };
    if (/^[CG]/.test(chat)) return { address: { ...base, chat, ...inThread }, isDirect: false };
    if (!/^[DUW]/.test(chat)) return undefined;
    const found = await direct(chat);
    if (!found) return undefined;
    const user = found.user === undefined ? {} : { user: found.user };
    return { address: { ...base, chat: found.chat, ...inThread }, isDirect: true, ...user };
  };
}
