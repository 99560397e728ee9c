import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { wantsOpenMetrics } from '../../src/telemetry/exposition.ts';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../../src/telemetry/families.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { openWorld, type World } from '../dialogs/harness.ts';
import { readMetrics } from '../helpers/openmetrics.ts';

/** As Prometheus 2 and 3 send it: https://github.com/prometheus/prometheus/blob/main/config/config.go */
const PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
const PROTOBUF_FIRST =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,text/plain;version=0.0.4;q=0.5,application/openmetrics-text;version=1.0.0;q=0.4,*/*;q=0.2';

async function scrape(world: World, accept?: string) {
  const response = await fetch(`http://127.0.0.1:${world.app.port}/metrics`, { headers: accept ? { accept } : {} });
  expect(response.status).toBe(200);
  const isOpen = response.headers.get('content-type')?.startsWith('application/openmetrics-text');
  const text = await response.text();
  return {
    ...{ type: response.headers.get('content-type'), text },
    families: readMetrics(text, isOpen ? 'openmetrics' : 'text'),
  };
}

describe('the numbers of a gateway that has answered', () => {
  it('are told in OpenMetrics to a Prometheus, and in the text format to everybody else', async () => {
    const world = await openWorld();
    const usage = { prompt_tokens: 900, completion_tokens: 12, prompt_tokens_details: { cached_tokens: 300 } };
    world.llm.script(({ n }) => (n === 1 ? { text: 'Good morning, Alex.', usage } : { fault: 'server-error' }));
    await world.ask('good morning');
    await world.ask('and again');
    await world.ask('/status');

    const plain = await scrape(world);
    expect(plain.type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(plain.text).toContain('viber_inbound_total{channel="telegram",outcome="accepted"} 3');
    for (const accept of [PROMETHEUS_2, PROMETHEUS_3]) {
      const { type, families } = await scrape(world, accept);
      expect(type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
      const numberOf = (family: string, sample: string, labels: Record<string, string>) =>
        families.get(family)?.samples.find((one) => {
          return one.name === sample && Object.entries(labels).every(([key, value]) => one.labels[key] === value);
        })?.value;
      const countOf = (family: string, labels: Record<string, string>) => numberOf(family, `${family}_count`, labels);
      const telegram = { channel: 'telegram' };
      const model = { model: 'local/test-model' };
      expect(numberOf('viber_inbound', 'viber_inbound_total', { ...telegram, outcome: 'accepted' })).toBe(3);
      expect(countOf('viber_acknowledge_seconds', telegram)).toBe(3);
      expect(countOf('viber_queue_wait_seconds', telegram)).toBe(3);
      expect(countOf('viber_first_word_seconds', telegram)).toBe(1);
      expect(countOf('viber_answer_seconds', telegram)).toBe(3);
      expect(countOf('viber_delivery_seconds', telegram)).toBe(3);
      expect(numberOf('viber_model_calls', 'viber_model_calls_total', model)).toBe(1);
      expect(countOf('viber_model_call_seconds', model)).toBe(1);
      const tokens = (direction: string) =>
        numberOf('viber_model_tokens', 'viber_model_tokens_total', { ...model, direction });
      expect([tokens('input'), tokens('output'), tokens('cached')]).toEqual([900, 12, 300]);
      const errors = (stage: string) => numberOf('viber_errors', 'viber_errors_total', { stage, kind: 'provider' });
      expect([errors('model'), errors('run')]).toEqual([2, 1]);
      expect(families.get('viber_answer_seconds')).toMatchObject({ type: 'histogram', unit: 'seconds' });
      expect(families.get('viber_resident_bytes')).toMatchObject({ type: 'gauge', unit: 'bytes' });
      expect(numberOf('viber_queue_depth', 'viber_queue_depth', { queue: 'inbox' })).toBe(0);
      expect(numberOf('viber_channel_connected', 'viber_channel_connected', telegram)).toBe(1);
    }
    expect(PROTOBUF_FIRST).toSatisfy((accept: string) => !wantsOpenMetrics(accept));
    // Nobody's words, names or chats.
    expect(plain.text).not.toMatch(/morning|alex|1001/i);
  });

  it('tell how long is waited while a model is slow and a platform away', async () => {
    const world = await openWorld();
    world.llm.script(() => ({ text: 'late', delayMs: 3_000 }));
    world.telegram.say(1001, 'a long one');
    const depth = async (queue: string) => {
      const { families } = await scrape(world, PROMETHEUS_3);
      const of = (name: string) => families.get(name)?.samples.find(({ labels }) => labels.queue === queue)?.value;
      return { depth: of('viber_queue_depth'), age: of('viber_queue_age_seconds') };
    };
    await expect.poll(async () => (await depth('inbox')).depth).toBe(1);
    await expect.poll(async () => (await depth('inbox')).age).toBeGreaterThan(0.2);
    await world.answer();
    await expect.poll(() => depth('inbox')).toEqual({ depth: 0, age: 0 });
    const { families } = await scrape(world, PROMETHEUS_3);
    const sum = families.get('viber_answer_seconds')?.samples.find(({ name }) => name.endsWith('_sum'))?.value;
    expect(sum).toBeGreaterThan(3);
  });

  it('count an answer to a message from before a restart with all the time it took', async () => {
    const world = await openWorld();
    const before = Date.now();
    world.llm.script(({ n }) => ({ text: 'late', delayMs: n === 1 ? 60_000 : 0 }));
    world.telegram.say(1001, 'begun before');
    await expect.poll(() => world.llm.stats().requests).toBe(1);
    // So long at least the answer takes.
    await sleep(1_000);
    await world.restart();
    await world.answer();
    const { families } = await scrape(world, PROMETHEUS_3);
    const sum = families.get('viber_answer_seconds')?.samples.find(({ name }) => name.endsWith('_sum'))?.value;
    expect(sum).toBeGreaterThan(1);
    expect(sum).toBeLessThan((Date.now() - before) / 1000 + 1);
    // What it waited for was its own work.
    expect(families.get('viber_queue_wait_seconds')?.samples ?? []).toEqual([]);
  });
});

describe('the page', () => {
  it('bears hostile labels, and no list of them makes it grow for ever', async () => {
    const metrics = createMetrics();
    const kind = 'a"b\\c\nd{}é\ud800';
    metrics.count('viber_dropped_total', { channel: 'slack', kind });
    for (let n = 0; n < 10_000; n++) metrics.count('viber_dropped_total', { channel: 'discord', kind: `K${n}` });
    for (let n = 0; n < 10_000; n++) metrics.observe('viber_model_call_seconds', { model: `m/${n}` }, n);
    for (const accept of [undefined, PROMETHEUS_3]) {
      const { body, type } = await metrics.page(accept);
      const families = readMetrics(body, type.startsWith('text/plain') ? 'text' : 'openmetrics');
      const dropped = families.get(accept ? 'viber_dropped' : 'viber_dropped_total')?.samples ?? [];
      expect(dropped[0]?.labels.kind).toBe(kind.toWellFormed());
      expect(dropped.reduce((sum, { value }) => sum + value, 0)).toBe(10_001);
      expect(dropped).toHaveLength(201);
      expect(body.length).toBeLessThan(400_000);
    }
  });

  it('takes no time for what a clock that was set back has measured', async () => {
    const metrics = createMetrics();
    metrics.observe('viber_answer_seconds', { channel: 'slack' }, -5);
    metrics.observe('viber_answer_seconds', { channel: 'slack' }, 1e9);
    const { body } = await metrics.page(PROMETHEUS_3);
    expect(body).toContain('viber_answer_seconds_bucket{channel="slack",le="0.05"} 1');
    expect(body).toContain('viber_answer_seconds_bucket{channel="slack",le="+Inf"} 2');
    expect(body).toContain('viber_answer_seconds_sum{channel="slack"} 1000000000');
  });

  it.each([
    ['', false],
    ['*/*', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
    ['application/openmetrics-text', true],
    ['application/openmetrics-text; version="1.0.0"; charset=utf-8', true],
    ['application/openmetrics-text;version=0.0.1', false],
    ['application/openmetrics-text;version=2.0.0', false],
    ['application/openmetrics-text;q=0', false],
    ['text/plain;version=0.0.4;q=0.9, application/openmetrics-text;q=0.2', false],
    [PROMETHEUS_2, true],
    [PROMETHEUS_3, true],
    [PROTOBUF_FIRST, false],
    [`${';q=1,'.repeat(9_999)}application/openmetrics-text`, false],
  ])('%.60s', (accept, isOpen) => {
    expect(wantsOpenMetrics(accept)).toBe(isOpen);
  });

  it('is told whole in the documentation', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'observability.md'), 'utf8');
    const told = [...page.matchAll(/^- `(viber_\w+)` \((\w+)[;)]/gm)].map(([, name, kind]) => `${kind} ${name}`);
    const kinds = { counter: COUNTERS, histogram: HISTOGRAMS, gauge: GAUGES };
    const all = Object.entries(kinds).flatMap(([kind, of]) => Object.keys(of).map((name) => `${kind} ${name}`));
    expect(told.toSorted()).toEqual(all.toSorted());
  });

  it('has names that both formats allow, each with its base unit', () => {
    for (const name of Object.keys(COUNTERS)) expect(name).toMatch(/^viber_[a-z_]+_total$/);
    for (const name of Object.keys(HISTOGRAMS)) expect(name).toMatch(/^viber_[a-z_]+_seconds$/);
    for (const name of Object.keys(GAUGES)) expect(name).toMatch(/^viber_[a-z_]+(?<!_total)$/);
  });
});
