/**
 * Simulates a fault instead of, or in the middle of, an answer. One table maps each fault's name to its effect on the
 * connection.
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { sendJson } from '../base/http.ts';
import { answer, completion, events, hugeTurn, SSE, textOfTurn, writeEvents } from './answer.ts';
import type { LlmFault, LlmRequest, Turn } from './turn.ts';

type Play = (response: ServerResponse, turn: Turn, request: LlmRequest) => void | Promise<void>;

export function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  type: string,
  code: string | null = null,
  headers: OutgoingHttpHeaders = {},
): void {
  sendJson(response, status, { error: { message, type, param: null, code } }, headers);
}

/** Returns a turn with some text, and only the first half of it, as two pieces. */
function half(turn: Turn): Turn {
  const text = textOfTurn(turn) || 'This answer was going to be longer than it is.';
  const middle = Math.max(1, Math.floor(text.length / 2));
  const quarter = Math.ceil(middle / 2);
  return { ...turn, chunks: [text.slice(0, quarter), text.slice(quarter, middle)], text: text.slice(0, middle) };
}

/** Returns the first half of the answer: of its events, or of its JSON. */
async function sendHalf(response: ServerResponse, turn: Turn, request: LlmRequest): Promise<void> {
  if (request.stream) {
    response.writeHead(200, SSE);
    return writeEvents(response, events(half(turn), request, false), turn.chunkDelayMs ?? 0);
  }
  const text = JSON.stringify(completion(turn, request));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.slice(0, text.length / 2));
}

function toolTurn(turn: Turn, args: string): Turn {
  const name = turn.toolCalls?.[0]?.name ?? 'create_artifact';
  return { ...turn, text: '', toolCalls: [{ name, arguments: args }] };
}

function firstArguments(turn: Turn): string {
  const value = turn.toolCalls?.[0]?.arguments ?? { title: 'Report', type: 'text/plain', content: 'half of it' };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, Math.max(1, Math.floor(text.length / 2)));
}

// biome-ignore format: a row is a line
const PLAYS: Record<LlmFault, Play> = {
  refuse: (response) => void response.socket?.destroy(),
  unauthorized: (response) => sendError(response, 401, 'Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key'),
  'model-not-found': (response, _turn, request) => sendError(response, 404, `The model '${request.model}' does not exist`, 'invalid_request_error', 'model_not_found'),
  'rate-limited': (response, turn) =>
    sendError(response, 429, 'Rate limit reached for requests', 'requests', 'rate_limit_exceeded', {
      'retry-after': String(turn.retryAfterSeconds ?? 1),
    }),
  'server-error': (response) => sendError(response, 500, 'The server had an error while processing your request', 'server_error'),
  overloaded: (response, turn) => sendError(response, turn.status ?? 503, 'The engine is currently overloaded', 'overloaded_error'),
  'bad-request': (response, { text }) => sendError(response, 400, text ?? 'Unsupported parameter', 'invalid_request_error'),
  'too-long': (response) => {
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.";
    return sendError(response, 400, message, 'invalid_request_error', 'context_length_exceeded');
  },
  'no-credit': (response) => {
    const message = 'You exceeded your current quota, please check your plan and billing details.';
    return sendError(response, 429, message, 'insufficient_quota', 'insufficient_quota');
  },
  'stall-start': () => undefined,
  'stall-middle': sendHalf,
  cut: async (response, turn, request) => {
    await sendHalf(response, turn, request);
    if (request.stream) response.end();
    else response.socket?.destroy();
  },
  reset: async (response, turn, request) => {
    await sendHalf(response, turn, request);
    response.socket?.resetAndDestroy();
  },
  'cut-tool-call': async (response, turn, request) => {
    const cut = toolTurn(turn, firstArguments(turn));
    if (!request.stream) return sendHalf(response, cut, request).then(() => void response.socket?.destroy());
    response.writeHead(200, SSE);
    await writeEvents(response, events(cut, request, false), turn.chunkDelayMs ?? 0);
    response.end();
  },
  'bad-tool-json': (response, turn, request) => answer(response, toolTurn(turn, firstArguments(turn)), request),
  html: (response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end('<!doctype html><title>Sign in</title><h1>Sign in to this network</h1>');
  },
  'no-choices': (response, _turn, request) => {
    const empty = { id: `chatcmpl-${request.n}`, model: request.model, choices: [] };
    if (!request.stream) return sendJson(response, 200, { ...empty, object: 'chat.completion' });
    response.writeHead(200, SSE);
    response.end(`data: ${JSON.stringify({ ...empty, object: 'chat.completion.chunk' })}\n\ndata: [DONE]\n\n`);
  },
  'empty-text': (response, turn, request) => answer(response, { ...turn, text: '', chunks: [], toolCalls: [], finish: 'stop' }, request),
  'error-event': (response, { text }) => {
    response.writeHead(200, SSE);
    response.end(`data: ${JSON.stringify({ error: text ?? 'model crashed' })}\n\n`);
  },
  'bad-chunk': (response, turn, request) => {
    if (!request.stream) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end('{"id": "chatcmpl-1", "choices": [{');
    }
    const list = events(half(turn), request);
    response.writeHead(200, SSE);
    response.end([list[0], 'data: {"id": "chatcmpl-1", "choices": [{\n\n', ...list.slice(1)].join(''));
  },
  huge: async (response, turn, request) => {
    if (!request.stream) return answer(response, { ...turn, text: hugeTurn(turn).chunks?.join('') ?? '' }, request);
    response.writeHead(200, SSE);
    await writeEvents(response, events(hugeTurn(turn), request), 0);
    response.end();
  },
};

/** Simulates the turn's fault. A stalled answer ends when the client closes the connection, or with the emulator. */
export async function playFault(response: ServerResponse, turn: Turn, request: LlmRequest, fault: LlmFault) {
  await PLAYS[fault](response, turn, request);
}
