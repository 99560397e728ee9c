/**
 * Opens threads for tasks: a goal given by command gets a first message of ours, below which the task lives. Invariant:
 * each key has one first message; one that may have been posted before is searched for first.
 */
import { UserError } from '../../../errors.ts';
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import { messagesFor } from '../../../messages/messages.ts';
import type { Address, InboundMessage } from '../../channel.ts';
import { string, tidyLine } from '../../shared/read.ts';
import type { SlackApi } from '../connect/api.ts';
import type { Progress } from '../connect/read-cursors.ts';
import type { Identity } from '../connect/setup.ts';
import { metadataOf, type ReadBack } from '../send/read-back.ts';
import { isNotThere, toDeliveryError } from '../send/refusals.ts';
import type { Respond } from '../send/respond.ts';
import { QUIET } from '../send/send.ts';
import { MAX_TITLE, type Root, rootBlocks, rootText } from './root.ts';

export interface OpenThreadOptions {
  api: SlackApi;
  readBack: ReadBack;
  respond: Respond;
  progress: Progress;
  identity: () => Identity | undefined;
  /** Called once for each opened thread. */
  onOpened: (address: Address, root: Root, key: string) => void;
  log: Logger;
}

export type OpenThread = (message: InboundMessage, thread: { key: string; title: string }) => Promise<Address>;

const MAX_KEPT = 1000;
const MAX_GOAL = 1000;

/** Creates `openThread`. @throws DeliveryError; UserError in a channel that the bot isn't in. */
export function createOpenThread(options: OpenThreadOptions): OpenThread {
  const { api, readBack, progress, identity } = options;
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
    const answer = await api.call('chat.postMessage', { ...params, metadata, ...QUIET });
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
      options.onOpened(place, root, key);
      void pointTo(message, ts, options);
      return place;
    } catch (error) {
      // The bot may not write there, so no answer could be read: the person learns that before work begins.
      if (isNotThere(error)) throw new UserError(invitation(identity()?.name), { cause: error });
      throw toDeliveryError(error);
    }
  };
}

function invitation(name = 'viber'): string {
  return `I am not in this channel, so you could not read my answer. Invite me with \`/invite @${name}\`, then give the command again.`;
}

/** Shows the person who asked a link to the thread; the acknowledgement of their command can't be changed. */
export async function pointTo(
  message: InboundMessage,
  ts: string,
  { identity, respond, log }: { identity: () => Identity | undefined; respond: Respond; log: Logger },
): Promise<void> {
  const base = identity()?.url ?? '';
  if (message.interaction === undefined || !/^https?:\/\/[^\s<>|]+\/$/.test(base)) return;
  const link = `${base}archives/${message.address.chat}/p${ts.replace('.', '')}`;
  try {
    const text = messagesFor(message.sender).text('channels.workingIn', { link });
    await respond(message.interaction, { text, blocks: [] });
  } catch (error) {
    log.debug({ err: error }, 'nobody was shown the way to a thread');
  }
}
