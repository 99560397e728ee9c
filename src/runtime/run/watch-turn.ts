/**
 * Measures and traces turns: how long messages wait, and what their runs do. Nothing depends on it. Spans use the terms
 * of OpenTelemetry's conventions for generative AI (https://github.com/open-telemetry/semantic-conventions-genai),
 * without any content.
 */
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Attributes, Span, Tracing } from '../../telemetry/tracing.ts';
import { traceOf } from '../contract/entry.ts';
import { splitModelName } from '../contract/providers.ts';
import type { ModelTry, TurnWatch } from '../contract/watch.ts';
import type { Item } from './batches.ts';

export interface Watching {
  metrics: Metrics;
  /** Absent if tracing is off. */
  tracing?: Tracing | undefined;
}

/** Our names of providers that the conventions call something else; any other name is kept. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['google', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['xai', 'x_ai'],
]);
/** The provider of a turn that asked no model: the conventions demand one. */
const OURSELVES = 'openviber';
const FINISHES: ReadonlyMap<string, string> = new Map([
  ['tool-calls', 'tool_call'],
  ['content-filter', 'content_filter'],
]);

const waited = ({ acceptedAt }: Item): number => (Date.now() - Date.parse(acceptedAt)) / 1000;
const channelLabel = ({ message }: Item): { channel: string } => ({ channel: message.message.address.channel });

/**
 * Messages that have received the first word of an answer; a turn that was steered into the next may have sent it
 * already.
 */
const answered = new WeakSet<Item>();

/** Records the waiting time when work on messages begins. A repeated attempt has waited for something else. */
export function noteWait(items: readonly Item[], isAgain: boolean, { metrics, tracing }: Watching): void {
  if (isAgain) return;
  for (const item of items) {
    metrics.observe('viber_queue_wait_seconds', channelLabel(item), waited(item));
    if (tracing) traceWait(item, tracing);
  }
}

/** Starts the trace if the message didn't come from a platform. */
function traceWait({ id, acceptedAt, message: { job, resume } }: Item, tracing: Tracing): void {
  const begin = job || resume ? tracing.root : tracing.stage;
  begin(id, 'queue', { at: Date.parse(acceptedAt), attributes: { 'viber.trace': traceOf(id) } }).end();
}

interface WatchedTurn {
  run: string;
  /** All messages that it answers, including those of turns that were steered into it. */
  items: readonly Item[];
  isAgain: boolean;
}

/** Measures and traces a turn: how long its messages waited in the queue and for the first word of an answer. */
export function watchTurn({ run, items, isAgain }: WatchedTurn, { metrics, tracing }: Watching): TurnWatch {
  let hasSpoken = false;
  const word = () => {
    if (hasSpoken) return;
    hasSpoken = true;
    for (const item of items) {
      // Nobody waits for the first word of a job.
      if (item.message.job || answered.has(item)) continue;
      answered.add(item);
      metrics.observe('viber_first_word_seconds', channelLabel(item), waited(item));
    }
  };
  const [head, ...others] = items;
  if (!tracing || !head) return { word };
  const { viber, taskId, job } = head.message;
  let asked: Attributes = { 'gen_ai.provider.name': OURSELVES };
  const span = tracing.stage(head.id, `invoke_agent ${viber}`, {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': viber,
      'gen_ai.conversation.id': taskId,
      'viber.trace': traceOf(head.id),
      'viber.run': run,
      'viber.resumed': isAgain,
      'viber.job': job?.id,
    },
    links: others.map(({ id }) => id),
  });
  return {
    word,
    stage(name) {
      const stage = span.child(name);
      return () => stage.end();
    },
    model(name) {
      asked = modelAttributes(name);
      return traceModel(span, { ...asked, 'gen_ai.conversation.id': taskId });
    },
    tool(name, callId) {
      const call = span.child(`execute_tool ${name}`, {
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.type': 'function',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': callId,
          'gen_ai.agent.name': viber,
        },
      });
      return (error) => call.end(undefined, error);
    },
    // Which model works is known only now.
    end: (state, error) => span.end({ ...asked, 'viber.state': state }, error),
  };
}

/** Starts the span of one try of a model. */
function traceModel(span: Span, attributes: Attributes): (ended: ModelTry) => void {
  const call = span.child(`chat ${attributes['gen_ai.request.model']}`, {
    kind: 'client',
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.stream': true, ...attributes },
  });
  return ({ usage, finish, error }) =>
    call.end(
      {
        'gen_ai.usage.input_tokens': usage?.inputTokens,
        'gen_ai.usage.output_tokens': usage?.outputTokens,
        'gen_ai.usage.cache_read.input_tokens': usage?.cachedInputTokens,
        'gen_ai.response.finish_reasons': finish === undefined ? undefined : [FINISHES.get(finish) ?? finish],
      },
      error,
    );
}

function modelAttributes(name: string): Attributes {
  const { provider, model } = splitModelName(name);
  return { 'gen_ai.provider.name': PROVIDERS.get(provider) ?? provider, 'gen_ai.request.model': model };
}
