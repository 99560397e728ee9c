/** What `/metrics` tells of this moment: read when it is asked for. */
import type { Services } from './services.ts';

type Watched = Pick<Services, 'metrics' | 'queue' | 'delivery' | 'built'>;

export function watchGauges({ metrics, queue, delivery, built }: Watched): void {
  const startedAt = Date.now() / 1000;
  const both = () => Promise.all([queue.stats(), delivery.stats()]);
  const age = (oldest: number | undefined) => (oldest === undefined ? 0 : Math.max(0, (Date.now() - oldest) / 1000));
  metrics.gauge('viber_waiting', async () => (await both()).reduce((sum, { waiting }) => sum + waiting, 0));
  metrics.gauge('viber_dead', async () => (await delivery.stats()).dead);
  metrics.gauge('viber_resident_bytes', () => process.memoryUsage.rss());
  metrics.gauge('viber_queue_depth', async () => {
    const [inbox, outbox] = await both();
    return [
      [{ queue: 'inbox' }, inbox.waiting],
      [{ queue: 'outbox' }, outbox.waiting],
    ];
  });
  metrics.gauge('viber_queue_age_seconds', async () => {
    const [inbox, outbox] = await both();
    return [
      [{ queue: 'inbox' }, age(inbox.oldest)],
      [{ queue: 'outbox' }, age(outbox.oldest)],
    ];
  });
  metrics.gauge('viber_channel_connected', () =>
    [...built.channels].map(([channel, it]) => [{ channel }, it.status().state === 'connected' ? 1 : 0]),
  );
  metrics.gauge('viber_start_time_seconds', () => startedAt);
}
