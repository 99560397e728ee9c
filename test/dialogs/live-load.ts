/** Many runs that show progress and are answered, before a real channel and the real outbox; and how long the answers took. */

import path from 'node:path';
import type { Address, Channel } from '../../src/channels/channel.ts';
import { openLedger } from '../../src/engine/local/ledger.ts';
import { LocalOutbox } from '../../src/engine/local/outbox.ts';
import { openStore } from '../../src/engine/local/store.ts';
import { silentLog } from '../../src/log.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { openDelivery } from '../../src/runtime/delivery.ts';
import { createBus } from '../../src/runtime/live/bus.ts';
import { LiveProgress } from '../../src/runtime/live/live.ts';
import { eventually } from '../helpers/eventually.ts';
import { memoryCache } from '../helpers/memory-cache.ts';
import { ownTime } from '../helpers/own-time.ts';
import { tempFolder } from '../helpers/temp.ts';

export interface Load {
  /**
   * Begins a run in a place, with progress to tell of until its end. The end resolves when the answer has arrived: who waits for
   * it sends no burst of answers after a disk that was slow for a moment.
   */
  begin(address: Address): { end(): Promise<void> };
  /** Milliseconds from the end of a run to its answer's arrival, by run. */
  delays: number[];
  /** Sends that had to be tried again. */
  retries(): number;
  /** Everything that was answered has arrived. */
  settled(): Promise<void>;
}

export function createLoad(channel: Channel): Load {
  const root = tempFolder();
  const log = silentLog();
  const store = openStore({ root, freeBytes: 0 });
  const bus = createBus((error) => {
    throw error;
  });
  const delays: number[] = [];
  let retries = 0;
  let runs = 0;
  const startedAt = new Map<string, number>();
  const arrivals = new Map<string, () => void>();
  const timed: Channel = {
    ...channel,
    async send(message, ledger) {
      await channel.send(message, ledger);
      delays.push(ownTime() - (startedAt.get(message.id) ?? 0));
      arrivals.get(message.id)?.();
    },
  };
  const delivery = openDelivery({
    outbox: new LocalOutbox({ store, ledger: openLedger(path.join(root, 'ledger'), 1) }),
    ...{ log, channelOf: () => timed },
    onOutcome(outcome) {
      if (outcome === 'retry') retries++;
    },
  });
  const live = new LiveProgress({
    messagesAt: () => messagesIn('en'),
    ...{
      bus,
      channelOf: () => timed,
      settings: { get: () => ({}) },
      isBusy: (address) => delivery.isBusy(address),
      log,
    },
    buttons: {
      offer: async (_address, rows) => rows.map((row) => row.map(({ label }) => ({ id: `b${runs}`, label }))),
    },
    progressOf: async () => ({ done: 1, total: 3 }),
    cache: memoryCache(),
  });

  return {
    delays,
    retries: () => retries,
    begin(address) {
      const runId = `run-${++runs}`;
      const origin = { agentId: 'a', taskId: `t-${runs}`, runId };
      live.follow(runId, [address]);
      let step = 0;
      const tell = () =>
        bus.emit({ ...origin, type: 'tool-call', tool: 'create_artifact', args: { title: `file ${step++}` } });
      tell();
      const telling = setInterval(tell, 50);
      return {
        async end() {
          clearInterval(telling);
          startedAt.set(runId, ownTime());
          const [placeholder] = (await live.end(runId, [address])).values();
          const answer = { id: runId, address, text: `answer of ${runId}`, files: [] };
          const arrived = new Promise<void>((resolve) => arrivals.set(runId, resolve));
          await delivery.add({ ...answer, ...(placeholder === undefined ? {} : { placeholder }) }, runId);
          await arrived;
        },
      };
    },
    async settled() {
      const waiting = async () => (await delivery.stats()).waiting;
      await eventually(async () => (await waiting()) === 0);
      await delivery.close(1000);
    },
  };
}
