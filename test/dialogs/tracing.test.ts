/** One trace for each message, one span a stage, by a collector as strict as the protocol; and what it costs when there is none. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Collector, startCollector, type TakenSpan } from '../emulators/otlp.ts';
import { ALEX, openWorld, type World, type WorldOptions } from './harness.ts';

const SECRET = 'Bearer collector-secret-4711';

async function openTraced(options: WorldOptions = {}, telemetry: Record<string, unknown> = {}) {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const settings = { endpoint: collector.url, headers: { authorization: SECRET }, ...telemetry };
  const world = await openWorld({ ...options, config: { ...options.config, telemetry: settings } });
  return { world, collector };
}

/** What is left is handed over at a stop. */
const flushed = async (world: World, { spans, refused }: Collector): Promise<TakenSpan[]> => {
  await world.app.stop();
  expect(refused).toEqual([]);
  return spans;
};
const named = (spans: readonly TakenSpan[], name: RegExp) => spans.filter((span) => name.test(span.name));
const one = (spans: readonly TakenSpan[], name: RegExp): TakenSpan => {
  const [first, ...more] = named(spans, name);
  expect([first?.name, more.length], String(name)).toEqual([expect.any(String), 0]);
  return first as TakenSpan;
};

describe('a trace', () => {
  it('holds a message from its arrival to its answer, a span for each stage, and nothing of what was said', async () => {
    const { world, collector } = await openTraced();
    const usage = { prompt_tokens: 900, completion_tokens: 12, prompt_tokens_details: { cached_tokens: 300 } };
    const write = { name: 'create_artifact', arguments: { title: 'secret-plan', type: 'text/plain', content: 'hush' } };
    world.llm.script(({ toolResults }) =>
      toolResults.length === 0 ? { toolCalls: [write], usage } : { text: 'whispered answer', usage },
    );
    await world.ask('whispered question');
    const spans = await flushed(world, collector);

    const accept = one(spans, /^accept$/);
    const run = one(spans, /^invoke_agent default$/);
    expect(new Set(spans.map(({ trace }) => trace)).size).toBe(1);
    expect(spans.map(({ name }) => name).toSorted()).toEqual(
      ['accept', 'queue', 'invoke_agent default', 'context', 'chat test-model', 'execute_tool create_artifact']
        .concat(['chat test-model', 'record', 'deliver'])
        .toSorted(),
    );
    // The first span is known by the trace's own name, and the short id of the log is its beginning.
    expect([accept.parent, accept.id]).toEqual([undefined, accept.trace.slice(16)]);
    expect(accept.attributes).toMatchObject({ 'viber.trace': accept.trace.slice(0, 12), 'viber.channel': 'telegram' });
    expect(world.logs.some((line) => line.trace === accept.trace.slice(0, 12))).toBe(true);
    for (const name of [/^queue$/, /^invoke_agent/, /^deliver$/]) expect(one(spans, name).parent).toBe(accept.id);
    for (const { parent } of named(spans, /^(context|chat|execute_tool|record)/)) expect(parent).toBe(run.id);
    const ask = named(spans, /^chat/)[0];
    expect([ask?.kind, one(spans, /^deliver$/).kind, accept.kind]).toEqual([3, 4, 5]);
    expect(ask?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'local',
      'gen_ai.request.model': 'test-model',
      'gen_ai.request.stream': true,
      'gen_ai.conversation.id': run.attributes['gen_ai.conversation.id'],
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 12,
      'gen_ai.usage.cache_read.input_tokens': 300,
      'gen_ai.response.finish_reasons': ['tool_call'],
    });
    expect(one(spans, /^execute_tool/).attributes).toMatchObject({ 'gen_ai.tool.name': 'create_artifact' });
    expect(run.attributes).toMatchObject({ 'gen_ai.operation.name': 'invoke_agent', 'viber.state': 'completed' });
    // In the order in which it happened.
    expect(accept.startedAt).toBeLessThanOrEqual(run.startedAt + 5);
    expect(one(spans, /^record$/).startedAt).toBeGreaterThanOrEqual(named(spans, /^chat/)[1]?.endedAt ?? 0);
    expect(spans.some(({ isError }) => isError)).toBe(false);

    expect(collector.resource).toMatchObject({ 'service.name': 'openviber-gateway', 'service.version': '0.1.0' });
    expect(collector.headers.every(({ authorization }) => authorization === SECRET)).toBe(true);
    const all = collector.bodies.join('\n');
    for (const word of [
      'whispered',
      'secret-plan',
      'hush',
      'collector-secret',
      'sk-test-model',
      world.telegram.token,
      'Alex',
    ])
      expect(all).not.toContain(word);
    expect(all).not.toMatch(new RegExp(`"${ALEX}"`));
  });

  it('says in a word what failed, and each try of it', async () => {
    const { world, collector } = await openTraced();
    world.llm.script(() => ({ fault: 'server-error' }));
    await world.ask('fails');
    const spans = await flushed(world, collector);
    const tries = named(spans, /^chat/);
    expect(tries.map(({ isError, attributes }) => [isError, attributes['error.type']])).toEqual([
      [true, 'provider'],
      [true, 'provider'],
    ]);
    const run = one(spans, /^invoke_agent/);
    expect([run.isError, run.attributes['error.type'], run.attributes['viber.state']]).toEqual([
      true,
      'provider',
      'error',
    ]);
  });

  it('goes on in the process after a restart, below the same first span', async () => {
    const { world, collector } = await openTraced();
    world.llm.script(({ n }) => ({ text: 'late', delayMs: n === 1 ? 60_000 : 0 }));
    world.telegram.say(ALEX, 'begun before');
    await expect.poll(() => world.llm.stats().requests).toBe(1);
    await world.restart();
    await world.answer();
    const spans = await flushed(world, collector);
    const accept = one(spans, /^accept$/);
    expect(new Set(spans.map(({ trace }) => trace))).toEqual(new Set([accept.trace]));
    const runs = named(spans, /^invoke_agent/);
    expect(runs.map(({ attributes }) => [attributes['viber.state'], attributes['viber.resumed']])).toEqual([
      ['shutdown', false],
      ['completed', true],
    ]);
    for (const { parent } of runs) expect(parent).toBe(accept.id);
    expect(one(spans, /^deliver$/).parent).toBe(accept.id);
    expect(named(spans, /^queue$/)).toHaveLength(1);
  });

  it('is kept for the same messages on every stage, and for none of the others', async () => {
    const { world, collector } = await openTraced({}, { sample: 0.5 });
    for (let n = 0; n < 12; n++) await world.ask(`message ${n}`);
    const spans = await flushed(world, collector);
    const traces = Map.groupBy(spans, ({ trace }) => trace);
    expect(traces.size).toBeLessThan(12);
    for (const [, stages] of traces) {
      expect(stages.map(({ name }) => name).toSorted()).toEqual(
        ['accept', 'chat test-model', 'context', 'deliver', 'invoke_agent default', 'queue', 'record'].toSorted(),
      );
    }
  });
});

describe('a collector that', () => {
  it.each(['down', 'busy', 'mute'] as const)(
    'is %s costs no message anything, is told once, and holds up no stop',
    async (how) => {
      const { world, collector } = await openTraced();
      if (how === 'down') collector.down();
      else collector.answers = how;
      for (let n = 0; n < 5; n++) expect((await world.ask(`message ${n}`)).text).toBe(`message ${n}`);
      const begun = performance.now();
      await world.app.stop();
      expect(performance.now() - begun).toBeLessThan(8_000);
      const told = world.logs.filter(
        ({ msg }) => typeof msg === 'string' && msg.startsWith('the trace endpoint refuses traces'),
      );
      expect(told.length).toBeLessThanOrEqual(1);
      expect(JSON.stringify(world.logs)).not.toContain('collector-secret');
      expect(world.logs.filter(({ msg }) => msg === 'unhandled rejection')).toEqual([]);
    },
  );
});
