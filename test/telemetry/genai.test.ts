/**
 * Spans follow OpenTelemetry's conventions for generative AI, as they are written down in November 2026:
 * https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md and gen-ai-agent-spans.md.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROVIDERS } from '../../src/runtime/contract/providers.ts';
import type { Item } from '../../src/runtime/run/batches.ts';
import { watchTurn } from '../../src/runtime/run/watch-turn.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createTracing } from '../../src/telemetry/otlp.ts';
import { openWorld } from '../dialogs/harness.ts';
import { startCollector, type TakenSpan } from '../emulators/otlp.ts';

const KINDS = { internal: 1, client: 3 };
/** What each operation's span is called, must have and may have; whatever holds words of people is not among it. */
// biome-ignore format: a row is a line
const OPERATIONS: Record<string, { kind: number; named: string; required: string[]; allowed: string[] }> = {
  invoke_agent: {
    kind: KINDS.internal,
    named: 'gen_ai.agent.name',
    required: ['gen_ai.provider.name', 'gen_ai.agent.name', 'gen_ai.conversation.id'],
    allowed: ['gen_ai.request.model'],
  },
  chat: {
    kind: KINDS.client,
    named: 'gen_ai.request.model',
    required: ['gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.conversation.id', 'gen_ai.request.stream'],
    allowed: ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'gen_ai.usage.cache_read.input_tokens', 'gen_ai.response.finish_reasons'],
  },
  execute_tool: { kind: KINDS.internal, named: 'gen_ai.tool.name', required: ['gen_ai.tool.name', 'gen_ai.tool.call.id', 'gen_ai.tool.type', 'gen_ai.agent.name'], allowed: [] },
};
const TYPES: Record<string, string> = {
  'gen_ai.request.stream': 'boolean',
  'gen_ai.response.finish_reasons': 'object',
};
const FINISHES = ['stop', 'length', 'content_filter', 'tool_call', 'error'];
/** The well-known names of those that we bring; a provider must be called by its own. */
const WELL_KNOWN: Record<string, string> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'gcp.gemini',
  deepseek: 'deepseek',
  groq: 'groq',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  moonshot: 'moonshot_ai',
};

/** Says what a span has that the conventions forbid, or lacks that they demand. */
function faultsOf({ name, kind, attributes, isError }: TakenSpan): string[] {
  const own = Object.keys(attributes).filter((key) => !key.startsWith('viber.'));
  const operation = attributes['gen_ai.operation.name'];
  if (operation === undefined) return own.filter((key) => key !== 'error.type');
  const rule = OPERATIONS[String(operation)];
  if (!rule) return [`operation ${operation}`];
  const known = ['gen_ai.operation.name', 'error.type', ...rule.required, ...rule.allowed];
  const typeOf = (key: string) => TYPES[key] ?? (key.startsWith('gen_ai.usage.') ? 'number' : 'string');
  const finishes = [attributes['gen_ai.response.finish_reasons'] ?? []].flat();
  return [
    ...(name === `${operation} ${attributes[rule.named]}` ? [] : [`name ${name}`]),
    ...(kind === rule.kind ? [] : [`kind ${kind}`]),
    ...rule.required.filter((key) => attributes[key] === undefined || attributes[key] === ''),
    ...own.filter((key) => !known.includes(key)),
    ...own
      .filter((key) => typeof attributes[key] !== (known.includes(key) ? typeOf(key) : ''))
      .map((key) => `type of ${key}`),
    ...finishes.filter((finish) => !FINISHES.includes(String(finish))).map((finish) => `finish ${finish}`),
    ...(isError === (attributes['error.type'] !== undefined) ? [] : ['error.type']),
  ];
}

describe('spans of a run', () => {
  it('are named, and have what the conventions demand, and nothing else', async () => {
    const collector = await startCollector();
    onTestFinished(() => collector.close());
    const world = await openWorld({ config: { telemetry: { endpoint: collector.url } } });
    const write = { name: 'create_artifact', arguments: { title: 'a', type: 'text/plain', content: 'b' } };
    world.llm.script(({ n }) => {
      if (n === 1) return { toolCalls: [write], usage: { prompt_tokens: 90, completion_tokens: 12 } };
      return n === 2 ? { text: 'done' } : { fault: 'server-error' };
    });
    await world.ask('works');
    await world.ask('fails');
    await world.app.stop();
    expect(collector.refused).toEqual([]);
    const operations = collector.spans.map(({ attributes }) => attributes['gen_ai.operation.name']);
    for (const operation of Object.keys(OPERATIONS)) expect(operations).toContain(operation);
    expect(collector.spans.some(({ isError }) => isError)).toBe(true);
    for (const span of collector.spans) expect(faultsOf(span), span.name).toEqual([]);
    const runs = collector.spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'invoke_agent');
    for (const { attributes } of runs)
      expect(attributes).toMatchObject({ 'gen_ai.provider.name': 'local', 'gen_ai.request.model': 'test-model' });
  });

  it('call each provider by its well-known name, and others by their own', async () => {
    const collector = await startCollector();
    onTestFinished(() => collector.close());
    const tracing = createTracing({
      ...{ url: `${collector.url}/v1/traces`, headers: {}, sample: 1, resource: {} },
      onChange: () => undefined,
    });
    const names = [...Object.keys(PROVIDERS), 'constructor'];
    const item = {
      ...{ id: 'ab'.repeat(16), acceptedAt: new Date().toISOString(), lane: 'task:t', seq: 1, attempts: 0 },
      message: { viber: 'default', taskId: 't', message: { address: { channel: 'slack' } } },
    };
    const watch = () =>
      watchTurn({ run: 'r', items: [item as Item], isAgain: false }, { metrics: createMetrics(), tracing });
    for (const name of names) {
      const turn = watch();
      turn.model?.(`${name}/some/model`)({ finish: 'content-filter' });
      turn.end?.('completed');
    }
    watch().end?.('completed');
    await tracing.close(5_000);
    for (const span of collector.spans) expect(faultsOf(span), span.name).toEqual([]);
    const calls = collector.spans.filter(({ name }) => name === 'chat some/model');
    expect(calls.map(({ attributes }) => attributes['gen_ai.provider.name'])).toEqual(
      names.map((name) => (Object.hasOwn(WELL_KNOWN, name) ? WELL_KNOWN[name] : name)),
    );
    const runs = collector.spans.filter(({ name }) => name === 'invoke_agent default');
    expect(runs.at(-1)?.attributes).toMatchObject({ 'gen_ai.provider.name': 'openviber' });
  });
});
