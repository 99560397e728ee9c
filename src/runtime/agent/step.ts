/**
 * Converts one step of the loop to the messages that represent it in the session and in the next request: what the
 * model said and called, then the results of its calls. Pure.
 */
import type { ContentPart, ModelMessage, ToolSet } from 'ai';
import { isRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';

type Part = { [key: string]: Json };

/**
 * Returns what the model said and called, before any of its calls has a result. Equals what the SDK makes of it once
 * the step has ended.
 * @param content of the model's answer
 */
export function saidMessages(content: readonly ContentPart<ToolSet>[]): Json[] {
  const parts = (JSON.parse(JSON.stringify(content.flatMap(toMessagePart))) as Part[]).map(saidPart);
  return parts.length > 0 ? [{ role: 'assistant', content: parts }] : [];
}

function toMessagePart(part: ContentPart<ToolSet>): object[] {
  const providerOptions = 'providerMetadata' in part ? part.providerMetadata : undefined;
  switch (part.type) {
    case 'text':
      return part.text === '' && providerOptions === undefined
        ? []
        : [{ type: 'text', text: part.text, providerOptions }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, providerOptions }];
    case 'custom':
      return [{ type: 'custom', kind: part.kind, providerOptions }];
    case 'file':
    case 'reasoning-file':
      return [{ type: part.type, data: part.file.base64, mediaType: part.file.mediaType, providerOptions }];
    case 'tool-call': {
      const { toolCallId, toolName, input, providerExecuted } = part;
      return [{ type: 'tool-call', toolCallId, toolName, input, providerExecuted, providerOptions }];
    }
    // Results of tools that the provider itself ran.
    case 'tool-result': {
      const { toolCallId, toolName, output: value } = part;
      const output = { type: typeof value === 'string' ? 'text' : 'json', value: value ?? null };
      return [{ type: 'tool-result', toolCallId, toolName, output, providerOptions }];
    }
    case 'tool-error': {
      const { toolCallId, toolName, error } = part;
      const output = { type: 'error-json', value: error ?? null };
      return [{ type: 'tool-result', toolCallId, toolName, output, providerOptions }];
    }
    // Providers don't accept these in a request.
    case 'source':
    case 'tool-approval-request':
    case 'tool-approval-response':
      return [];
  }
}

/**
 * @param messages from the loop
 * @param waiting calls that wait for a person and have no result yet
 * @param refusals errors for the model, by ID of a call that has not begun
 */
export function stepMessages(
  messages: readonly ModelMessage[],
  waiting: ReadonlySet<string>,
  refusals: ReadonlyMap<string, string>,
): Json[] {
  const plain: { role: string; content: Part[] }[] = JSON.parse(JSON.stringify(messages));
  return plain.flatMap(({ role, content }) => {
    const kept = content.flatMap((part) => (role === 'tool' ? resultPart(part, waiting, refusals) : [saidPart(part)]));
    return kept.length > 0 ? [{ role, content: kept }] : [];
  });
}

/** Providers accept arguments only as an object. */
const saidPart = (part: Part): Part =>
  part.type === 'tool-call' && !isRecord(part.input) ? { ...part, input: {} } : part;

function resultPart(part: Part, waiting: ReadonlySet<string>, refusals: ReadonlyMap<string, string>): Part[] {
  const callId = String(part.toolCallId);
  if (waiting.has(callId)) return [];
  const refusal = refusals.get(callId);
  return [refusal === undefined ? part : { ...part, output: { type: 'error-text', value: refusal } }];
}

export const answeredIn = (messages: readonly Json[]): string[] =>
  messages.flatMap((message) =>
    isRecord(message) && message.role === 'tool' && Array.isArray(message.content)
      ? message.content.flatMap((part) => (isRecord(part) ? [String(part.toolCallId)] : []))
      : [],
  );
