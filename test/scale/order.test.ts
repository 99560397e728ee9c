/**
 * Words of one conversation that two processes hear at once. What waits is answered in the order of the platform; what has begun when
 * an earlier word is put into the lane is answered first. Slack hands events to either process in turn.
 */
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { type Platform, waitFor } from '../platforms/platform.ts';
import { type Fleet, type Node, openFleet, type Role } from './fleet.ts';

const apart = { process: true };
const wordOf = (text: string): string => text.replace(/^\[.*?\]: /, '');

interface Two {
  fleet: Fleet;
  slack: Platform;
  alex: { chat: string };
  nodes: Node[];
}

/** @param ms for which the model thinks about a word */
async function openTwo(roles: readonly Role[], ms: (word: string) => number): Promise<Two> {
  const fleet = await openFleet({ on: ['slack'] });
  fleet.llm.script(({ lastUser }) => ({ text: `re ${wordOf(lastUser)}`, delayMs: ms(wordOf(lastUser)) }));
  const nodes = [await fleet.start(roles, apart), await fleet.start(roles, apart)];
  const [slack] = fleet.platforms as [Platform];
  return { fleet, slack, alex: slack.dm('alex'), nodes };
}

const taken = ({ logs }: Node): number => logs.filter(({ msg }) => msg === 'accepted').length;
const answered = ({ slack, alex }: Two): string[] => slack.answers(alex).map(({ text }) => text.replace('re ', ''));

/** Says a word to the one that is stopped and one to the other, and lets the first go on once the second is durable, and more. */
async function sayLateAndEarly({ slack, alex, nodes }: Two, lastTo: Node, more?: () => Promise<unknown>) {
  const late = nodes.find((node) => node !== lastTo) as Node;
  const before = taken(lastTo);
  late.child?.kill('SIGSTOP');
  slack.say(alex, 'first');
  slack.say(alex, 'second');
  await expect.poll(() => taken(lastTo), { interval: 5 }).toBe(before + 1);
  await more?.();
  late.child?.kill('SIGCONT');
}

async function firstTo(two: Two, word: string): Promise<Node> {
  two.slack.say(two.alex, word);
  await expect.poll(() => two.nodes.some((node) => taken(node) > 0), { interval: 5 }).toBe(true);
  return two.nodes.find((node) => taken(node) > 0) as Node;
}

/** By word, the microsecond at which it was put into its lane. */
async function putTimes(url: string): Promise<Map<string, number>> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys('*:in:item:*');
    const items = await Promise.all(keys.map((key) => redis.hmget(key, 'message', 'seq')));
    return new Map(items.map(([message, seq]) => [JSON.parse(message ?? '').message.text, Number(seq)]));
  } finally {
    redis.disconnect();
  }
}

describe.skipIf(!hasRedis)(`words of one conversation that two processes hear${WITHOUT_REDIS}`, () => {
  it('are answered in the order of the platform as long as they wait, whichever was put into the lane first', async () => {
    const two = await openTwo(['ingress'], (word) => (word === 'slow' ? 1_500 : 0));
    await two.fleet.start(['work', 'deliver'], apart);
    const heard = await firstTo(two, 'slow');
    await two.fleet.llm.waitFor(({ lastUser }) => wordOf(lastUser) === 'slow');
    await sayLateAndEarly(two, heard);
    for (const word of ['first', 'second']) await waitFor(two.slack, two.alex, { text: word });
    expect(answered(two)).toEqual(['slow', 'first', 'second']);
    const put = await putTimes(two.fleet.redis.url);
    expect(put.get('second')).toBeLessThan(put.get('first') ?? 0);
  });

  it('are answered as they were put where the later one has begun already', async () => {
    const two = await openTwo(['ingress'], () => 300);
    await two.fleet.start(['work', 'deliver'], apart);
    const heard = await firstTo(two, 'hello');
    await waitFor(two.slack, two.alex, { text: 're hello' });
    // The other one was told of the answer.
    const other = two.nodes.find((node) => node !== heard) as Node;
    await sayLateAndEarly(two, other, () => two.fleet.llm.waitFor(({ lastUser }) => wordOf(lastUser) === 'second'));
    for (const word of ['first', 'second']) await waitFor(two.slack, two.alex, { text: `re ${word}` });
    expect(answered(two)).toEqual(['hello', 'second', 'first']);
    // What was answered first is known to whoever answers next.
    expect(JSON.stringify(two.fleet.llm.requests().at(-1)?.messages)).toContain('re second');
  });

  it('are answered as they were said where each is durable before the next is said', async () => {
    const two = await openTwo(['ingress', 'work', 'deliver'], () => 40);
    const words = Array.from({ length: 30 }, (_, n) => `word ${n}`);
    for (const [n, word] of words.entries()) {
      two.slack.say(two.alex, word);
      const all = () => two.nodes.reduce((sum, node) => sum + taken(node), 0);
      await expect.poll(all, { interval: 2 }).toBe(n + 1);
    }
    await expect.poll(() => answered(two).length).toBe(words.length);
    expect(answered(two)).toEqual(words);
    expect(two.nodes.every((node) => taken(node) > words.length / 3)).toBe(true);
  });

  it('and that are said all at once, are out of the platform’s order only where the later one had begun', async () => {
    const two = await openTwo(['ingress', 'work', 'deliver'], (word) => 10 + (word.length % 3) * 10);
    const words = Array.from({ length: 60 }, (_, n) => `${'x'.repeat(n % 3)}${n}`);
    for (const word of words) two.slack.say(two.alex, word);
    await expect.poll(() => answered(two).length).toBe(words.length);
    const order = answered(two);
    expect(order.toSorted()).toEqual(words.toSorted());
    const put = await putTimes(two.fleet.redis.url);
    const begun = new Map(two.fleet.llm.requests().map(({ lastUser, at }) => [wordOf(lastUser), at]));
    const at = (word: string) => words.indexOf(word);
    for (const [n, later] of order.entries())
      for (const earlier of order.slice(n + 1).filter((word) => at(word) < at(later))) {
        // The one before was asked about while the lane was at work: had this one waited by then, it would have come first.
        const before = order[n - 1];
        if (before !== undefined) expect((put.get(earlier) ?? 0) / 1000).toBeGreaterThan(begun.get(before) ?? 0);
      }
  });
});
