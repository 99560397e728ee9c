import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AppGateway } from '../../src/app/contract.ts';
import { openSettled } from '../../src/app/settled.ts';

const HERE = { channel: 'local', account: 'kim', chat: 'here' };

it('lists a long queue seldom while it waits for one conversation, and looks at its lane alone', async () => {
  const at = (chat: string) => ({ lane: `task:${chat}`, message: { message: { address: { ...HERE, chat } } } });
  const left = Array.from({ length: 10_000 }, (_, n) => at(String(n)));
  left.push(at('here'));
  const calls = { unfinished: 0, look: 0 };
  const queue = {
    async unfinished() {
      calls.unfinished++;
      // So long a list takes its time.
      await pause(20);
      return [...left];
    },
    async look(lane: string) {
      calls.look++;
      return { depth: 0, busy: left.some((each) => each.lane === lane) };
    },
  };
  const gw = {
    config: { engine: { kind: 'local' } },
    engine: { queue, state: { get: async () => undefined } },
    delivery: { isBusy: () => false },
    log: { warn: () => undefined },
  };
  const settled = openSettled(gw as unknown as AppGateway)(HERE);
  await expect.poll(() => calls.look).toBeGreaterThan(7);
  expect(calls.unfinished).toBeLessThan(calls.look / 2);
  left.pop();
  await settled;
});
