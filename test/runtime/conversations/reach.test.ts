/** What is remembered of places where nothing may be said. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { InboundMessage } from '../../../src/channels/channel.ts';
import { createReach } from '../../../src/runtime/conversations/reach.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes, without what is garbage. */
function used(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it('is small, however long the messages are and however many places there are', () => {
  const reach = createReach({ channelOf: () => undefined, delivery: { add: async () => undefined }, log: {} } as never);
  const begin = (n: number) => {
    // biome-ignore format: a row is a line
    const message = {
      ...{ id: `${n}`, address: { channel: 'slack', workspace: 'T', chat: `C${n}` }, sender: { user: 'U1', name: 'Kim' } },
      ...{ text: `${n} ${'word '.repeat(5_000)}`, files: [], quotes: [{ text: `${n} ${'quoted '.repeat(5_000)}` }] },
      ...{ isDirect: false, facts: [] },
    };
    // As it comes from a platform: parsed, and in one piece.
    reach.begun(JSON.parse(JSON.stringify(message)) as InboundMessage);
  };
  begin(0);
  const before = used();
  for (let n = 1; n <= 2_000; n++) begin(n);
  // All of it would be 120 MB.
  expect((used() - before) / 1e6).toBeLessThan(30);
});
