/** What is said to one process about a turn that is at work in another. */
import { expect, it } from 'vitest';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { waitFor } from '../platforms/platform.ts';
import { openFleet } from './fleet.ts';

it.runIf(hasRedis)(`status, stop and steering reach a turn that another process works on${WITHOUT_REDIS}`, async () => {
  const fleet = await openFleet({
    channel: { injection: 'steer' },
    config: { limits: { freeBytes: 0, messagesPerMinute: 1000, runs: 1 } },
  });
  const [telegram] = fleet.platforms;
  if (!telegram) throw new Error('there is no platform');
  const alex = telegram.dm('alex');
  fleet.llm.script(({ lastUser }) =>
    /slow/.test(lastUser) && !/instead/.test(lastUser)
      ? { text: 'never', delayMs: 30_000 }
      : { text: `re ${lastUser.replace(/^\[.*?\]: /, '')}` },
  );
  const worker = await fleet.start(['work']);
  await fleet.start(['ingress', 'deliver']);
  telegram.say(alex, 'slow one');
  await fleet.llm.waitFor(({ lastUser }) => /slow one/.test(lastUser));
  // The one that takes in hears it, the one that works is steered by it.
  telegram.say(alex, 'instead of slow: tea');
  await waitFor(telegram, alex, { text: 'tea' });
  await expect.poll(() => fleet.llm.stats().aborted).toBe(1);

  telegram.say(alex, 'slow two');
  await fleet.llm.waitFor(({ lastUser }) => /slow two/.test(lastUser));
  // From now on there are two that answer commands, and one of them is at work.
  await fleet.start(['work']);
  for (let n = 0; n < 6; n++) {
    const status = await telegram.command(alex, 'status');
    expect(status.text).toMatch(/\bwork/i);
  }
  const stopped = await telegram.command(alex, 'stop');
  expect(stopped.text).toMatch(/stop/i);
  await expect.poll(() => fleet.llm.stats().aborted).toBe(2);
  expect(telegram.answers(alex).filter(({ text }) => text.includes('never'))).toEqual([]);
  expect(worker.logs.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
