/**
 * The events of a streamed chat completion put together. Plain text and reasoning are told as they come; anything else is
 * kept word for word for the provider. Pure but for what it tells.
 */

import type { StreamPart } from '../contract/model.ts';
import { carriedBy } from './events.ts';
import { EndlessError } from './http-fetch.ts';

export interface Fold {
  /** One event's data. */
  take(data: string): void;
  /** Throws when the finish reason is missing. */
  finish(): Folded;
}

export interface Folded {
  /** The completion without the text that was told. */
  body: Record<string, unknown>;
  /** The events from the first one on that was not plain. */
  rest: string;
}

/** What of a plain event is worth keeping or telling. */
interface Plain {
  text: string;
  reasoning: string;
  finish: string | undefined;
}

/** Characters of events that are kept: arguments of a megabyte in pieces of a usual size. */
const MAX_REST = 16_000_000;

export function createFold(tell: (part: StreamPart) => void): Fold {
  let head = {};
  let usage: unknown;
  let finishReason: string | undefined;
  let rest = '';

  function keep(data: string): void {
    rest += `data: ${data}\n\n`;
    if (rest.length > MAX_REST) throw new EndlessError('the answer does not come to an end');
    // One character an event: enough for those who wait to see that something comes.
    tell({ type: 'tool-input-delta', id: '', delta: ' ' });
  }

  return {
    take(given) {
      const data = carriedBy('chat', given);
      if (data === undefined || data === '[DONE]') return;
      const chunk = rest === '' ? parse(data) : undefined;
      // Some servers write `"error": null` beside every piece of a healthy answer.
      if (chunk && !isEmpty(chunk.error)) return tell({ type: 'error', error: chunk.error });
      const plain = chunk && readPlain(chunk);
      if (!chunk || !plain) return keep(data);
      if (chunk.id || chunk.model) head = { id: chunk.id, created: chunk.created, model: chunk.model };
      usage = chunk.usage ?? usage;
      finishReason = plain.finish ?? finishReason;
      if (plain.reasoning) tell({ type: 'reasoning-delta', id: '0', delta: plain.reasoning });
      if (plain.text) tell({ type: 'text-delta', id: '0', delta: plain.text });
    },
    finish() {
      if (rest === '' && finishReason === undefined) throw new Error('the stream ended without a finish reason');
      const choices = [{ message: {}, finish_reason: finishReason }];
      return { body: { ...head, choices, usage }, rest };
    },
  };
}

function parse(data: string): Record<string, unknown> | undefined {
  try {
    const chunk: unknown = JSON.parse(data);
    return isRecord(chunk) ? chunk : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** undefined when the event holds more than text, or is not of the known shape. */
function readPlain({ choices }: Record<string, unknown>): Plain | undefined {
  if (!Array.isArray(choices)) return undefined;
  const choice: unknown = choices[0] ?? {};
  if (!isRecord(choice)) return undefined;
  const delta = choice.delta ?? {};
  if (!isRecord(delta) || !isEmpty(delta.tool_calls) || !isEmpty(delta.refusal)) return undefined;
  const text = delta.content ?? '';
  const reasoning = delta.reasoning_content ?? delta.reasoning ?? '';
  const finish = choice.finish_reason || undefined;
  if (typeof text !== 'string' || typeof reasoning !== 'string') return undefined;
  if (finish !== undefined && typeof finish !== 'string') return undefined;
  return { text, reasoning, finish };
}

const isEmpty = (value: unknown): boolean =>
  value == null || value === '' || (Array.isArray(value) && value.length === 0);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
