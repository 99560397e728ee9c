/** Turns: one at a time, in order, never before an answer, and no memory of those who are gone. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLivePace, type LivePaceOptions } from '../../../src/runtime/live/pace.ts';

const address = (chat: string) => ({ channel: 'telegram', account: '7', chat });
const HERE = address('1');

let busy: Set<string>;
const pace = (options: Partial<LivePaceOptions> = {}) =>
  createLivePace({
    limitOf: ({ chat }) => ({ key: chat, gapMs: 1000 }),
    isBusy: ({ chat }) => busy.has(chat),
    ...options,
  });

beforeEach(() => {
  vi.useFakeTimers();
  busy = new Set();
});
afterEach(() => void vi.useRealTimers());

/** Names of tickets in the order of their turns, with the time. */
function taking(one: ReturnType<typeof pace>) {
  const start = Date.now();
  const got: string[] = [];
  const tickets = new Map<string, object>();
  const ask = (name: string, where = HERE) => {
    const ticket = tickets.get(name) ?? {};
    tickets.set(name, ticket);
    void one.turn(where, ticket).then((isTurn) => got.push(`${name} ${isTurn ? Date.now() - start : 'no'}`));
    return ticket;
  };
  return { got, ask };
}

describe('turns', () => {
  it('come in the order of asking, one in each gap; other places have their own', async () => {
    const one = pace();
    const { got, ask } = taking(one);
    for (const name of ['a', 'b', 'c']) ask(name);
    ask('x', address('2'));
    ask('b');
    await vi.advanceTimersByTimeAsync(5000);
    expect(got).toEqual(['a 0', 'x 0', 'b 1000', 'b 1000', 'c 2000']);
  });

  it('are nobody’s while answers wait, and are not lost by that', async () => {
    busy.add('1');
    const { got, ask } = taking(pace());
    ask('a');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(got).toEqual([]);
    busy.clear();
    await vi.advanceTimersByTimeAsync(300);
    expect(got).toHaveLength(1);
  });

  it('pass to others of the same limit whose chat has no answers waiting', async () => {
    busy.add('1');
    const { got, ask } = taking(pace({ limitOf: () => ({ key: 'all', gapMs: 1000 }) }));
    ask('a');
    ask('x', address('2'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(got.map((line) => line[0])).toEqual(['x']);
  });

  it('wait for as long as the platform said, and a gap after an answer', async () => {
    const one = pace();
    one.limited(HERE, 7000);
    const { got, ask } = taking(one);
    ask('a');
    await vi.advanceTimersByTimeAsync(7100);
    one.answered(HERE);
    ask('b');
    await vi.advanceTimersByTimeAsync(2000);
    expect(got).toEqual(['a 7000', 'b 8100']);
  });

  it('are refused to who leaves, and the next one has them', async () => {
    const one = pace();
    const { got, ask } = taking(one);
    ask('a');
    const b = ask('b');
    ask('c');
    await vi.advanceTimersByTimeAsync(10);
    one.leave(HERE, b);
    await vi.advanceTimersByTimeAsync(3000);
    expect(got).toEqual(['a 0', 'b no', 'c 1000']);
  });

  it('leave nothing behind', async () => {
    const one = pace();
    const { ask } = taking(one);
    for (let chat = 0; chat < 5000; chat++) ask(`t${chat}`, address(String(chat)));
    await vi.advanceTimersByTimeAsync(3000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
