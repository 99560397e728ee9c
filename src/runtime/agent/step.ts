/**
 * One step of the loop as the messages that stand for it in the session and in the next request: what the model said and called, then
 * the results of its calls. Pure.
 */
import type { ModelMessage } from 'ai';
import { isRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';

type Part = { [key: string]: Json };

/**
 * @param messages as the loop has made them
 * @param waiting calls that wait for a person: they have no result yet
 * @param refusals what the model is told of calls that have not begun, by call
 */
export function stepMessages(
  messages: readonly ModelMessage[],
  waiting: ReadonlySet<string>,
  refusals: ReadonlyMap<string, string>,
): Json[] {
  const plain: Json = JSON.parse(JSON.stringify(messages));
  return (plain as { role: string; content: Part[] }[]).flatMap(({ role, content }) => {
    const kept = content.flatMap((part) => (role === 'tool' ? resultPart(part, waiting, refusals) : [saidPart(part)]));
    return kept.length > 0 ? [{ role, content: kept }] : [];
  });
}

/** Providers take arguments back as an object alone. */
const saidPart = (part: Part): Part =>
  part.type === 'tool-call' && !isRecord(part.input) ? { ...part, input: {} } : part;

function resultPart(part: Part, waiting: ReadonlySet<string>, refusals: ReadonlyMap<string, string>): Part[] {
  const callId = String(part.toolCallId);
  if (waiting.has(callId)) return [];
  const refusal = refusals.get(callId);
  return [refusal === undefined ? part : { ...part, output: { type: 'error-text', value: refusal } }];
}
