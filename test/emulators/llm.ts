/**
 * An OpenAI-compatible model endpoint: `/v1/chat/completions` (streamed or not), `/v1/models`, `/v1/embeddings`,
 * `/v1/audio/*`; and the streams of Anthropic (`/v1/messages`), OpenAI's Responses (`/v1/responses`) and Google. It
 * answers according to its script. Without one, it repeats the last user message, so that the order of answers can be
 * checked. Runs in-process (`startLlm`) or as a process: `node test/emulators/llm.ts --port N`.
 */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, readBody, sendJson } from './base/http.ts';
import { argument, cpuMicros, serveProcess } from './base/remote.ts';
import { until } from './base/wait.ts';
import { answer } from './llm/answer.ts';
import { type AudioPoint, createAudioPoint } from './llm/audio.ts';
import { createEmbeddingPoint, type EmbeddingPoint } from './llm/embeddings.ts';
import { playFault, sendError } from './llm/faults.ts';
import { createOthers } from './llm/others.ts';
import { wrongPicture } from './llm/pictures.ts';
import { checkChat, describe } from './llm/request.ts';
import { createScriptBook, type ScriptBook } from './llm/script.ts';
import { checkAs, type Strictness } from './llm/strict.ts';
import type { LlmRequest, Turn } from './llm/turn.ts';

export type { LlmFault, LlmRequest, ToolCall, Turn } from './llm/turn.ts';

export interface LlmOptions {
  port?: number;
  /** If set, required as `Authorization: Bearer <key>`. */
  apiKey?: string;
  /** The available models; by default, any name is served. */
  models?: string[];
  /** What to answer without a script: `echo` (the default), or this text for everything, without delay. */
  answer?: 'echo' | { text: string };
  /** The provider whose refusals `/v1/chat/completions` imitates, in addition to the common ones. */
  strict?: Strictness;
  /** Whether to refuse the pictures that providers refuse, and more of them than `most`. */
  pictures?: boolean | { most: number } | 'xai';
  /** The number of requests that the log keeps, the newest ones; 1000 by default. */
  keepRequests?: number;
}

export interface LlmStats {
  requests: number;
  /** The number of chat requests whose answer isn't finished. */
  active: number;
  /** The number of chat requests whose client closed the connection first. */
  aborted: number;
  /** The sizes of chat request bodies. */
  bytes: { total: number; largest: number; last: number };
  /** Microseconds of CPU time that this process has used. */
  cpuMicros: number;
}

export interface LlmControl extends Omit<ScriptBook, 'next' | 'clear'> {
  requests(): LlmRequest[];
  /** The number of requests that were refused for their content; the log doesn't contain them. */
  refused(): number;
  stats(): LlmStats;
  /** Refuses connections (closes the listening socket, breaks open ones) until `up` is called. */
  down(): void;
  up(): Promise<void>;
  /** Clears scripts, faults, log and counts. */
  reset(): void;
}

export interface Llm extends LlmControl {
  /** The endpoint for embeddings: its requests, and its faults. */
  embedding: EmbeddingPoint;
  /** The endpoints for recordings and speech. */
  audio: AudioPoint;
  /** The base URL to configure, ending in `/v1`. */
  url: string;
  /** Resolves with the first request that matches: one that is logged, or that arrives or finishes from now on. */
  waitFor(fits: (request: LlmRequest) => boolean, timeoutMs?: number): Promise<LlmRequest>;
  close(): Promise<void>;
}

const freshStats = () => ({ requests: 0, aborted: 0, bytes: { total: 0, largest: 0, last: 0 } });

/** Starts the endpoint on a loopback port; resolves once it listens. */
export async function startLlm(options: LlmOptions = {}): Promise<Llm> {
  const keep = options.keepRequests ?? 1000;
  const changes = new EventEmitter().setMaxListeners(0);
  const fixed = typeof options.answer === 'object' ? options.answer : undefined;
  const embedding = createEmbeddingPoint();
  const audio = createAudioPoint();
  const taskRecords = createScriptBook((request) => fixed ?? { text: request.lastUser });
  let log: LlmRequest[] = [];
  let stats = freshStats();
  let count = 0;
  let refused = 0;
  let active = 0;

  function note(request: LlmRequest): void {
    stats.requests += 1;
    stats.bytes.total += request.bytes;
    stats.bytes.last = request.bytes;
    stats.bytes.largest = Math.max(stats.bytes.largest, request.bytes);
    if (keep > 0) log.push(request);
    if (log.length > keep * 1.5) log = log.slice(-keep);
    changes.emit('request', request);
  }

  async function chat(body: Record<string, unknown>, bytes: number, auth: string, response: ServerResponse) {
    const refusal = checkChat(body) ?? (options.strict && checkAs(options.strict, body));
    const picture = options.pictures ? wrongPicture(body, options.pictures) : undefined;
    if (picture !== undefined) {
      refused += 1;
      // xAI's errors are flat. According to https://docs.x.ai/docs/guides/image-understanding it accepts only JPEG and
      // PNG.
      if (options.pictures === 'xai')
        return sendJson(response, 400, { code: 'Client specified an invalid argument', error: picture });
      return sendError(response, 400, picture, 'invalid_request_error');
    }
    if (refusal) {
      refused += 1;
      if (refusal.detail !== undefined) return sendJson(response, refusal.status, { detail: refusal.detail });
      return sendError(response, refusal.status, refusal.message, refusal.type, refusal.code);
    }
    count += 1;
    const request = describe(body, count, bytes, auth);
    if (options.models && !options.models.includes(request.model)) {
      return playFault(response, {}, request, 'model-not-found');
    }
    active += 1;
    response.once('close', () => {
      active -= 1;
      if (!response.writableFinished && request.outcome === 'open') {
        request.outcome = 'aborted';
        stats.aborted += 1;
      } else if (request.outcome === 'open') request.outcome = 'answered';
      changes.emit('request', request);
    });
    note(request);
    await speak(await taskRecords.next(request), request, response);
  }

  async function speak(turn: Turn, request: LlmRequest, response: ServerResponse): Promise<void> {
    if (turn.delayMs) await sleep(turn.delayMs);
    await turn.after;
    if (response.destroyed) return;
    if (!turn.fault) return answer(response, turn, request);
    // Only the client can end a stall, so its outcome stays open until then.
    if (!turn.fault.startsWith('stall')) request.outcome = 'faulted';
    await playFault(response, turn, request, turn.fault);
  }

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const auth = message.headers.authorization ?? '';
    // Deepgram's own endpoint uses another scheme, and checks it itself.
    const isDeepgram = message.url?.startsWith('/v1/listen');
    if (options.apiKey !== undefined && !isDeepgram && auth !== `Bearer ${options.apiKey}`) {
      return sendError(response, 401, 'Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key');
    }
    if (message.method === 'GET' && message.url === '/v1/models') {
      const names = options.models ?? ['test-model'];
      const data = names.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'emulator' }));
      return sendJson(response, 200, { object: 'list', data });
    }
    if (message.method !== 'POST') return sendError(response, 404, 'Unknown request URL', 'invalid_request_error');
    const bytes = await readBody(message);
    if (audio.answer(message, bytes, response)) return;
    let body: Record<string, unknown>;
    try {
      body = JSON.parse(bytes.toString());
    } catch (error) {
      return sendError(response, 400, `could not parse the JSON body: ${error}`, 'invalid_request_error');
    }
    if (await others.answer(message.url ?? '', body, bytes.length, response)) return;
    if (message.url === '/v1/embeddings') return embedding.answer(body, response);
    if (message.url === '/v1/chat/completions') return chat(body, bytes.length, auth, response);
    sendError(response, 404, 'Unknown request URL', 'invalid_request_error');
  }

  const others = createOthers({
    next: (body, bytes, read) => {
      count += 1;
      const request = describe(body, count, bytes, '', read);
      note(request);
      return { request, turn: taskRecords.next(request) };
    },
    onRefusal: () => {
      refused += 1;
    },
  });

  const listener = await listen(serve, { port: options.port ?? 0 });

  const { next: _next, clear, ...scripting } = taskRecords;
  return {
    ...scripting,
    embedding,
    audio,
    url: `${listener.url}/v1`,
    requests: () => [...log],
    refused: () => refused,
    stats: () => ({ ...stats, active, cpuMicros: cpuMicros() }),
    ...{ down: listener.down, up: listener.up, close: listener.close },
    reset() {
      clear();
      embedding.clear();
      audio.clear();
      others.clear();
      log = [];
      refused = 0;
      stats = freshStats();
    },
    async waitFor(fits, timeoutMs = 60_000) {
      const known = log.find(fits);
      if (known) return known;
      return until(changes, 'request', fits, timeoutMs, () => `${stats.requests} requests, ${active} active`);
    },
  };
}

if (import.meta.main) {
  const text = argument('answer', '');
  const key = argument('api-key', '');
  const llm = await startLlm({
    port: Number(argument('port', '0')),
    keepRequests: Number(argument('keep-requests', '1000')),
    ...(text && { answer: { text } }),
    ...(key && { apiKey: key }),
  });
  await serveProcess(llm, llm, Number(argument('control-port', '0')));
}
