/**
 * Puts eyes on a person's message, which in direct messages show that the bot is at work. They are removed when the run
 * ends, also those that an earlier process left. Best effort: nothing here throws.
 */
import type { Logger } from '../../../log.ts';
import { rest } from '../../shared/wait.ts';
import { type SlackApi, SlackError } from '../connect/api.ts';
import { createBudget } from '../send/budget.ts';

export interface Marks {
  mark(chat: string, ts: string): Promise<void>;
  unmark(chat: string, ts: string): Promise<void>;
}

/**
 * Within the 50 and more per minute of https://docs.slack.dev/reference/methods/reactions.add/, which task states need
 * as well.
 */
const MARKS = { perMinute: 30, burst: 20 };
const MAX_WAIT_MS = 60_000;
const TRIES = 3;

export function createMarks({ api, log }: { api: SlackApi; log: Logger }): Marks {
  const startedAt = Date.now();
  const budget = createBudget(MARKS.perMinute, MARKS.burst);
  const marked = new Set<string>();

  /** Returns how long Slack asks to wait; undefined if there is nothing left to do. */
  async function react(what: 'add' | 'remove', channel: string, timestamp: string): Promise<number | undefined> {
    try {
      await api.call(`reactions.${what}`, { channel, timestamp, name: 'eyes' });
      return undefined;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      log.debug({ err: error, chat: channel }, 'a message could not be marked');
      return error.retryAfterMs;
    }
  }

  return {
    async mark(chat, ts) {
      if (!budget.take()) return;
      marked.add(`${chat}:${ts}`);
      const ms = await react('add', chat, ts);
      if (ms !== undefined) budget.pause(ms);
    },
    async unmark(chat, ts) {
      const isLeft = Number(ts) * 1000 < startedAt;
      if (!marked.delete(`${chat}:${ts}`) && !isLeft) return;
      for (let tries = 0; tries < TRIES; tries++) {
        const ms = await react('remove', chat, ts);
        if (ms === undefined) return;
        await rest(Math.min(ms, MAX_WAIT_MS));
      }
    },
  };
}
