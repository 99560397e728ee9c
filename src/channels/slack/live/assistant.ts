/**
 * Shows what an assistant's thread has besides messages: a status, a title, suggestions. All of it is best effort; a
 * thread that refuses it is remembered as ordinary. https://docs.slack.dev/ai/developing-ai-apps/
 */

import { createLru } from '../../../lib/lru.ts';
import { type Messages, messagesIn } from '../../../messages/messages.ts';
import type { Address } from '../../channel.ts';
import { tidyLine } from '../../shared/read.ts';
import { SlackError } from '../connect/api.ts';
import { isDirect } from '../decode/base.ts';
import type { SlackContext } from '../options.ts';

export interface Assistant {
  /** Returns whether it may be an assistant's thread: a thread of direct messages that hasn't refused. */
  isOne(address: Address): boolean;
  /** Returns whether it may show a status: any thread that hasn't refused. */
  mayShow(address: Address): boolean;
  /** Returns whether the status is shown. '' removes it. */
  setStatus(address: Address, status: string): Promise<boolean>;
  setTitle(address: Address, title: string): Promise<boolean>;
  /** @param language the language tag of the person who opened it */
  suggest(address: Address, language: string | undefined): Promise<void>;
}

const MAX_THREADS = 2000;

const promptsIn = (messages: Messages) => [
  { title: messages.text('channels.promptPlan'), message: messages.text('channels.promptPlanSays') },
  { title: messages.text('channels.promptWrite'), message: messages.text('channels.promptWriteSays') },
  { title: messages.text('channels.promptCan'), message: messages.text('channels.promptCanSays') },
];

export function createAssistant({ api, log }: SlackContext): Assistant {
  const others = createLru<true>(MAX_THREADS);

  async function call(method: string, { chat, thread }: Address, params: object): Promise<boolean> {
    try {
      await api.call(`assistant.threads.${method}`, { channel_id: chat, thread_ts: thread, ...params });
      return true;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      log.debug({ err: error, chat }, 'the status, title or suggestions of a thread could not be set');
      if (error.kind === 'refused' && error.retryAfterMs === undefined) others.set(`${chat}:${thread}`, true);
      return false;
    }
  }

  return {
    mayShow: ({ chat, thread }) => thread !== undefined && !others.has(`${chat}:${thread}`),
    isOne: ({ chat, thread }) => thread !== undefined && isDirect(chat) && !others.has(`${chat}:${thread}`),
    setStatus: (address, status) => call('setStatus', address, { status: tidyLine(status, 100) }),
    setTitle: (address, title) => call('setTitle', address, { title: tidyLine(title, 200) }),
    async suggest(address, language) {
      await call('setSuggestedPrompts', address, { prompts: promptsIn(messagesIn(language)) });
    },
  };
}
