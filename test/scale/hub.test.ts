/** A hub is dialled by one of several processes: whoever leads, and the next one when that is gone. Real processes. */
import { expect, it, onTestFinished } from 'vitest';
import { HubEmulator } from '../emulators/hub.ts';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { openFleet } from './fleet.ts';

const ALL = ['ingress', 'work', 'deliver'] as const;
const apart = { process: true };

it.runIf(hasRedis)(
  `one of three processes dials the hub, and another when that is killed or stopped; each end is told once it is acknowledged${WITHOUT_REDIS}`,
  async () => {
    const hub = new HubEmulator({ token: 'the-token-of-the-hub' });
    await hub.start();
    onTestFinished(() => hub.stop());
    const fleet = await openFleet({ config: { hub: { url: hub.url, token: 'the-token-of-the-hub' } } });
    fleet.llm.script(({ lastUser }) => ({ text: `Done: ${lastUser}` }));
    const nodes = [];
    for (let n = 0; n < 3; n++) nodes.push(await fleet.start(ALL, apart));
    await expect.poll(() => hub.isConnected).toBe(true);

    const ends = () => new Set(hub.sent('task:completed').map(({ runId }) => runId)).size;
    const submit = async (round: string, count: number) => {
      const before = ends();
      for (let n = 0; n < count; n++)
        hub.send({ type: 'task:submit', id: `${round} ${n}`, goal: `${round} ${n}`, messages: [] });
      await expect.poll(ends).toBe(before + count);
    };
    await submit('first', 12);
    // Each is told by whichever process has claimed it, and is told no second time.
    expect(hub.sent('task:completed')).toHaveLength(12);
    expect(hub.dialled).toHaveLength(1);

    const first = nodes.shift();
    const began = Date.now();
    await first?.signal('SIGKILL');
    await expect.poll(() => hub.dialled.length).toBe(2);
    expect(Date.now() - began).toBeLessThan(15_000);
    await expect.poll(() => hub.isConnected).toBe(true);
    await submit('second', 12);

    const stopped = nodes.shift();
    await stopped?.stop();
    await expect.poll(() => hub.isConnected).toBe(true);
    await submit('third', 12);
    expect(hub.dialled.length).toBeLessThanOrEqual(3);
    for (const { port } of nodes) {
      const { waiting } = (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as { waiting: number };
      expect(waiting).toBe(0);
    }
  },
);
