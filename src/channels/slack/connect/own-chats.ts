/**
 * Finds each person's own chat with the bot. A slash command may be given in a direct message of two people, without
 * the bot, and its ID looks like any other. Invariant: what follows from such a command belongs to the person's own
 * chat; only its answer is shown where they asked.
 */
import { createLru } from '../../../lib/lru.ts';
import type { Channel, InboundMessage } from '../../channel.ts';
import { sleep } from '../../shared/wait.ts';
import type { SlackContext } from '../options.ts';
import { openDirect } from '../send/direct.ts';
import { readResponse } from '../send/respond.ts';
import { SlackError } from './api.ts';

export interface OwnChats {
  /** Learns from a message. Slack sends messages of no other direct conversations than the bot's own. */
  learn(message: InboundMessage): void;
  /** Returns undefined if the chat can't be found, or not in time; then it is known for the next command. */
  of(user: string): Promise<string | undefined>;
}

const MAX_PEOPLE = 2000;

export function createOwnChats({ api, timing, log, signal }: SlackContext): OwnChats {
  /** '' if Slack doesn't say: the app lacks the scope `im:write`, or the person isn't in this workspace. */
  const chats = createLru<string>(MAX_PEOPLE);
  const asking = new Map<string, Promise<void>>();

  async function ask(user: string): Promise<void> {
    try {
      chats.set(user, (await openDirect(api, user)) ?? '');
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      log.debug({ err: error }, "Slack did not open a person's own chat");
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
      if (!chats.has(user)) await Promise.race([asked(user), sleep(timing.ownChatMs, signal)]);
      return chats.get(user) || undefined;
    },
  };
}

const THERE = '#there';

/** Moves an event to the person's own chat; the place where they asked is used only to show them the answer. */
export function inOwnChat(message: InboundMessage, own: string): InboundMessage {
  const { isThread: _theirs, below: _there, repliesTo: _them, ...rest } = message;
  const { thread: _none, ...address } = message.address;
  const interaction = message.interaction === undefined ? {} : { interaction: `${message.interaction}${THERE}` };
  return { ...rest, address: { ...address, chat: own }, ...interaction };
}

/**
 * Sends answers to commands given elsewhere: addressed to a person instead of a chat, an answer is shown to them alone
 * where they asked, and in their own chat once that has expired.
 */
export function answeringThere(send: Channel['send']): Channel['send'] {
  return (message, ledger) => {
    const { interaction = '', address } = message;
    const user = interaction.endsWith(THERE) ? readResponse(interaction).user : undefined;
    return send(user === undefined ? message : { ...message, address: { ...address, chat: user } }, ledger);
  };
}
