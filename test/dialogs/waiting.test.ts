/** A task that waits for its turn is there from its first message on: seen, listed, stopped by whoever began it. */
import { describe, expect, it } from 'vitest';
import { openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

describe('a task that waits', () => {
  it('is seen and listed by its person, is stopped by them, and is never worked on', async () => {
    const config = { limits: { freeBytes: 0, messagesPerMinute: 1_000, runs: 1, runsPerPerson: 1 } };
    const { world, platform, dm: alex } = await openChat({ config });
    const sam = platform.dm('sam');
    const slow = Promise.withResolvers<void>();
    world.llm.script(async ({ lastUser }) => {
      if (!lastUser.includes('slow')) return { text: `re ${lastUser}` };
      await slow.promise;
      return { text: 'that took a while' };
    });
    platform.say(alex, 'something slow');
    await world.llm.waitFor((request) => request.lastUser.includes('slow'));
    platform.say(sam, 'paint the fence', { by: 'sam' });
    await expect.poll(() => world.tasks().length).toBe(2);
    const status = await platform.command(sam, 'status', '', 'sam');
    expect(status.text).toContain('paint the fence');
    expect(status.text).toContain('not started');
    expect(status.text).toContain('1 message is waiting');
    const listed = await platform.command(sam, 'tasks', '', 'sam');
    expect(listed.text).toMatch(/◌.*paint the fence/);
    const [task = ''] = world.tasks().filter((id) => world.read(`artifacts/${id}/task.json`).includes('fence'));
    const stateNow = () => JSON.parse(world.read(`artifacts/${task}/task.json`)).state;
    expect(stateNow()).toBe('pending');
    expect((await platform.command(sam, 'stop', '', 'sam')).text).toContain('Stopped: paint the fence');
    expect(stateNow()).toBe('stopped');
    slow.resolve();
    await waitFor(platform, alex, { text: 'that took a while' });
    await ask(platform, alex, 'thanks', { text: 're thanks' });
    expect(stateNow()).toBe('stopped');
    expect(JSON.stringify(world.llm.requests())).not.toContain('paint the fence');
    await ask(platform, sam, 'the gate then', { by: 'sam', text: 'the gate then' });
    expect(world.tasks()).toHaveLength(2);
    expect(stateNow()).toBe('completed');
  });
});
