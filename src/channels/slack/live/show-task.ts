/**
 * Shows the state of a thread's task: in our first message if the thread is ours, as a reaction to the person's first
 * message if it is theirs, or as the title of an assistant's thread. Best effort: nothing throws. One call per thread
 * at a time; if views come faster than they can be shown, the last one counts.
 */
import { createLru } from '../../../lib/lru.ts';
import type { Address, TaskView } from '../../channel.ts';
import { type Fields, fields, fieldsList, string, tidyLine } from '../../shared/read.ts';
import { rest } from '../../shared/wait.ts';
import { SlackError } from '../connect/api.ts';
import { isOwn } from '../decode/base.ts';
import type { SlackContext } from '../options.ts';
import { createBudget } from '../send/budget.ts';
import { deliveryKey, EVENT_TYPE, metadataOf } from '../send/read-back.ts';
import type { Assistant } from './assistant.ts';
import { MAX_TITLE, type Root, rootBlocks, rootText, stateLine } from './root.ts';

export type Owner = { kind: 'ours'; root: Root; key: string } | { kind: 'theirs' };

interface Thread {
  owner?: Owner;
  shown?: string;
  title?: string;
  emoji?: string;
  /** Milliseconds since the epoch. */
  changedAt?: number;
  next?: TaskView | undefined;
  work?: Promise<void> | undefined;
}

const EMOJI: Record<TaskView['state'], string> = {
  pending: 'eyes',
  running: 'eyes',
  open: 'memo',
  completed: 'white_check_mark',
  error: 'x',
  stopped: 'x',
};
const MAX_THREADS = 1000;
const MAX_TRIES = 3;

export class ShowTask {
  readonly #slack: SlackContext;
  readonly #assistant: Assistant;
  readonly #startedAt = Date.now();
  readonly #threads = createLru<Thread>(MAX_THREADS);
  readonly #lookups = createBudget(30, 20);

  constructor(slack: SlackContext, assistant: Assistant) {
    this.#slack = slack;
    this.#assistant = assistant;
  }

  /** Sets the owner of a new thread's first message, if it is known without asking. */
  learn(address: Address, owner: Owner): void {
    this.#threadOf(address).owner = owner;
  }

  async show(address: Address, view: TaskView): Promise<void> {
    if (address.thread === undefined) return;
    const thread = this.#threadOf(address);
    thread.next = view;
    thread.work ??= this.#run(address, thread)
      .catch((error: unknown) =>
        this.#slack.log.warn({ err: error }, 'the state of a task could not be shown in its thread'),
      )
      .finally(() => {
        thread.work = undefined;
      });
    await thread.work;
  }

  async #show(address: Address, thread: Thread, view: TaskView): Promise<void> {
    if (this.#assistant.isOne(address)) {
      if (thread.title === view.title || (await this.#assistant.setTitle(address, view.title))) {
        thread.title = view.title;
        return;
      }
    }
    const owner = thread.owner ?? (await this.#ownerOf(address));
    if (owner) thread.owner = owner;
    if (owner?.kind === 'ours') await this.#edit(address, thread, owner, view);
    if (owner?.kind === 'theirs') await this.#react(address, thread, EMOJI[view.state]);
  }

  async #ownerOf({ chat, thread }: Address): Promise<Owner | undefined> {
    const me = this.#slack.identity;
    if (!me || !this.#lookups.take()) return undefined;
    const params = { channel: chat, ts: thread, limit: 1, inclusive: true, include_all_metadata: true };
    const root = fieldsList(await this.#slack.api.call('conversations.replies', params), 'messages')[0];
    if (!root) return undefined;
    if (!isOwn(root, me)) return { kind: 'theirs' };
    const key = deliveryKey(root);
    const about = rootOf(root);
    return key !== undefined && about ? { kind: 'ours', root: about, key } : undefined;
  }

  async #edit({ chat, thread: ts }: Address, thread: Thread, owner: Owner & { kind: 'ours' }, view: TaskView) {
    const shown = stateLine(view);
    const seen = `${view.title}\n${shown}`;
    if (seen === thread.shown) return;
    const root = titled(owner.root, view.title);
    owner.root = root;
    const { key } = owner;
    const metadata = metadataOf(key, { title: root.title, by: root.by, goal: root.goal });
    const text = `${rootText(root)}: ${shown}`;
    await this.#slack.api.call('chat.update', {
      channel: chat,
      ts,
      text,
      blocks: rootBlocks(root, view),
      metadata,
      parse: 'none',
    });
    thread.shown = seen;
  }

  async #react({ chat, thread: ts }: Address, thread: Thread, emoji: string): Promise<void> {
    if (thread.emoji === emoji) return;
    // An older thread than this process may have reactions that an earlier process left.
    const left = Number(ts) * 1000 < this.#startedAt ? Object.values(EMOJI) : [];
    const others = new Set(thread.emoji === undefined ? left : [thread.emoji]);
    others.delete(emoji);
    await this.#reaction('add', { channel: chat, timestamp: ts, name: emoji });
    for (const name of others) await this.#reaction('remove', { channel: chat, timestamp: ts, name });
    thread.emoji = emoji;
  }

  async #reaction(what: 'add' | 'remove', params: Record<string, unknown>): Promise<void> {
    try {
      await this.#slack.api.call(`reactions.${what}`, params);
    } catch (error) {
      const isSo = error instanceof SlackError && (error.code === 'already_reacted' || error.code === 'no_reaction');
      if (!isSo) throw error;
    }
  }

  async #run(address: Address, thread: Thread): Promise<void> {
    let tries = 0;
    for (let view = thread.next; view; view = thread.next) {
      const pause = isOver(view) ? 0 : (thread.changedAt ?? 0) + this.#slack.timing.taskMs - Date.now();
      if (pause > 0) {
        await rest(pause);
        view = thread.next ?? view;
      }
      thread.next = undefined;
      try {
        await this.#show(address, thread, view);
        tries = 0;
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        this.#slack.log.debug(
          { err: error, chat: address.chat },
          'the state of a task could not be shown in its thread',
        );
        const isLasting = error.kind === 'refused' && error.retryAfterMs === undefined;
        if (isLasting || ++tries > MAX_TRIES) continue;
        await rest(error.retryAfterMs ?? this.#slack.timing.taskMs * tries);
        thread.next ??= view;
      }
      thread.changedAt = Date.now();
    }
  }

  #threadOf({ chat, thread }: Address): Thread {
    const key = `${chat}:${thread}`;
    const known = this.#threads.get(key) ?? {};
    this.#threads.set(key, known);
    return known;
  }
}

/** Returns the root under a new title, with the person's own text shown below it. */
function titled(root: Root, given: string): Root {
  const title = tidyLine(given, MAX_TITLE) || root.title;
  return title === root.title ? root : { ...root, title, goal: root.goal || root.title };
}

/** Returns what our first message was made from, from its metadata. */
function rootOf(message: Fields): Root | undefined {
  const metadata = fields(message, 'metadata') ?? {};
  const payload = fields(metadata, 'event_payload') ?? {};
  const title = string(payload, 'title');
  if (metadata.event_type !== EVENT_TYPE || title === undefined) return undefined;
  return { title, by: string(payload, 'by') ?? '', goal: string(payload, 'goal') ?? '' };
}

function isOver({ state }: TaskView): boolean {
  return state !== 'pending' && state !== 'running';
}
