/** Nobody's work waits for all of somebody else's: one member's hundreds of tasks beside one message of another person. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openChat } from '../kit/kit.ts';
import { type Place, type Platform, waitFor } from '../platforms/platform.ts';

const TASKS = 200;
const MODEL_MS = 300;

/** A task of its own for each goal: in a thread where a mention begins one, else by /new in the private chat. */
function begin(platform: Platform, n: number): void {
  if (platform.hasThreads) platform.say(platform.room, `flood ${n}`, { by: 'sam', mention: true });
  else platform.say(platform.dm('sam'), `/new flood ${n}`, { by: 'sam' });
}

describe('fairness', () => {
  it('answers an owner within a second more than usual while a member has 200 tasks', async () => {
    const { world, platform } = await openChat();
    const { llm, logs } = world;
    let atWork = 0;
    let most = 0;
    let done = 0;
    llm.script(async ({ lastUser }) => {
      if (!lastUser.includes('flood')) return { text: 'for the owner', delayMs: MODEL_MS };
      most = Math.max(most, ++atWork);
      // The model takes its time.
      await sleep(MODEL_MS);
      atWork--;
      done++;
      return { text: 'for the member' };
    });
    const home: Place = platform.dm('alex');
    const ask = async (): Promise<number> => {
      const after = platform.answers(home).length;
      const begun = performance.now();
      platform.say(home, 'and me?');
      await waitFor(platform, home, { after, text: 'for the owner' });
      return performance.now() - begun;
    };
    const usual = await ask();
    for (let n = 0; n < TASKS; n++) begin(platform, n);
    const taken = () => logs.filter(({ msg, kind }) => msg === 'accepted' && kind !== undefined).length;
    await expect.poll(taken).toBeGreaterThanOrEqual(TASKS);
    const behind = Math.max(await ask(), await ask());
    expect(done).toBeLessThan(TASKS);
    expect(behind - usual).toBeLessThan(1_000);
    // The member's tasks go on all the same, a few at a time.
    await expect.poll(() => done).toBeGreaterThanOrEqual(TASKS / 4);
    expect(most).toBeLessThanOrEqual(4);
  });
});
