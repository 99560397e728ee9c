/**
 * Each person's own chat with us. A slash command is also given in a direct message of two people, in which we are not, and its id
 * looks like any other. Invariant: what follows from it belongs to the own chat of whoever gave it; only its answer is shown where
 * they asked. https://docs.slack.dev/reference/methods/conversations.open/
 */
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import type { Channel, InboundMessage } from '../../channel.ts';
import { fields } from '../../shared/read.ts';
import { sleep } from '../../shared/wait.ts';
import { readId } from '../decode/base.ts';
import { readResponse } from '../send/respond.ts';
import { type SlackApi, SlackError } from './api.ts';

export interface OwnChats {
  /** Slack tells of messages in no other direct conversations than our own. */
  learn(message: InboundMessage): void;
  /** Undefined where it cannot be had, or not in time; it is then known for the next command. */
  of(user: string): Promise<string | undefined>;
}

export interface OwnChatsOptions {
  api: SlackApi;
  /** Milliseconds a command waits for it at most: Slack wants to hear of a command within three seconds. */
  waitMs: number;
  log: Logger;
  signal: AbortSignal;
}

const MAX_PEOPLE = 2000;

export function createOwnChats({ api, waitMs, log, signal }: OwnChatsOptions): OwnChats {
  /** '' where Slack does not say it: the app lacks the scope `im:write`, or the person is none of this workspace. */
  const chats = createLru<string>(MAX_PEOPLE);
  const asking = new Map<string, Promise<void>>();

  async function ask(user: string): Promise<void> {
    try {
      const opened = await api.call('conversations.open', { users: user });
      chats.set(user, readId(fields(opened, 'channel') ?? {}, 'id') ?? '');
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      log.debug({ err: error }, 'the private chat of a person is not known');
      if (error.kind === 'refused' && error.retryAfterMs === undefined) chats.set(user, '');
    } finally {
      asking.delete(user);
    }
  }

  function asked(user: string): Promise<void> {
    const work = asking.get(user) ?? ask(user);
    asking.set(user, work);
    return work;
  }

  return {
    learn({ address, sender, isDirect }) {
      if (isDirect && !sender.isBot) chats.set(sender.user, address.chat);
    },
    async of(user) {
      if (!chats.has(user)) await Promise.race([asked(user), sleep(waitMs, signal)]);
      return chats.get(user) || undefined;
    },
  };
}

const THERE = '#there';

/** The event as one of the person's own chat: the place where they asked is for nothing but showing them the answer. */
export function inOwnChat(message: InboundMessage, own: string): InboundMessage {
  const { isThread: _theirs, below: _there, repliesTo: _them, ...rest } = message;
  const { thread: _none, ...address } = message.address;
  const interaction = message.interaction === undefined ? {} : { interaction: `${message.interaction}${THERE}` };
  return { ...rest, address: { ...address, chat: own }, ...interaction };
}

/**
 * Sends what was asked for elsewhere: addressed to a person instead of a chat, it is shown to them alone where they asked, and in
 * their own chat once that is over.
 */
export function answeringThere(send: Channel['send']): Channel['send'] {
  return (message, ledger) => {
    const { interaction = '', address } = message;
    const user = interaction.endsWith(THERE) ? readResponse(interaction).user : undefined;
    return send(user === undefined ? message : { ...message, address: { ...address, chat: user } }, ledger);
  };
}
