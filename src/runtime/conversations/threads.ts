/**
 * Threads of tasks: where a message opens one, it is opened before anything is answered, and it shows how the task stands.
 * Which task a thread is about stands in the conversations, as for every other place.
 */
import {
  type Address,
  type Channel,
  conversationKey,
  type InboundMessage,
  type TaskView,
} from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { DeliveryError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask, planProgress, standOf, titleOf } from '../../workspace/tasks/index.ts';
import type { Entry } from '../contract/entry.ts';
import type { Conversations } from './conversations.ts';

export interface Threads {
  /** The item with the address where its conversation takes place. Throws DeliveryError while the platform is away. */
  place(item: QueueItem<Entry>): Promise<QueueItem<Entry>>;
  /** Shows the task's state in the threads it lives in; best effort. */
  show(taskId: string): void;
}

export interface ThreadsOptions {
  home: Home;
  conversations: Conversations;
  channelOf: (address: Address) => Channel | undefined;
  log: Logger;
}

export function createThreads({ home, conversations, channelOf, log }: ThreadsOptions): Threads {
  /** The thread of the task in the chat a message came from, if it has one there. */
  function knownThread(taskId: string, from: Address): Address | undefined {
    const isThere = ({ thread, ...chat }: Address) =>
      thread !== undefined && conversationKey(chat) === conversationKey(from);
    return conversations.bound(taskId).find((binding) => isThere(binding.address))?.address;
  }

  async function openThread(message: InboundMessage, taskId: string, key: string): Promise<Address> {
    const { thread: _none, ...chat } = message.address;
    const channel = channelOf(message.address);
    if (!channel?.openThread) return message.address;
    const title = openTask(home, taskId).record()?.title ?? titleOf(message.text);
    try {
      return await channel.openThread(message, { key, title });
    } catch (error) {
      if (!(error instanceof DeliveryError) || error.retryAfterMs !== undefined) throw error;
      log.warn(
        { err: error, channel: channel.id, chat: chat.chat },
        'no thread could be opened; the answer comes in the chat',
      );
      return chat;
    }
  }

  async function showNow(taskId: string): Promise<void> {
    const places = conversations
      .bound(taskId)
      .map(({ address }) => ({ address, channel: channelOf(address) }))
      .filter(({ address, channel }) => address.thread !== undefined && channel?.showTask);
    if (places.length === 0) return;
    const [task, plan] = await Promise.all([openTask(home, taskId).record(), openTask(home, taskId).plan.read()]);
    if (!task) return;
    const { id, title, goal } = task;
    const view: TaskView = {
      id,
      title,
      firstTitle: titleOf(goal),
      state: standOf(task, plan?.plan),
      ...(plan ? { progress: planProgress(plan.plan) } : {}),
    };
    await Promise.all(places.map(({ address, channel }) => channel?.showTask?.(address, view)));
  }

  return {
    async place(item) {
      const { message, taskId, viber } = item.message;
      if (!message.opensThread) return item;
      const known = message.address.thread === undefined ? knownThread(taskId, message.address) : undefined;
      const address = known ?? (await openThread(message, taskId, item.id));
      if (known?.thread !== undefined) void channelOf(known)?.pointTo?.(message, known.thread);
      // Bound before anything is said there, so that whoever answers at once is understood.
      const key = conversationKey(address);
      if (conversations.get(key)?.taskId !== taskId) {
        await conversations.bind({ key, taskId, viber, address, isDirect: message.isDirect });
      }
      return { ...item, message: { ...item.message, message: { ...message, address } } };
    },
    show(taskId) {
      showNow(taskId).catch((error: unknown) =>
        log.warn({ err: error, task: taskId }, 'a thread could not show its task'),
      );
    },
  };
}
