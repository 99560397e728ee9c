/**
 * Opens threads for tasks: a goal given by command gets a first message of ours, below which the task lives. Invariant:
 * each key has one first message; one that may have been posted before is searched for first.
 */
import { UserError } from '../../../errors.ts';
import { createLru } from '../../../lib/lru.ts';
import { messagesFor, say } from '../../../messages/messages.ts';
import type { Address, Channel, InboundMessage } from '../../channel.ts';
import { string, tidyLine } from '../../shared/read.ts';
import { asCode } from '../../shared/refused-files.ts';
import type { Progress } from '../connect/read-cursors.ts';
import type { SlackContext } from '../options.ts';
import { metadataOf, type ReadBack } from '../send/read-back.ts';
import { isNotThere, toDeliveryError } from '../send/refusals.ts';
import type { Respond } from '../send/respond.ts';
import { QUIET } from '../send/send.ts';
import { MAX_TITLE, type Root, rootBlocks, rootText } from './root.ts';

interface OpenThreadParts {
  readBack: ReadBack;
  respond: Respond;
  progress: Progress;
  /** Called once for each opened thread. */
  onOpened: (address: Address, root: Root, key: string) => void;
}

const MAX_KEPT = 1000;
const MAX_GOAL = 1000;

/** Creates `openThread`. @throws DeliveryError; UserError in a channel that the bot isn't in. */
export function createOpenThread(slack: SlackContext, parts: OpenThreadParts): NonNullable<Channel['openThread']> {
  const { readBack, respond, progress, onOpened } = parts;
  const startedAt = Date.now();
  const opened = createLru<string>(MAX_KEPT);
  /** Keys of posts that were begun with an unknown outcome. */
  const begun = createLru<true>(MAX_KEPT);

  async function post(message: InboundMessage, key: string, root: Root): Promise<string> {
    // Only a message older than this process may have been posted by another one.
    const isRepeated = begun.has(key) || message.sentAt <= startedAt;
    const found = isRepeated ? await readBack.message(message.address, key, message.sentAt) : undefined;
    if (found !== undefined) return found;
    begun.set(key, true);
    const params = { channel: message.address.chat, text: rootText(root), blocks: rootBlocks(root) };
    const metadata = metadataOf(key, { title: root.title, by: root.by, goal: root.goal });
    const answer = await slack.api.call('chat.postMessage', { ...params, metadata, ...QUIET });
    return string(answer, 'ts') ?? '';
  }

  return async (message, { key, title }) => {
    const { address } = message;
    if (address.thread !== undefined) return address;
    const known = opened.get(key);
    if (known !== undefined) return { ...address, thread: known };
    try {
      const goal = tidyLine(message.text, MAX_GOAL);
      const root = { title: tidyLine(title, MAX_TITLE) || 'Task', by: message.sender.name, goal };
      const ts = await post(message, key, root);
      opened.set(key, ts);
      begun.delete(key);
      progress.opened(address.chat, ts);
      const place = { ...address, thread: ts };
      onOpened(place, root, key);
      void pointTo(slack, respond, message, ts);
      return place;
    } catch (error) {
      // The bot may not write there, so no answer could be read: the person learns that before work begins.
      const invite = asCode(`/invite @${slack.identity?.name ?? 'viber'}`);
      if (isNotThere(error)) throw new UserError(say('channels.notInChannel', { invite }), { cause: error });
      throw toDeliveryError(error);
    }
  };
}

/** Shows the person who asked a link to the thread; the acknowledgement of their command can't be changed. */
export async function pointTo(
  { identity, log }: SlackContext,
  respond: Respond,
  message: InboundMessage,
  ts: string,
): Promise<void> {
  const base = identity?.url ?? '';
  if (message.interaction === undefined || !/^https?:\/\/[^\s<>|]+\/$/.test(base)) return;
  const link = `${base}archives/${message.address.chat}/p${ts.replace('.', '')}`;
  try {
    const text = messagesFor(message.sender).text('channels.workingIn', { link });
    await respond(message.interaction, { text, blocks: [] });
  } catch (error) {
    log.debug({ err: error }, 'the link to a thread could not be shown');
  }
}
