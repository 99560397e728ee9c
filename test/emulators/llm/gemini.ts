/**
 * Google's generateContent: refuses wrong function names, thought signatures of other models and results that don't
 * match their calls, and streams.
 * Source: ai.google.dev/api/generate-content, ai.google.dev/gemini-api/docs/thought-signatures
 */
import { isSealed, seal } from './sealed.ts';
import type { LlmRequest, Turn, WireMessage } from './turn.ts';

type Fields = Record<string, unknown>;
interface Content {
  role: string;
  parts: Fields[];
}
/** The signature that its documentation names for calls of other models. */
const SKIP = 'skip_thought_signature_validator';
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

const declared = (body: Fields): string[] =>
  ((body.tools ?? []) as { functionDeclarations?: { name: string }[] }[]).flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ name }) => name),
  );

export function checkGemini(body: Fields, model: string): string | undefined {
  for (const [at, name] of declared(body).entries())
    if (!NAME.test(name))
      return `* GenerateContentRequest.tools[0].function_declarations[${at}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`;
  let calls = 0;
  for (const { role, parts } of body.contents as Content[]) {
    if (!Array.isArray(parts) || parts.length === 0)
      return 'GenerateContentRequest.contents.parts: contents.parts must not be empty.';
    const results = parts.filter((part) => part.functionResponse).length;
    if (role === 'user' && calls !== results)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    const own = parts.filter((part) => part.functionCall);
    calls = own.length;
    const unsigned = own.find((part) => !NAME.test(String((part.functionCall as Fields).name)));
    if (unsigned) return 'Invalid function name in a function call.';
    for (const part of parts) {
      const signature = part.thoughtSignature;
      if (signature !== undefined && signature !== SKIP && !isSealed(signature, model, ''))
        return 'Thought signature is not valid.';
    }
    if (model.startsWith('gemini-3') && own[0] && own[0].thoughtSignature === undefined)
      return 'Function call is missing a thought_signature in functionCall parts.';
  }
  return undefined;
}

export function readGemini(body: Fields): { system: string; messages: WireMessage[]; tools: string[] } {
  const messages = (body.contents as Content[]).map(({ role, parts }): WireMessage => {
    const results = parts.filter((part) => part.functionResponse);
    if (results.length > 0) return { role: 'tool', content: JSON.stringify(results), tool_call_id: '' };
    return { role: role === 'model' ? 'assistant' : role, content: parts };
  });
  const { parts = [] } = (body.systemInstruction ?? {}) as Partial<Content>;
  return { system: parts.map(({ text }) => text).join('\n'), messages, tools: declared(body) };
}

const STOPS: Readonly<Record<string, string>> = { length: 'MAX_TOKENS', stop: 'STOP', tool_calls: 'STOP' };

export function geminiEvents(turn: Turn, request: LlmRequest): Fields[] {
  const parts: Fields[] = [];
  if (turn.reasoning !== undefined) parts.push({ text: turn.reasoning, thought: true });
  for (const text of turn.chunks ?? (turn.text ? [turn.text] : [])) parts.push({ text });
  for (const [at, call] of (turn.toolCalls ?? []).entries())
    parts.push({
      functionCall: { name: call.name, args: call.arguments ?? {}, ...(call.id && { id: call.id }) },
      ...(at === 0 && { thoughtSignature: seal(request.model, '') }),
    });
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const finishReason = STOPS[turn.finish ?? 'stop'] ?? turn.finish;
  return [
    ...parts.map((part) => ({
      candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }],
      modelVersion: request.model,
    })),
    { candidates: [{ content: { role: 'model', parts: [] }, finishReason, index: 0 }], usageMetadata },
  ];
}
