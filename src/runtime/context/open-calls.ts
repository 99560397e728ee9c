/**
 * Finds calls in a run's messages that wait for a person. A waiting call has no result yet; the person's decision
 * becomes the result of that call, so that every provider accepts the history.
 */
import { isJsonRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';
import type { WaitingCall } from '../contract/agent.ts';

type Fields = { [key: string]: Json };
const partsOfType = (message: Json, type: string): Fields[] =>
  isJsonRecord(message) && Array.isArray(message.content)
    ? message.content.filter(isJsonRecord).filter((part) => part.type === type)
    : [];

/** Returns the calls of the last assistant message that have no result, in order. */
export function openCalls(messages: readonly Json[]): WaitingCall[] {
  const last = messages.findLastIndex((message) => isJsonRecord(message) && message.role === 'assistant');
  const [asked, ...after] = messages.slice(Math.max(0, last));
  if (last === -1 || asked === undefined) return [];
  const answered = new Set(
    after.flatMap((message) => partsOfType(message, 'tool-result')).map((part) => part.toolCallId),
  );
  return partsOfType(asked, 'tool-call')
    .filter((part) => part.providerExecuted !== true && !answered.has(part.toolCallId ?? null))
    .map((part) => ({
      callId: String(part.toolCallId),
      tool: String(part.toolName),
      input: part.input ?? {},
    }));
}

/** Returns the message with a call's result: text, JSON, or an error that says why there isn't one. */
export function resultMessage(
  { callId, tool }: { callId: string; tool: string },
  result: { value: Json } | { error: string },
): Json {
  const output: Json =
    'error' in result
      ? { type: 'error-text', value: result.error }
      : { type: typeof result.value === 'string' ? 'text' : 'json', value: result.value ?? null };
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: callId, toolName: tool, output }] };
}
