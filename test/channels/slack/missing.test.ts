/** What of a long thread is read back, wherever in its years its words stand. Slack gives the oldest first. */
import { describe, expect, it } from 'vitest';
import type { SlackApi } from '../../../src/channels/slack/connect/api.ts';
import { createMissing } from '../../../src/channels/slack/connect/missing.ts';
import type { Self } from '../../../src/channels/slack/decode/decode.ts';
import { decodeBody } from '../../../src/channels/slack/decode/decode.ts';
import { createContext } from './harness.ts';

const DAY = 86_400;
const ROOT = 1_600_000_000;
const tsOf = (seconds: number) => `${seconds}.000100`;
const self: Self = {
  ...{ userId: 'U0BOT', botId: 'B0BOT', teamId: 'T01', commands: new Map(), command: '/viber' },
  ...{ languageOf: () => undefined, zoneOf: () => undefined, nameOf: (user) => user },
};

/** `conversations.replies` of one thread: its messages at these seconds after the first. */
function slack(at: readonly number[]): SlackApi {
  const all = [0, ...at].map((seconds) => ({ ts: tsOf(ROOT + seconds), user: 'U1', text: `at ${seconds}` }));
  const call = async (_method: string, params: Record<string, unknown>) => {
    const { oldest = '0', latest = '9999999999', limit = 100, cursor = '0' } = params as Record<string, string>;
    const found = all.filter(({ ts }, n) => n === 0 || (Number(ts) > Number(oldest) && Number(ts) < Number(latest)));
    const end = Number(cursor) + Number(limit);
    const next_cursor = end < found.length ? String(end) : '';
    return { messages: found.slice(Number(cursor), end), response_metadata: { next_cursor } };
  };
  return { call } as unknown as SlackApi;
}

async function told(at: readonly number[], asked: number): Promise<string[]> {
  const event = { type: 'message', channel: 'C1', user: 'U2', text: '<@U0BOT> sum it up', ts: tsOf(ROOT + asked) };
  const decoded = decodeBody({ event: { ...event, thread_ts: tsOf(ROOT) } }, self);
  if (decoded.kind !== 'message') throw new Error('it is a message');
  const people = { meet: async () => undefined };
  const look = createMissing({ ...createContext(slack(at)), self }, people);
  const { thread } = await look(decoded.message, { thread: {} }, new AbortController().signal);
  if (typeof thread !== 'object') throw new Error('it is a thread of others');
  expect(thread.root?.text).toBe('at 0');
  return thread.replies.map(({ quote }) => quote.text);
}

const every = (seconds: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => from + (n + 1) * seconds);

describe('of a thread in Slack the newest are told', () => {
  it.each<[string, number[], number]>([
    ['all of an hour', every(10, 300), 4_000],
    ['many years ago, and a few since', [...every(60, 250), ...every(DAY, 5, 1_000 * DAY)], 1_006 * DAY],
    ['many years ago, and none since', every(60, 250), 2_000 * DAY],
    ['one a week', every(7 * DAY, 260), 261 * 7 * DAY],
    ['thousands long ago, and a few since', [...every(60, 6_000), ...every(DAY, 5, 1_000 * DAY)], 1_006 * DAY],
    ['thousands', every(600, 6_000), 6_001 * 600],
  ])('%s', async (_what, at, asked) => {
    const replies = await told(at, asked);
    expect(replies.slice(-5)).toEqual(at.slice(-5).map((seconds) => `at ${seconds}`));
  });
});
