/** What a chat has seen of a turn at work, when the process that showed it is killed and another goes on. */
import { describe, expect, it } from 'vitest';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { onEveryPlatform } from '../kit/kit.ts';
import { waitFor } from '../platforms/platform.ts';
import { openFleet, type Role } from './fleet.ts';

const ALL: readonly Role[] = ['ingress', 'work', 'deliver'];

describe.skipIf(!hasRedis)(`progress of a process that was killed${WITHOUT_REDIS}`, () => {
  it.each(onEveryPlatform)('is gone on %s when the answer is there', async (name) => {
    const fleet = await openFleet({ on: [name], channel: { live: 'status' }, engine: { leaseMs: 3_000 } });
    const [platform] = fleet.platforms;
    if (!platform) throw new Error('there is no platform');
    const chat = platform.dm('alex');
    let isSlow = true;
    fleet.llm.script(() => ({ text: 'Here it is.', delayMs: isSlow ? 60_000 : 0 }));
    const first = await fleet.start(ALL, { process: true });
    platform.say(chat, 'think hard');
    await expect.poll(() => platform.answers(chat).length).toBe(1);
    const seen = platform.answers(chat).map(({ text }) => text);
    isSlow = false;
    await fleet.start(ALL, { process: true });
    await first.signal('SIGKILL');
    await waitFor(platform, chat, { text: 'Here it is.' });
    await expect.poll(() => platform.answers(chat).map(({ text }) => text)).toEqual(['Here it is.']);
    expect(seen).not.toEqual(['Here it is.']);
  });
});
