/**
 * A process that works on lanes, to be killed and stopped: node worker.ts URL LEASE_MS WORK_MS. Each message is answered once, under a name of this
 * process's own, so that two answers to one message are seen. A line of JSON for whatever happens.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openRedisEngine } from '../../../src/engine/redis/engine.ts';
import { LeaseLost } from '../../../src/errors.ts';

const [url = '', leaseMs = '', workMs = ''] = process.argv.slice(2);
const tell = (event: string, about: string) => process.stdout.write(`${JSON.stringify({ event, about })}\n`);

const engine = await openRedisEngine<string>({
  ...{ url, leaseMs: Number(leaseMs), shards: 1, replicas: 0, dedupeDays: 30, waits: { suspectMs: 100 } },
  onDead: (item) => tell('dead', item.message),
  onError: (error) => tell('error', String(error)),
});

engine.lead('poll', async (fence) => {
  tell('leads', String(fence.epoch));
  await new Promise((resolve) => fence.lost.addEventListener('abort', resolve));
  tell('led', String(fence.epoch));
});

async function work(): Promise<void> {
  for (let lease = await engine.queue.claim('task:'); lease; lease = await engine.queue.claim('task:')) {
    const { lane } = lease;
    lease.lost.addEventListener('abort', () => tell('lost', lane));
    for (const { id, message } of lease.items) {
      tell('took', message);
      if (message === 'poison') process.kill(process.pid, 'SIGKILL');
      // The work takes its time.
      await sleep(Number(workMs));
      try {
        const address = { channel: 'test', account: 'bot', chat: lane };
        const answer = { id: `${id} ${process.pid}`, address, text: message, files: [] };
        await engine.outbox.add(answer, id, { fence: lease });
        await engine.queue.ack(lease, [id]);
        tell('done', message);
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error;
        tell('refused', message);
      }
    }
  }
}

for (let n = 0; n < 4; n++) void work();
tell('ready', '');
