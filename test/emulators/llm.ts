/**
 * An OpenAI-compatible model endpoint: `/v1/chat/completions` (streamed or not), `/v1/models`, `/v1/embeddings`,
 * `/v1/audio/*`; and the streams of Anthropic (`/v1/messages`), OpenAI's Responses (`/v1/responses`) and Google.
 * It says what its script says, and without one repeats the last user message, so that the order of answers can be
 * checked. Runs in-process (`startLlm`) or as a process: `node test/emulators/llm.ts --port N`.
 */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './listener.ts';
import { answer, sendJson } from './llm/answer.ts';
import { type AudioPoint, createAudioPoint } from './llm/audio.ts';
import { createEmbeddingPoint, type EmbeddingPoint } from './llm/embeddings.ts';
import { playFault, sendError } from './llm/faults.ts';
import { createOthers } from './llm/others.ts';
import { wrongPicture } from './llm/pictures.ts';
import { checkChat, describe } from './llm/request.ts';
import { createScriptBook, type ScriptBook } from './llm/script.ts';
import { checkAs, type Strictness } from './llm/strict.ts';
import type { LlmRequest, Turn } from './llm/turn.ts';
import { argument, readBody, serveProcess } from './remote.ts';
import { until } from './wait.ts';

export type { LlmFault, LlmRequest, ToolCall, Turn } from './llm/turn.ts';

export interface LlmOptions {
  port?: number;
  /** Required as `Authorization: Bearer <key>` when given. */
  apiKey?: string;
  /** Names of the models there are; any name is served when absent. */
  models?: string[];
  /** What to say when no script does: `echo` (the default), or this text at once to everything. */
  answer?: 'echo' | { text: string };
  /** Whose refusals `/v1/chat/completions` has, beside those that all have. */
  strict?: Strictness;
  /** Refuses what providers refuse of pictures, and more of them than `most`. */
  pictures?: boolean | { most: number } | 'xai';
  /** How many requests the log keeps, newest first to stay; 1000 unless told. */
  keepRequests?: number;
}

export interface LlmStats {
  requests: number;
  /** Chat requests whose answer is not finished. */
  active: number;
  /** Chat requests whose client closed the connection first. */
  aborted: number;
  /** Sizes of chat request bodies. */
  bytes: { total: number; largest: number; last: number };
  /** Microseconds of CPU this process has used. */
  cpuMicros: number;
}

export interface LlmControl extends Omit<ScriptBook, 'next' | 'clear'> {
  requests(): LlmRequest[];
  /** Requests that were refused for what stands in them; they are not in the log. */
  refused(): number;
  stats(): LlmStats;
  /** Connections are refused (listening socket closed, open ones broken) until `up`. */
  down(): void;
  up(): Promise<void>;
  /** Forgets scripts, faults, log and counts. */
  reset(): void;
}

export interface Llm extends LlmControl {
  /** The endpoint for embeddings: what it was asked, and how it goes wrong. */
  embedding: EmbeddingPoint;
  /** The endpoints for recordings and speech. */
  audio: AudioPoint;
  /** The base URL to configure, ending in `/v1`. */
  url: string;
  /** Resolves with the first request, logged or to come, or finished from now on, that fits. */
  waitFor(fits: (request: LlmRequest) => boolean, timeoutMs?: number): Promise<LlmRequest>;
  close(): Promise<void>;
}

const freshStats = () => ({ requests: 0, aborted: 0, bytes: { total: 0, largest: 0, last: 0 } });

/** Starts the endpoint on a loopback port and resolves once it listens. */
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
      // xAI's errors are flat: https://docs.x.ai/docs/guides/image-understanding takes JPEG and PNG alone.
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
    // A stall is ended by the client alone, so its outcome stays open until then.
    if (!turn.fault.startsWith('stall')) request.outcome = 'faulted';
    await playFault(response, turn, request, turn.fault);
  }

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const auth = message.headers.authorization ?? '';
    // Deepgram's own endpoint has another word for it, and looks itself.
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

  const listener = await listen(options.port ?? 0, (message, response) => {
    serve(message, response).catch((error: unknown) => response.destroy(error as Error));
  });

  const { next: _next, clear, ...scripting } = taskRecords;
  return {
    ...scripting,
    embedding,
    audio,
    url: `http://127.0.0.1:${listener.port}/v1`,
    requests: () => [...log],
    refused: () => refused,
    stats: () => {
      const { user, system } = process.cpuUsage();
      return { ...stats, active, cpuMicros: user + system };
    },
    down: () => listener.down(),
    up: () => listener.up(),
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
    close: () => listener.close(),
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
