/** Delivery as people can rely on it, on every platform at once: nothing twice, nothing lost, nobody held up. */
import { describe, expect, it } from 'vitest';
import { NAMES, openPlatforms } from '../platforms/world.ts';
import { answerTo, askFor, type Crowd, copies, numbers, openCrowd, outbox } from './crowd.ts';

const OPEN = { access: { dm: 'open' }, live: 'off' };

async function openCrowds(sizes: Record<(typeof NAMES)[number], number>) {
  const crowds = await Promise.all(NAMES.map((name) => openCrowd(name, sizes[name])));
  const given = Object.fromEntries(crowds.map((crowd) => [crowd.platform.name, crowd.platform]));
  return { crowds, given };
}

/** How many have their answer, or were told; only those who had nothing yet are looked at again. */
function counter(crowds: Crowd[]): () => number {
  const waiting = crowds.map((crowd) => new Set(crowd.places.keys()));
  return () => {
    for (const [index, crowd] of crowds.entries())
      for (const n of waiting[index] ?? [])
        if (copies(crowd, n).least > 0 || isTold(crowd, n)) waiting[index]?.delete(n);
    return crowds.reduce((sum, crowd, index) => sum + crowd.places.length - (waiting[index]?.size ?? 0), 0);
  };
}

/** On Discord and on Slack; half as many on Telegram. 200 with TRUST_SENDS=200. */
const MANY = Number(process.env.TRUST_SENDS ?? 40);

describe('sends that are carried out and whose answers are lost', () => {
  it.each([
    ['', false],
    [', with a SIGKILL in the middle', true],
  ])('come once on Discord and Slack, and on Telegram once too often at the most%s', async (_words, isKilled) => {
    const { crowds, given } = await openCrowds({ telegram: MANY / 2, discord: MANY, slack: MANY });
    const world = await openPlatforms({ given, channel: OPEN, process: isKilled });
    world.llm.script(answerTo);
    for (const crowd of crowds) {
      for (const n of crowd.places.keys()) {
        const times = n % 7 === 0 ? 2 : 1;
        crowd.lose(n, times, 'text');
        if (crowd.platform.name === 'slack' && n % 10 === 0) crowd.lose(n, times, 'file');
        crowd.say(n, askFor(n));
      }
    }
    const there = counter(crowds);
    if (isKilled) {
      await expect.poll(there, { interval: 300 }).toBeGreaterThan(MANY * 0.75);
      await world.kill();
    }
    const done = { timeout: 100_000, interval: 500 };
    await expect.poll(() => [there(), outbox(world.home).out], done).toEqual([MANY * 2.5, 0]);
    const [telegram, ...exact] = crowds;
    for (const crowd of exact) {
      const wrong = numbers(crowd.places.length).filter((n) => copies(crowd, n).most !== 1);
      expect([crowd.platform.name, wrong]).toEqual([crowd.platform.name, []]);
    }
    if (telegram) finalStates(telegram, isKilled);
    const { unsure, dead } = outbox(world.home);
    expect({ unsure, dead }).toEqual({
      unsure: numbers(MANY / 2).filter((n) => isTold(telegram, n)).length,
      dead: 0,
    });
  });
});

/** The person was told that nobody knows whether the answer came. */
const isTold = (crowd: Crowd | undefined, n: number): boolean =>
  crowd?.answers(n).some((seen) => seen.text.includes("I can't tell whether")) ?? false;

/** A kill may be the second unknown outcome of any of them. */
function finalStates(telegram: Crowd, isKilled: boolean): void {
  const counts = numbers(telegram.places.length).map((n) => copies(telegram, n).most);
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  if (!isKilled) expect(numbers(MANY / 2).filter((n) => isTold(telegram, n) && n % 7 !== 0)).toEqual([]);
}
