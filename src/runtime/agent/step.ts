/**
 * One answer of a model as the messages that stand for it in the session and in the next request: what the model said and called,
 * then the results of its calls. Pure. The form is that of the AI SDK's response messages, so that sessions of any age can be read.
 */
import type { Json } from '../../workspace/types.ts';
import type { GenerateResult } from '../contract/model.ts';
import { CUT_BY_LIMIT } from '../model/prompt.ts';

type Content = GenerateResult['content'][number];
type Call = Extract<Content, { type: 'tool-call' }>;

export type ToolOutput =
  | { type: 'text'; value: string }
  | { type: 'json'; value: Json }
  | { type: 'error-text'; value: string };

export interface ToolCall {
  callId: string;
  tool: string;
  /** Undefined when what the model wrote is no JSON. */
  input: Json | undefined;
  /** The limit of the answer has cut it. */
  isCut?: true;
}

/** The calls that are ours to run, in their order. */
export function callsOf(answer: GenerateResult): ToolCall[] {
  const calls = answer.content.filter((part) => part.type === 'tool-call').filter((part) => !part.providerExecuted);
  return calls.map(({ toolCallId, toolName, input }) => {
    const call = { callId: toolCallId, tool: toolName };
    return input.endsWith(CUT_BY_LIMIT)
      ? { ...call, input: undefined, isCut: true }
      : { ...call, input: parseInput(input) };
  });
}

/** @param outputs by call; a call without one waits for a person */
export function stepMessages(
  answer: GenerateResult,
  calls: readonly ToolCall[],
  outputs: ReadonlyMap<string, ToolOutput>,
): Json[] {
  const content = answer.content.flatMap((part) => toPart(part));
  const results = calls.flatMap(({ callId, tool }): Json[] => {
    const output = outputs.get(callId);
    return output ? [{ type: 'tool-result', toolCallId: callId, toolName: tool, output }] : [];
  });
  return [
    ...(content.length > 0 ? [{ role: 'assistant', content }] : []),
    ...(results.length > 0 ? [{ role: 'tool', content: results }] : []),
  ];
}

/** As a tool's result reaches the model. */
export const outputOf = (result: Json): ToolOutput =>
  typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: result };

function toPart(part: Content): Json[] {
  const kept = part.providerMetadata === undefined ? {} : { providerOptions: plain(part.providerMetadata) };
  switch (part.type) {
    case 'text':
      return part.text === '' && part.providerMetadata === undefined
        ? []
        : [{ type: 'text', text: part.text, ...kept }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...kept }];
    case 'custom':
      return [{ type: 'custom', kind: part.kind, ...kept }];
    case 'file':
    case 'reasoning-file':
      return part.data.type === 'data'
        ? [{ type: part.type, data: base64(part.data.data), mediaType: part.mediaType, ...kept }]
        : [];
    case 'tool-call':
      return [{ ...callPart(part), ...kept }];
    case 'tool-result': {
      const output = { type: part.isError ? 'error-json' : 'json', value: plain(part.result) };
      return [{ type: 'tool-result', toolCallId: part.toolCallId, toolName: part.toolName, output, ...kept }];
    }
    default:
      // Sources stand in the text already; approvals of providers' own tools are not asked for.
      return [];
  }
}

function callPart({ toolCallId, toolName, input, providerExecuted }: Call): { [key: string]: Json } {
  const given = parseInput(input);
  const isObject = typeof given === 'object' && given !== null;
  return {
    ...{ type: 'tool-call', toolCallId, toolName, input: isObject ? given : {} },
    ...(providerExecuted ? { providerExecuted } : {}),
  };
}

const base64 = (data: string | Uint8Array): string =>
  typeof data === 'string' ? data : Buffer.from(data).toString('base64');

const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null));

/** Some models write nothing for no arguments. Undefined for what is no JSON, or would reach an object's prototype. */
function parseInput(text: string): Json | undefined {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__') throw new SyntaxError('a prototype is no argument');
      return value;
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
