/**
 * The `fetch` that providers' libraries use: based on node:http, at half the cost of the built-in one, with limits.
 * Invariants: requests are scrubbed of known secrets (promise 57); redirects are never followed, because the request
 * carries a key and a conversation; an answer beyond its size limit is not read further, and one that breaks off never
 * ends as if complete; events that carry nothing are left out.
 */

import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import { isRecord, parseJson } from '../../lib/json.ts';
import { scrub } from '../../log.ts';

/** Thrown for an answer that exceeds every plausible size. */
export class EndlessError extends Error {
  override name = 'EndlessError';
}

const EVENTS = 'text/event-stream';
const MB = 1_048_576;
/**
 * Limits for one line of a stream and for the whole stream, in bytes: each token comes with some 300 bytes around it.
 */
const MAX_LINE = MB;
const MAX_STREAM = 64 * MB;
/** The limit for an answer in one piece, in bytes: we ask for at most 128 vectors of 3,072 numbers. */
const MAX_BODY = 16 * MB;
/** The limit for an error response, in bytes: the important part comes first. */
const MAX_REFUSAL = 65_536;

/**
 * Reads an answer piece by piece.
 * @throws EndlessError
 */
interface Take {
  /** Returns what the reader gets for a piece; undefined once it has enough. */
  piece(piece: Bytes): Bytes | undefined;
  /** Returns what the reader gets when the answer has ended. */
  end?(): Bytes;
}
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * @param connectMs limits name lookup, connection and TLS together
 * @param shape of the requested events; absent if none are requested
 */
export function createFetch(connectMs: number, shape?: Shape): typeof fetch {
  const options = { keepAlive: true, ...(process.env.NODE_USE_ENV_PROXY === '1' && { proxyEnv: process.env }) };
  const agents = { 'http:': new Agent(options), 'https:': new SecureAgent(options) };
  return async (input, { method = 'POST', headers, body, signal } = {}) => {
    if (typeof body !== 'string') throw new TypeError('only text is sent');
    const url = new URL(input instanceof Request ? input.url : input);
    const secure = url.protocol === 'https:';
    // The libraries pass plain objects; converting them to `Headers` would be a detour.
    const given = headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(headers) : headers;
    const sent = { ...given, 'accept-encoding': 'identity' };
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method,
      headers: sent,
      agent: agents[secure ? 'https:' : 'http:'],
      ...(signal && { signal }),
    });
    const failure = (cause: unknown) => (signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    const late = setTimeout(
      () => request.destroy(systemError('ETIMEDOUT', `no connection in ${connectMs} ms`)),
      connectMs,
    );
    const connected = () => clearTimeout(late);
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', connected);
      else connected();
    });
    request.once('close', connected);
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', (error) => reject(failure(error)));
      request.end(scrub(body));
    });
    return toResponse(message, failure, shape);
  };
}

function toResponse(message: IncomingMessage, failure: (cause: unknown) => unknown, shape?: Shape): Response {
  const { statusCode: status = 0 } = message;
  const encoding = message.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    message.destroy();
    throw failure(new Error(`unwanted encoding ${encoding}`));
  }
  const headers = Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]);
  if ([204, 205, 304].includes(status)) return new Response(null, { status, headers });
  const isOk = status >= 200 && status < 300;
  const isStream = message.headers['content-type']?.toLowerCase().startsWith(EVENTS) === true;
  const answer = () => (shape === 'chat' ? takeAnyForm() : isStream ? takeEvents(shape) : takeAtMost(MAX_BODY));
  return new Response(reading(message, failure, isOk ? answer() : takeRefusal()), { status, headers });
}

function reading(message: IncomingMessage, failure: (cause: unknown) => unknown, take: Take): ReadableStream<Bytes> {
  let isOpen = true;
  return new ReadableStream<Bytes>({
    start(controller) {
      const end = (how: () => void) => {
        if (isOpen) how();
        isOpen = false;
      };
      message.on('data', (piece: Bytes) => {
        if (!isOpen) return;
        try {
          const taken = take.piece(piece);
          if (taken && taken.length > 0) controller.enqueue(taken);
          if (!taken) end(() => controller.close());
        } catch (error) {
          end(() => controller.error(error));
        }
        if (!isOpen) message.destroy();
        else if ((controller.desiredSize ?? 0) <= 0) message.pause();
      });
      message.once('end', () =>
        end(() => {
          const last = take.end?.();
          if (last && last.length > 0) controller.enqueue(last);
          controller.close();
        }),
      );
      message.on('error', (error) => end(() => controller.error(failure(error))));
      message.once('close', () =>
        end(() => controller.error(failure(systemError('ECONNRESET', 'the answer broke off')))),
      );
    },
    pull: () => void message.resume(),
    cancel() {
      isOpen = false;
      message.destroy();
    },
  });
}

const systemError = (code: string, message: string): Error => Object.assign(new Error(message), { code });

function takeRefusal(): Take {
  let total = 0;
  return {
    piece(piece) {
      total += piece.length;
      return total > MAX_REFUSAL ? undefined : piece;
    },
  };
}

function takeAtMost(most: number): Take {
  let total = 0;
  return {
    piece(piece) {
      total += piece.length;
      if (total > most) throw new EndlessError('the answer does not come to an end');
      return piece;
    },
  };
}

const NOTHING: Bytes = new Uint8Array();

/** Reads Chat Completions whatever the content type: events, one JSON body, or one per line. */
function takeAnyForm(): Take {
  let take: Take | undefined;
  return {
    piece(piece) {
      if (!take) {
        const first = new TextDecoder().decode(piece).trimStart().at(0);
        if (first === undefined) return NOTHING;
        take = /[{[]/.test(first) ? takeBodies() : takeEvents('chat');
      }
      return take.piece(piece);
    },
    end: () => take?.end?.() ?? NOTHING,
  };
}

function takeBodies(): Take {
  const measure = takeAtMost(MAX_BODY);
  const pieces: Bytes[] = [];
  return {
    piece(piece) {
      measure.piece(piece);
      pieces.push(piece);
      return NOTHING;
    },
    end() {
      const text = Buffer.concat(pieces).toString();
      const bodies = parseJson(text) === undefined ? text.split('\n') : [text.replace(/[\r\n]+/g, ' ')];
      const carried = createCarrier('chat');
      const events = [...bodies, '[DONE]'].flatMap(carried);
      return new TextEncoder().encode(events.map((event) => `data: ${event}\n\n`).join(''));
    },
  };
}

/** Reads whole lines of server-sent events. Data of several lines, which no provider writes, is passed on unchanged. */
function takeEvents(shape: Shape | undefined): Take {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const measure = takeAtMost(MAX_STREAM);
  const carried = shape && createCarrier(shape);
  let pending = '';
  let isAfterReturn = false;
  /** Writes every line end as \n: a return alone ends a line too, and the \n after it may come with the next piece. */
  const linesIn = (text: string): string => {
    const rest = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') isAfterReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  };
  const read = (lines: string) =>
    encoder.encode(carried ? lines.replace(DATA, (_line, data: string) => dataLine(carried(data))) : lines);
  return {
    piece(piece) {
      measure.piece(piece);
      pending += linesIn(decoder.decode(piece, { stream: true }));
      const end = pending.lastIndexOf('\n') + 1;
      if (pending.length - end > MAX_LINE) throw new EndlessError('a line of the answer does not come to an end');
      const lines = pending.slice(0, end);
      pending = pending.slice(end);
      return read(lines);
    },
    // Some servers omit the empty line after the last event.
    end: () => read(`${pending}\n\n`),
  };
}

const DATA = /^data:[ \t]?([^\n]*)/gm;

/** Replaces events that carry nothing with a comment, which readers ignore. */
const dataLine = (events: readonly string[]): string =>
  events.length === 0 ? ':' : events.map((data) => `data: ${data}`).join('\n\n');

/** Chat Completions, Anthropic's Messages, OpenAI's Responses, Google's generateContent. */
export type Shape = 'chat' | 'messages' | 'responses' | 'gemini';

const DONE = '[DONE]';
const ENDED = /"finish_reason"\s*:\s*"[^"]/;
/** Inserted for servers that mark the end of a stream without giving a finish reason. */
const END = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}';

/**
 * Returns a function that takes the events of one stream in order and returns, for each, the events that its reader
 * accepts.
 */
function createCarrier(shape: Shape): (data: string) => readonly string[] {
  const isWanted = shape === 'messages' ? createBlocks() : () => true;
  let has: 'nothing' | 'begun' | 'ended' | 'done' = 'nothing';
  return (data) => {
    if (shape !== 'chat') return [carriedBy(shape, data)].filter((event) => event !== undefined).filter(isWanted);
    if (has === 'done') return [];
    if (data.trim() === DONE) {
      const missing = has === 'begun' ? [END] : [];
      has = 'done';
      return [...missing, DONE];
    }
    const event = carriedBy(shape, data);
    if (event === undefined) return [];
    if (ENDED.test(event)) has = 'ended';
    else if (has === 'nothing') has = 'begun';
    return [event];
  };
}

/** Returns an event's data as its reader accepts it; undefined for an event that carries nothing. */
export function carriedBy(shape: Shape, data: string): string | undefined {
  if (shape === 'chat' && PLAIN.test(data) && !HOLLOW.test(data)) return withReadableUsage(data);
  const text = data.trim();
  if (text === DONE) return data;
  // A word such as `ping`; a torn piece of JSON has at least one of these characters.
  if (!/[[\]{}"]/.test(text)) return undefined;
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return data;
    throw error;
  }
  if (!isRecord(event)) return undefined;
  if (isSaid(event.error)) return data;
  const carried = READERS[shape](event);
  if (carried === undefined) return undefined;
  const read = carried === event ? data : JSON.stringify(carried);
  return shape === 'chat' ? withReadableUsage(read) : read;
}

type Event = Record<string, unknown>;

const PLAIN = /"choices"\s*:\s*\[\s*\{/;
/**
 * Matches pieces with empty fields (an error, a finish reason, a call), and pieces that use another form than usual:
 * arguments as an object, a number as text, a text as a number, a message instead of a delta.
 */
const HOLLOW = new RegExp(
  [
    String.raw`"error"\s*:\s*(?:""|\{\s*\})|"finish_reason"\s*:\s*""|"tool_calls"\s*:\s*\[(?![^\]]*"function"\s*:\s*\{)`,
    String.raw`"arguments"\s*:\s*[[{]|"(?:index|created)"\s*:\s*"|"(?:id|model)"\s*:\s*[-\d{[tf]|"message"\s*:\s*\{`,
    String.raw`"role"\s*:\s*"(?!assistant"|")|"(?:content|finish_reason)"\s*:\s*[-\d{tf]|"reasoning(?:_content)?"\s*:\s*[-\d{[tf]`,
  ].join('|'),
);

/** Some servers write `"error": null`, or an empty error, in every piece of a healthy answer. */
const isSaid = (error: unknown): boolean =>
  error !== undefined &&
  error !== null &&
  error !== '' &&
  !(typeof error === 'object' && Object.keys(error).length === 0);

function choiceOf(choice: Event): Event {
  const { delta: piece, message, finish_reason: reason, ...rest } = choice;
  const delta = isRecord(piece) ? piece : message;
  const said = typeof reason === 'string' && reason !== '' ? reason : null;
  if (!isRecord(delta)) return { ...choice, finish_reason: said };
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isRecord) : [];
  const whole = calls.filter((call) => isRecord(call.function)).map(callOf);
  return {
    ...rest,
    finish_reason: said,
    delta: {
      ...spoken(delta),
      ...(delta.tool_calls !== undefined && { tool_calls: whole.length > 0 ? whole : undefined }),
    },
  };
}

/** Returns a piece with its texts as strings and without its role, because only one role answers. */
function spoken({ role: _role, ...delta }: Event): Event {
  const words = ['content', 'reasoning', 'reasoning_content'].flatMap((key) =>
    key in delta && !(key === 'content' && Array.isArray(delta[key])) ? [[key, textOf(delta[key])]] : [],
  );
  return { ...delta, ...Object.fromEntries(words) };
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(textOf).join('');
  return isRecord(value) ? textOf(value.text ?? value.content) : null;
}

function callOf(call: Event): Event {
  const { arguments: given, ...named } = isRecord(call.function) ? call.function : {};
  const asText = typeof given === 'object' && given !== null ? JSON.stringify(given) : given;
  const { index, id, ...rest } = call;
  return {
    ...rest,
    ...(index !== undefined && { index: Number(index) }),
    ...(id !== undefined && { id: typeof id === 'number' ? String(id) : id }),
    function: { ...named, ...(given !== undefined && { arguments: asText }) },
  };
}

/** Keeps the fields around the choices that are readable: none of them is worth losing the answer for. */
function headOf({ id, model, created, ...rest }: Event): Event {
  return {
    ...rest,
    ...(id !== undefined && { id: id === null ? null : String(id) }),
    ...(typeof model === 'string' && { model }),
    ...(typeof created === 'number' && { created }),
  };
}

const READERS: Readonly<Record<Shape, (event: Event) => Event | undefined>> = {
  chat(event) {
    // The form in which vLLM reports a failure.
    if (event.object === 'error') return { error: event };
    const given = Array.isArray(event.choices) ? event.choices : [];
    const choices = given.filter(isRecord).map(choiceOf);
    const { error: none, ...rest } = event;
    const kept = none === undefined || none === null ? event : rest;
    return choices.length === 0 && !isRecord(event.usage) ? undefined : { ...headOf(kept), choices };
  },
  // Anthropic's documentation announces events of new types, which readers must ignore.
  messages(event) {
    if (typeof event.type !== 'string' || !MESSAGES.has(event.type)) return undefined;
    if (event.type === 'content_block_delta' && !isRecord(event.delta)) return undefined;
    if (event.type === 'message_start' && isRecord(event.message) && !isRecord(event.message.usage))
      return { ...event, message: { ...event.message, usage: { input_tokens: 0, output_tokens: 0 } } };
    if (event.type !== 'message_delta') return event;
    // A delta without a stop reason would overwrite the one that had it.
    if (!isRecord(event.delta) || !isSaid(event.delta.stop_reason)) return undefined;
    return isRecord(event.usage) ? event : { ...event, usage: { output_tokens: 0 } };
  },
  responses: (event) => (typeof event.type === 'string' ? event : undefined),
  gemini(event) {
    if (event.candidates === undefined || event.candidates === null)
      return isRecord(event.usageMetadata) || isRecord(event.promptFeedback) ? event : undefined;
    if (!Array.isArray(event.candidates)) return event;
    const candidates = event.candidates.filter(isRecord).map((candidate: Event) => {
      const { content } = candidate;
      if (!isRecord(content) || !Array.isArray(content.parts)) return candidate;
      return { ...candidate, content: { ...content, parts: content.parts.filter(isRecord) } };
    });
    return { ...event, candidates };
  },
};

const MESSAGES: ReadonlySet<string> = new Set([
  ...['message_start', 'message_delta', 'message_stop', 'ping', 'error'],
  ...['content_block_start', 'content_block_delta', 'content_block_stop'],
]);

/** The blocks and pieces that the library knows: an unknown one would make it discard the whole answer. */
const BLOCKS: ReadonlySet<string> = new Set([
  ...['text', 'thinking', 'redacted_thinking', 'compaction', 'fallback', 'tool_use', 'server_tool_use', 'mcp_tool_use'],
  ...['mcp_tool_result', 'web_fetch_tool_result', 'web_search_tool_result', 'code_execution_tool_result'],
  ...['bash_code_execution_tool_result', 'text_editor_code_execution_tool_result', 'tool_search_tool_result'],
  'advisor_tool_result',
]);
const PIECES: ReadonlySet<string> = new Set([
  ...['input_json_delta', 'text_delta', 'thinking_delta', 'signature_delta', 'compaction_delta', 'citations_delta'],
]);
const OF_BLOCKS = /"type"\s*:\s*"content_block_/;

/** Returns a function that tells whether an Anthropic event belongs to a known block. */
function createBlocks(): (data: string) => boolean {
  const unknown = new Set<unknown>();
  return (data) => {
    const event = OF_BLOCKS.test(data) ? parseJson(data) : undefined;
    if (!isRecord(event)) return true;
    const { type, index, content_block: block, delta } = event;
    if (type === 'content_block_start' && isRecord(block) && !BLOCKS.has(String(block.type))) unknown.add(index);
    return !unknown.has(index) && (!isRecord(delta) || PIECES.has(String(delta.type)));
  };
}

/** An event that reports usage; most say `"usage":null` or don't mention it. */
const REPORTS = /"usage"\s*:\s*[^n\s]/;
/** The largest plausible count of a call. */
const MAX_COUNT = 100_000_000;

/** Returns an event's data with readable usage. */
function withReadableUsage(data: string): string {
  if (!REPORTS.test(data)) return data;
  const chunk = parseJson(data);
  if (!isRecord(chunk) || !('usage' in chunk)) return data;
  return JSON.stringify({ ...chunk, usage: readableUsage(chunk.usage) });
}

/** Returns null for a value without information. */
function readableUsage(given: unknown): Record<string, unknown> | null {
  if (!isRecord(given) || Array.isArray(given)) return null;
  const numbers = (of: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(of).flatMap(([key, value]) => (countOf(value) === undefined ? [] : [[key, countOf(value)]])),
    );
  const flat = numbers(given);
  const details = Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) =>
      isRecord(value) && !Array.isArray(value) ? [[key, numbers(value)]] : [],
    ),
  );
  const cached = flat.prompt_cache_hit_tokens ?? flat.cached_tokens;
  const ofPrompt = details.prompt_tokens_details ?? {};
  return {
    ...flat,
    ...details,
    prompt_tokens: flat.prompt_tokens ?? flat.input_tokens ?? null,
    completion_tokens: flat.completion_tokens ?? flat.output_tokens ?? null,
    ...(cached !== undefined && ofPrompt.cached_tokens === undefined
      ? { prompt_tokens_details: { ...ofPrompt, cached_tokens: cached } }
      : {}),
  };
}

/** Some providers write numbers as text; negative counts are ignored. */
function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && count >= 0 && count <= MAX_COUNT ? Math.ceil(count) : undefined;
}
