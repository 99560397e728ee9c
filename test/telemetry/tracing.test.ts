import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { traceTarget } from '../../src/app/tracing.ts';
import type { Item } from '../../src/runtime/run/batches.ts';
import { noteWait, watchTurn } from '../../src/runtime/run/watch-turn.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createTracing } from '../../src/telemetry/otlp.ts';
import { startCollector } from '../emulators/otlp.ts';
import { tempFolder } from '../helpers/temp.ts';

const root = join(import.meta.dirname, '..', '..');
const trace = (n: number) => n.toString(16).padStart(16, 'a').padStart(32, 'b');

describe('traces', () => {
  it('are loaded only where an endpoint is set', async () => {
    // Tells each library of theirs that is asked for.
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) {
        if (name.startsWith('@opentelemetry/') || name.endsWith('otlp.ts')) process.stderr.write('LOADED ' + name + '\\n');
        return next(name, context);
      } });`;
    async function talk(env: Record<string, string>): Promise<{ said: string; told: string }> {
      const child = spawn(
        process.execPath,
        [
          '--import',
          `data:text/javascript,${encodeURIComponent(hook)}`,
          'src/main.ts',
          'start',
          '--home',
          tempFolder(),
        ],
        { cwd: root, env: { PATH: process.env.PATH, ...env }, stdio: ['pipe', 'pipe', 'pipe'] },
      );
      const out = { said: '', told: '' };
      child.stdout.on('data', (data) => {
        out.said += data;
      });
      child.stderr.on('data', (data) => {
        out.told += data;
      });
      child.stdin.end('hello\n');
      await new Promise((resolve) => child.on('close', resolve));
      return out;
    }
    const without = await talk({});
    expect(without.said.length).toBeGreaterThan(10);
    expect(without.told).not.toContain('LOADED');
    const collector = await startCollector();
    onTestFinished(() => collector.close());
    const given = await talk({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'own-name' });
    const plain = (said: string) => said.replace(/viber-\w+/g, 'HOME');
    expect(plain(given.said)).toBe(plain(without.said));
    expect(given.told).toContain('LOADED @opentelemetry/api');
    expect([collector.refused, collector.resource['service.name']]).toEqual([[], 'own-name']);
    expect(collector.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['accept', 'queue', 'deliver']));
  });

  it('ask for nothing in a turn where there are none', () => {
    expect(Object.keys(watchTurn({ run: 'r', items: [], isAgain: false }, { metrics: createMetrics() }))).toEqual([
      'word',
    ]);
  });

  it('begin where the work waits, of a job as of a decision, and the first word is told once over the turns of a message', async () => {
    const collector = await startCollector();
    onTestFinished(() => collector.close());
    const tracing = createTracing({
      ...{ url: `${collector.url}/v1/traces`, headers: {}, sample: 1, resource: {} },
      onChange: () => undefined,
    });
    const metrics = createMetrics();
    const acceptedAt = new Date(Date.now() - 2_000).toISOString();
    const itemOf = (n: number, more: object) =>
      ({
        ...{ id: trace(n), acceptedAt, lane: 'task:t', seq: n, attempts: 0 },
        message: { viber: 'default', taskId: 't', message: { address: { channel: 'slack' } }, ...more },
      }) as Item;
    const items = [
      itemOf(1, {}),
      itemOf(2, { job: { id: 'daily' } }),
      itemOf(3, { resume: { approval: 'a', run: 'r' } }),
    ];
    noteWait(items, false, { metrics, tracing });
    noteWait(items, true, { metrics, tracing });
    for (let turn = 0; turn < 2; turn++) {
      const watch = watchTurn({ run: 'r', items, isAgain: false }, { metrics, tracing });
      watch.word();
      watch.word();
      watch.end?.('completed');
    }
    await tracing.close(5_000);
    expect(collector.refused).toEqual([]);
    const queued = collector.spans.filter(({ name }) => name === 'queue');
    expect(queued.map(({ parent }) => parent)).toEqual([trace(1).slice(16), undefined, undefined]);
    expect(queued.map(({ id, trace: own }) => id === own.slice(16))).toEqual([false, true, true]);
    for (const { startedAt, endedAt } of queued) expect(endedAt - startedAt).toBeGreaterThan(1_900);
    const runs = collector.spans.filter(({ name }) => name === 'invoke_agent default');
    expect(runs.map(({ links }) => links)).toEqual([
      [trace(2), trace(3)],
      [trace(2), trace(3)],
    ]);
    const { body } = await metrics.page();
    expect(body).toContain('viber_queue_wait_seconds_count{channel="slack"} 3');
    expect(body).toContain('viber_first_word_seconds_count{channel="slack"} 2');
  });

  it('wait in a bounded list for a collector that is slow', async () => {
    const collector = await startCollector();
    onTestFinished(() => collector.close());
    collector.answers = 'mute';
    const problems: (string | undefined)[] = [];
    const tracing = createTracing({
      ...{ url: `${collector.url}/v1/traces`, headers: {}, sample: 1, resource: {}, everyMs: 20 },
      onChange: (problem) => void problems.push(problem),
    });
    for (let n = 1; n <= 20_000; n++) {
      tracing.root(trace(n), 'accept').end();
      // Those who make them give way now and then.
      if (n % 1_000 === 0) await sleep(5);
    }
    // The first were on their way already, and are sent again by whoever sends them; of the others those that fit.
    collector.answers = 'well';
    const begun = performance.now();
    await tracing.close(30_000);
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(collector.refused).toEqual([]);
    expect(collector.spans.length).toBeLessThanOrEqual(2_048 + 512);
    expect(collector.spans.length).toBeGreaterThan(1_000);
  });

  it('tell once that they are not taken, and once that they are again', async () => {
    const collector = await startCollector();
    onTestFinished(() => collector.close());
    const problems: (string | undefined)[] = [];
    const tracing = createTracing({
      ...{ url: `${collector.url}/v1/nowhere`, headers: {}, sample: 1, resource: {}, everyMs: 10 },
      onChange: (problem) => void problems.push(problem),
    });
    for (let n = 1; n <= 5; n++) {
      tracing.root(trace(n), 'accept').end();
      await expect.poll(() => collector.refused.length).toBe(n);
    }
    await tracing.close(2_000);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toEqual(expect.any(String));
  });
});

describe('where they go', () => {
  const url = (config: object, env: NodeJS.ProcessEnv = {}) => traceTarget({ headers: {}, ...config }, env)?.url;

  it('is what the configuration says, else what the variables say', () => {
    const base = 'http://127.0.0.1:4318';
    expect(url({})).toBeUndefined();
    expect(url({ endpoint: base })).toBe(`${base}/v1/traces`);
    expect(url({ endpoint: `${base}/` })).toBe(`${base}/v1/traces`);
    expect(url({ endpoint: `${base}/otlp/v1/traces` })).toBe(`${base}/otlp/v1/traces`);
    expect(url({}, { OTEL_EXPORTER_OTLP_ENDPOINT: base })).toBe(`${base}/v1/traces`);
    expect(url({}, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${base}/own` })).toBe(`${base}/own`);
    expect(url({ endpoint: base }, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other' })).toBe(`${base}/v1/traces`);
    expect(url({ endpoint: base }, { OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(url({ endpoint: base }, { OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
    expect(url({}, { OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
  });

  it('reads lists of the variables in whatever form they come', () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=abc%20def, x-team = blue,broken,=none,odd=%zz',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=named,deployment.environment.name=home',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(traceTarget({ headers: { 'x-team': 'red' } }, env)).toMatchObject({
      headers: { 'api-key': 'abc def', 'x-team': 'red', odd: '%zz' },
      sample: 0.25,
      resource: { 'service.name': 'named', 'deployment.environment.name': 'home', 'service.version': '0.1.0' },
    });
    expect(traceTarget({ headers: {}, sample: 0 }, env)?.sample).toBe(0);
    expect(traceTarget({ headers: {} }, { ...env, OTEL_TRACES_SAMPLER_ARG: 'all' })?.sample).toBe(1);
  });
});
