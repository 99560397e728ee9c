/**
 * Shows the state of a task at the start of its thread: in our own first message, or as a reaction to the person's. An
 * ended task's thread is archived once it has been quiet. Best effort: nothing here throws, and the newest state wins.
 * https://discord.com/developers/docs/resources/channel#modify-channel
 */

import { createLru, type Lru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import type { Address, TaskView } from '../../channel.ts';
import { fields, fieldsList, isFields, string } from '../../shared/read.ts';
import { rest } from '../../shared/wait.ts';
import { type DiscordApi, DiscordError } from '../connect/api.ts';
import { id } from '../decode/read.ts';
import { NO_MENTIONS, SUPPRESS_EMBEDS } from '../send/defaults.ts';
import { ThreadNames } from './thread-names.ts';
import type { Starter } from './threads.ts';

export interface TaskStateTiming {
  /** Milliseconds between two changes of one thread's state. */
  everyMs: number;
  /** Milliseconds of quiet after which a finished task's thread is archived; if undefined, Discord does it after a day. */
  archiveMs: number | undefined;
}

const LOOKS: Readonly<Record<TaskView['state'], { emoji: string; words: string }>> = {
  pending: { emoji: '⏳', words: 'Waiting' },
  running: { emoji: '⏳', words: 'Working' },
  open: { emoji: '📝', words: 'Not finished' },
  completed: { emoji: '✅', words: 'Done' },
  error: { emoji: '⚠️', words: 'Failed' },
  stopped: { emoji: '⏹️', words: 'Stopped' },
};
const EMOJI = new Set(Object.values(LOOKS).map(({ emoji }) => emoji));
const MARK = '\n-# ';
const MAX_TIMERS = 2000;

interface Work {
  channel: string;
  view: TaskView | undefined;
  /** The callbacks that wait until it is shown. */
  waiting: (() => void)[];
}

export interface TaskStateOptions {
  api: DiscordApi;
  account: () => string;
  starters: Lru<Starter>;
  log: Logger;
  timing: TaskStateTiming;
}

export class TaskState {
  readonly #to: TaskStateOptions;
  readonly #working = new Map<string, Work>();
  readonly #quiet = createLru<NodeJS.Timeout>(MAX_TIMERS);
  readonly #names: ThreadNames;
  #isClosed = false;

  constructor(options: TaskStateOptions) {
    this.#to = options;
    this.#names = new ThreadNames(options);
  }

  /** Resolves when this state, or a newer one, was shown. */
  async show(address: Address, view: TaskView): Promise<void> {
    const { thread, chat } = address;
    if (thread === undefined || this.#isClosed) return;
    if (view.state === 'pending' || view.state === 'running') {
      clearTimeout(this.#quiet.get(thread));
      this.#quiet.delete(thread);
    } else this.#plan(thread);
    const busy = this.#working.get(thread);
    const task = busy ?? { channel: chat, view, waiting: [] };
    task.view = view;
    const shown = new Promise<void>((resolve) => task.waiting.push(resolve));
    if (!busy) {
      this.#working.set(thread, task);
      void this.#work(thread, task);
    }
    await shown;
  }

  touch(thread: string): void {
    if (this.#quiet.has(thread)) this.#plan(thread);
  }

  close(): void {
    this.#isClosed = true;
    this.#names.close();
    for (const [thread, timer] of this.#quiet.entries()) {
      clearTimeout(timer);
      this.#quiet.delete(thread);
    }
  }

  async #starterOf(channel: string, thread: string): Promise<Starter> {
    const known = this.#to.starters.get(thread);
    if (known) return known;
    const found = await this.#to.api.call('GET', `/channels/${channel}/messages/${thread}`);
    const message = isFields(found) ? found : {};
    const [text = ''] = (string(message, 'content') ?? '').split(MARK);
    const reactions = fieldsList(message, 'reactions')
      .filter((reaction) => reaction.me === true)
      .map((reaction) => string(fields(reaction, 'emoji') ?? {}, 'name') ?? '')
      .filter((emoji) => EMOJI.has(emoji));
    const isOurs = id(fields(message, 'author') ?? {}, 'id') === this.#to.account();
    const starter = { channel, isOurs, text, reactions, title: '' };
    this.#to.starters.set(thread, starter);
    return starter;
  }

  async #apply(channel: string, thread: string, view: TaskView): Promise<void> {
    const starter = await this.#starterOf(channel, thread);
    const { emoji, words } = LOOKS[view.state];
    const route = `/channels/${starter.channel}/messages/${thread}` as const;
    if (starter.isOurs) {
      const steps = view.progress ? ` · ${view.progress.done} of ${view.progress.total} steps` : '';
      const content = `${starter.text}${MARK}${emoji} ${words}${steps}`;
      await this.#to.api.call('PATCH', route, {
        body: { content, allowed_mentions: NO_MENTIONS, flags: SUPPRESS_EMBEDS },
      });
    } else if (String(starter.reactions) !== emoji) {
      for (const old of starter.reactions.filter((one) => one !== emoji))
        await this.#to.api.call('DELETE', `${route}/reactions/${encodeURIComponent(old)}/@me`);
      if (!starter.reactions.includes(emoji))
        await this.#to.api.call('PUT', `${route}/reactions/${encodeURIComponent(emoji)}/@me`);
      starter.reactions = [emoji];
    }
    await this.#names.want(thread, { title: view.title, opened: [starter.title, view.firstTitle] });
  }

  async #work(thread: string, task: Work): Promise<void> {
    for (let view = task.view; view && !this.#isClosed; view = task.view) {
      task.view = undefined;
      const waiting = task.waiting.splice(0);
      try {
        await this.#apply(task.channel, thread, view);
      } catch (error) {
        this.#to.log.debug({ err: error, thread }, 'the state of a task could not be shown');
        if (error instanceof DiscordError && error.retryAfterMs !== undefined) {
          task.view ??= view;
          await rest(error.retryAfterMs);
        }
      }
      for (const done of waiting) done();
      await rest(this.#to.timing.everyMs);
    }
    this.#working.delete(thread);
    for (const done of task.waiting) done();
  }

  #plan(thread: string): void {
    if (this.#to.timing.archiveMs === undefined) return;
    clearTimeout(this.#quiet.get(thread));
    const timer = setTimeout(() => void this.#archive(thread), this.#to.timing.archiveMs).unref();
    this.#quiet.set(thread, timer);
  }

  async #archive(thread: string): Promise<void> {
    // The thread keeps its entry: a later message reopens it, and the quiet time starts again.
    if (this.#isClosed) return;
    try {
      await this.#to.api.call('PATCH', `/channels/${thread}`, { body: { archived: true } });
    } catch (error) {
      this.#to.log.debug({ err: error, thread }, 'a thread was not archived; Discord does it after a day');
    }
  }
}
