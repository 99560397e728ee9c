/** Threads of tasks: a message's thread is opened before anything is answered, and shows the state of its task. */
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

export type Threads = ReturnType<typeof createThreads>;

interface ThreadsOptions {
  home: Home;
  conversations: Conversations;
  channelOf: (address: Address) => Channel | undefined;
  log: Logger;
}

export function createThreads({ home, conversations, channelOf, log }: ThreadsOptions) {
  /** Finds the task's thread in the chat of a message. */
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
    /**
     * Puts the item into its thread.
     * @throws DeliveryError while the platform is unreachable
     */
    async place(item: QueueItem<Entry>): Promise<QueueItem<Entry>> {
      const { message, taskId, viber } = item.message;
      if (!message.opensThread) return item;
      const known = message.address.thread === undefined ? knownThread(taskId, message.address) : undefined;
      const address = known ?? (await openThread(message, taskId, item.id));
      if (known?.thread !== undefined) void channelOf(known)?.pointTo?.(message, known.thread);
      // The thread is bound before anything is posted in it, so that an immediate reply reaches its task.
      const key = conversationKey(address);
      if (conversations.get(key)?.taskId !== taskId) {
        await conversations.bind({ key, taskId, viber, address, isDirect: message.isDirect });
      }
      return { ...item, message: { ...item.message, message: { ...message, address } } };
    },
    /** Best effort. */
    show(taskId: string): void {
      showNow(taskId).catch((error: unknown) =>
        log.warn({ err: error, task: taskId }, 'a thread could not show its task'),
      );
    },
  };
}
