/**
 * How a task stands, shown where its thread begins: in our own first message, or as a reaction to the person's. A task that
 * ended is put away once its thread has been quiet. Best effort: nothing here throws, and the newest state wins.
 * https://discord.com/developers/docs/resources/channel#modify-channel
 */
import type { Logger } from '../../../log.ts';
import type { Address, TaskView } from '../../channel.ts';
import { fields, isFields, list, oneLine, string } from '../../shared/read.ts';
import { type DiscordApi, DiscordError } from '../connect/api.ts';
import { remember } from '../decode/places.ts';
import { id } from '../decode/read.ts';
import { NO_MENTIONS, SUPPRESS_EMBEDS } from '../send/defaults.ts';
import type { Starter } from './threads.ts';

export interface TaskState {
  /** Resolves when this state, or a newer one, was shown. */
  show(address: Address, view: TaskView): Promise<void>;
  /** Somebody wrote in the thread. */
  touch(thread: string): void;
  close(): void;
}

export interface TaskStateTiming {
  /** Milliseconds between two changes of one thread's state. */
  everyMs: number;
  /** Milliseconds of quiet after which a finished task's thread is archived; absent: Discord does it after a day. */
  archiveMs?: number;
}

const LOOKS: Readonly<Record<TaskView['state'], { emoji: string; words: string }>> = {
  pending: { emoji: '⏳', words: 'Waiting' },
  running: { emoji: '⏳', words: 'Working' },
  completed: { emoji: '✅', words: 'Done' },
  error: { emoji: '⚠️', words: 'Failed' },
  stopped: { emoji: '⏹️', words: 'Stopped' },
};
const EMOJI = new Set(Object.values(LOOKS).map(({ emoji }) => emoji));
const MARK = '\n-# ';
const MAX_TIMERS = 2000;
const MAX_STARTERS = 2000;
/** Discord allows two renames in ten minutes. */
const RENAME_MS = 300_000;

interface Work {
  channel: string;
  view: TaskView | undefined;
  /** Of those who wait until it is shown. */
  waiting: (() => void)[];
}

export function createTaskState(options: {
  api: DiscordApi;
  account: () => string;
  starters: Map<string, Starter>;
  log: Logger;
  timing: TaskStateTiming;
}): TaskState {
  const { api, starters, log, timing } = options;
  const working = new Map<string, Work>();
  const quiet = new Map<string, NodeJS.Timeout>();
  const renamedAt = new Map<string, number>();
  let isClosed = false;

  async function starterOf(channel: string, thread: string): Promise<Starter> {
    const known = starters.get(thread);
    if (known) return known;
    const found = await api.call('GET', `/channels/${channel}/messages/${thread}`);
    const message = isFields(found) ? found : {};
    const [text = ''] = (string(message, 'content') ?? '').split(MARK);
    const reactions = list(message, 'reactions')
      .filter((reaction) => reaction.me === true)
      .map((reaction) => string(fields(reaction, 'emoji') ?? {}, 'name') ?? '')
      .filter((emoji) => EMOJI.has(emoji));
    const isOurs = id(fields(message, 'author') ?? {}, 'id') === options.account();
    const starter = { channel, isOurs, text, reactions, title: '' };
    remember(starters, thread, starter, MAX_STARTERS);
    return starter;
  }

  async function apply(channel: string, thread: string, view: TaskView): Promise<void> {
    const starter = await starterOf(channel, thread);
    const { emoji, words } = LOOKS[view.state];
    const route = `/channels/${starter.channel}/messages/${thread}` as const;
    if (starter.isOurs) {
      const steps = view.progress ? ` · ${view.progress.done} of ${view.progress.total} steps` : '';
      const content = `${starter.text}${MARK}${emoji} ${words}${steps}`;
      await api.call('PATCH', route, { body: { content, allowed_mentions: NO_MENTIONS, flags: SUPPRESS_EMBEDS } });
    } else if (String(starter.reactions) !== emoji) {
      for (const old of starter.reactions.filter((one) => one !== emoji))
        await api.call('DELETE', `${route}/reactions/${encodeURIComponent(old)}/@me`);
      if (!starter.reactions.includes(emoji))
        await api.call('PUT', `${route}/reactions/${encodeURIComponent(emoji)}/@me`);
      starter.reactions = [emoji];
    }
    await rename(thread, starter, view.title);
  }

  async function rename(thread: string, starter: Starter, title: string): Promise<void> {
    const before = starter.title;
    if (title === '' || title === before) return;
    const isKnown = before !== '';
    if (isKnown && Date.now() - (renamedAt.get(thread) ?? 0) < RENAME_MS) return;
    starter.title = title;
    if (!isKnown) return;
    remember(renamedAt, thread, Date.now(), MAX_STARTERS);
    await api.call('PATCH', `/channels/${thread}`, { body: { name: oneLine(title, 100) } });
  }

  async function work(thread: string, task: Work): Promise<void> {
    for (let view = task.view; view && !isClosed; view = task.view) {
      task.view = undefined;
      const waiting = task.waiting.splice(0);
      try {
        await apply(task.channel, thread, view);
      } catch (error) {
        log.debug({ err: error, thread }, 'the state of a task could not be shown');
        if (error instanceof DiscordError && error.retryAfterMs !== undefined) {
          task.view ??= view;
          await later(error.retryAfterMs);
        }
      }
      for (const done of waiting) done();
      await later(timing.everyMs);
    }
    working.delete(thread);
    for (const done of task.waiting) done();
  }

  function plan(thread: string): void {
    if (timing.archiveMs === undefined) return;
    clearTimeout(quiet.get(thread));
    const timer = setTimeout(() => void archive(thread), timing.archiveMs).unref();
    remember(quiet, thread, timer, MAX_TIMERS);
  }

  async function archive(thread: string): Promise<void> {
    quiet.delete(thread);
    if (isClosed) return;
    try {
      await api.call('PATCH', `/channels/${thread}`, { body: { archived: true } });
    } catch (error) {
      log.debug({ err: error, thread }, 'a thread was not archived; Discord does it after a day');
    }
  }

  return {
    async show(address, view) {
      const { thread, chat } = address;
      if (thread === undefined || isClosed) return;
      if (view.state === 'pending' || view.state === 'running') {
        clearTimeout(quiet.get(thread));
        quiet.delete(thread);
      } else plan(thread);
      const busy = working.get(thread);
      const task = busy ?? { channel: chat, view, waiting: [] };
      task.view = view;
      const shown = new Promise<void>((resolve) => task.waiting.push(resolve));
      if (!busy) {
        working.set(thread, task);
        void work(thread, task);
      }
      await shown;
    },
    touch(thread) {
      if (quiet.has(thread)) plan(thread);
    },
    close() {
      isClosed = true;
      for (const timer of quiet.values()) clearTimeout(timer);
      quiet.clear();
    },
  };
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
