/** Publishes counters and gauges of the gateway's parts on `/metrics`. */
import type { OutboxFile } from '../engine/engine.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Usage } from '../workspace/types.ts';
import type { AppGateway, Host } from './contract.ts';

const OUTCOMES = ['sent', 'retry', 'unsure', 'dead'];

/** Registers gauges, which are read on each request. */
export function watchGauges({ engine, delivery, features }: AppGateway, { built, roles }: Host): void {
  const { queue } = engine;
  const { metrics } = features;
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
  metrics.gauge('viber_role', () => roles.own.map((role) => [{ role }, 1]));
  metrics.gauge('viber_start_time_seconds', () => startedAt);
  // An alert on an increase only sees the first failure if the count was 0 before.
  for (const outcome of OUTCOMES) metrics.count('viber_deliveries_total', { outcome }, 0);
}

/**
 * Counts an attempt to deliver. For a delivered message, it also measures how long this took, and the time since the
 * request if somebody was waiting.
 */
export function countDelivery(
  metrics: Metrics,
  outcome: string,
  { message, createdAt }: OutboxFile,
  failure?: string,
): void {
  metrics.count('viber_deliveries_total', { outcome });
  if (failure !== undefined) metrics.count('viber_errors_total', { stage: 'delivery', kind: failure });
  if (outcome !== 'sent') return;
  const { channel } = message.address;
  const now = Date.now();
  metrics.observe('viber_delivery_seconds', { channel }, (now - createdAt) / 1000);
  if (message.askedAt !== undefined)
    metrics.observe('viber_answer_seconds', { channel }, (now - message.askedAt) / 1000);
}

export function countCall(metrics: Metrics, { model, ms }: { model: string; ms: number }, usage: Usage): void {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cost, currency } = usage;
  metrics.count('viber_model_calls_total', { model });
  metrics.observe('viber_model_call_seconds', { model }, ms / 1000);
  metrics.count('viber_model_tokens_total', { model, direction: 'input' }, inputTokens);
  metrics.count('viber_model_tokens_total', { model, direction: 'output' }, outputTokens);
  if (cachedInputTokens > 0)
    metrics.count('viber_model_tokens_total', { model, direction: 'cached' }, cachedInputTokens);
  if (cost !== undefined && currency !== undefined) metrics.count('viber_model_cost_total', { model, currency }, cost);
}
