/** Writes one turn as a chat completion: a stream of server-sent events, or one JSON body. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendJson } from '../base/http.ts';
import type { LlmRequest, ToolCall, Turn } from './turn.ts';

const SSE = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const DONE = 'data: [DONE]\n\n';
const HUGE = 16 * 1024 * 1024;

function head(request: LlmRequest, object: string): Record<string, unknown> {
  return { id: `chatcmpl-${request.n}`, object, created: Math.floor(request.at / 1000), model: request.model };
}

function usageOf(turn: Turn, request: LlmRequest): unknown {
  if ('rawUsage' in turn) return turn.rawUsage;
  // About four bytes per token, in place of a tokenizer.
  const usage = turn.usage ?? {
    prompt_tokens: Math.ceil(request.bytes / 4),
    completion_tokens: Math.ceil(textOfTurn(turn).length / 4),
  };
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}

export function textOfTurn(turn: Turn): string {
  return turn.text ?? turn.chunks?.join('') ?? '';
}

function callsOf(turn: Turn, request: LlmRequest) {
  const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? {}));
  return (turn.toolCalls ?? []).map((call: ToolCall, index) => ({
    id: call.id ?? `call_${request.n}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: written(call.arguments) },
  }));
}

function finishOf(turn: Turn): string {
  return turn.finish ?? (turn.toolCalls?.length ? 'tool_calls' : 'stop');
}

/** Returns the stream events of a turn, up to but excluding the finish event. */
function deltas(turn: Turn, request: LlmRequest): Record<string, unknown>[] {
  const parts: Record<string, unknown>[] = [];
  if (turn.reasoning) parts.push({ reasoning_content: turn.reasoning });
  for (const detail of turn.details ?? []) parts.push({ reasoning: detail.text ?? '', reasoning_details: [detail] });
  for (const content of turn.chunks ?? (turn.text ? [turn.text] : [])) parts.push({ content });
  for (const [index, call] of callsOf(turn, request).entries()) {
    const { name, arguments: args } = call.function;
    const middle = Math.floor(args.length / 2);
    parts.push({ tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of [args.slice(0, middle), args.slice(middle)]) {
      if (piece) parts.push({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  return parts;
}

/**
 * Returns the bytes of a whole stream, one string per event. `whole: false` omits the finish event and the end mark.
 */
export function events(turn: Turn, request: LlmRequest, whole = true): string[] {
  const base = head(request, 'chat.completion.chunk');
  const event = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const [first = {}, ...rest] = deltas(turn, request);
  const out = [event({ role: 'assistant', ...first }, null), ...rest.map((delta) => event(delta, null))];
  if (!whole) return out;
  out.push(event({}, finishOf(turn)));
  const options = request.body.stream_options as { include_usage?: boolean } | undefined;
  if (options?.include_usage) {
    out.push(`data: ${JSON.stringify({ ...base, choices: [], usage: usageOf(turn, request) })}\n\n`);
  }
  out.push(DONE);
  return out;
}

/** Adds events without content before, between and after the others, except for the end mark. */
export function withNoise(list: readonly string[], { noise = [] }: Turn): string[] {
  const lines = noise.map((line) => `${line}\n\n`);
  return noise.length === 0 ? [...list] : list.flatMap((event) => [...lines, event]);
}

/** Returns the JSON body of an answer that isn't streamed. */
export function completion(turn: Turn, request: LlmRequest): Record<string, unknown> {
  const calls = callsOf(turn, request);
  const message: Record<string, unknown> = { role: 'assistant', content: textOfTurn(turn) || null };
  if (turn.reasoning) message.reasoning_content = turn.reasoning;
  if (calls.length > 0) message.tool_calls = calls;
  return {
    ...head(request, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishOf(turn) }],
    usage: usageOf(turn, request),
  };
}

/** Writes stream events, with the pause before each but the first. Stops silently if the client has disconnected. */
export async function writeEvents(response: ServerResponse, list: string[], pauseMs: number): Promise<void> {
  for (const [index, event] of list.entries()) {
    if (index > 0 && pauseMs > 0) await sleep(pauseMs);
    if (response.destroyed) return;
    if (!response.write(event)) await drained(response);
  }
}

/** Resolves when more may be written, or when nobody listens any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Sends a turn without a fault. Without pauses, the whole stream is one write. */
export async function answer(response: ServerResponse, turn: Turn, request: LlmRequest): Promise<void> {
  if (!request.stream) return sendJson(response, 200, completion(turn, request));
  const list = withNoise(events(turn, request), turn);
  response.writeHead(200, SSE);
  if (!turn.chunkDelayMs) return void response.end(list.join(''));
  response.flushHeaders();
  await writeEvents(response, list, turn.chunkDelayMs);
  response.end();
}

/** Sends a turn whose text has `bytes` characters. */
export function hugeTurn(turn: Turn): Turn {
  const piece = 'All work and no play makes a dull answer. '.repeat(1560);
  const count = Math.ceil((turn.hugeBytes ?? HUGE) / piece.length);
  return { ...turn, chunks: Array.from({ length: count }, () => piece) };
}

export { SSE };
