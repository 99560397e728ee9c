/**
 * Sends requests to an MCP server over HTTP, each with one bounded answer. The library reads without limit, waits for
 * an answer on a stream that has ended, and keeps a second stream open for messages that nothing here uses; so it only
 * gets complete answers. If one fails, only its call fails.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */

import { isRecord, parseJson } from '../../lib/json.ts';
import { hasHungUp } from './away.ts';
import { linesOf } from './lines.ts';
import { Tokens } from './progress.ts';
import { makeReadable } from './readable.ts';

/** Thrown when one answer is at fault, not the connection. */
class AnswerError extends Error {
  override name = 'AnswerError';
}

/** Thrown when the server has forgotten the session, and so has done nothing. */
class SessionError extends Error {
  override name = 'SessionError';
}

/** The limit for a decompressed answer in bytes, as for a server that is a process. */
const MAX_ANSWER = 32 * 1024 * 1024;
/** The limit for an answer in events, in lines; notifications before the answer count too. */
const MAX_LINES = 50_000;
/** The limit for the body of an error status, in bytes. */
const MAX_ERROR = 64 * 1024;

const NO_ANSWER = 'its answer does not match the request';
const ENDED = 'it ended its answer before it was complete';

/** The answer of a server that doesn't know a method. */
const UNKNOWN_METHOD = { code: -32601, message: NO_ANSWER };

/**
 * Returns a replacement of `fetch` for the library.
 * @throws AnswerError, SessionError, and the errors of `send`
 */
export const answersOf =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const tokens = new Tokens();
    const asked = messageIn(init?.body);
    const sent = asked === undefined ? init : { ...init, body: JSON.stringify(tokens.ask(asked)) };
    try {
      const response = await send(url, sent);
      // A 404 means that, whatever the body says:
      // https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
      if (response.status === 404 && new Headers(init?.headers).has('mcp-session-id')) {
        await response.body?.cancel();
        throw new SessionError('it has forgotten the session');
      }
      return await answerTo(response, asked?.id, tokens);
    } catch (error) {
      // A server that can't answer the first question of the current protocol may still support the previous one, which
      // the library tries next.
      if (asked?.method !== 'server/discover' || !(error instanceof AnswerError || hasHungUp(error))) throw error;
      return Response.json({ jsonrpc: '2.0', id: asked.id, error: UNKNOWN_METHOD });
    }
  };

/** @param id undefined for a message without an answer */
async function answerTo(response: Response, id: unknown, tokens: Tokens): Promise<Response> {
  const { body, status, headers } = response;
  if (!response.ok) return body ? new Response(await beginningOf(body), { status, headers }) : response;
  if (id === undefined) {
    await body?.cancel();
    return new Response(null, { status, headers });
  }
  // The server accepted the request and will answer on the second stream: an older protocol.
  if (!body || status === 202) throw new AnswerError(NO_ANSWER);
  const type = headers.get('content-type') ?? '';
  if (type.includes('application/json')) return new Response(await readAnswerTo(body, id), { status, headers });
  if (!type.includes('text/event-stream')) return new Response(await beginningOf(body), { status, headers });
  const answer = new Response(await eventOf(body, id, tokens), { status, headers });
  answer.headers.set('content-type', 'application/json');
  return answer;
}

function messageIn(body: unknown): Record<string, unknown> | undefined {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return isRecord(message) ? message : undefined;
}

type Body = ReadableStream<Uint8Array>;

async function* readBounded(body: Body): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_ANSWER) throw new AnswerError(`its answer is larger than ${MAX_ANSWER / 1024 / 1024} MB`);
      yield chunk;
    }
  } catch (error) {
    // The error of undici when the connection is cut or idle for five minutes.
    throw error instanceof TypeError ? new AnswerError(ENDED, { cause: error }) : error;
  }
}

async function beginningOf(body: Body): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of readBounded(body)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_ERROR) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_ERROR);
}

async function readAnswerTo(body: Body, id: unknown): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readBounded(body)) chunks.push(chunk);
  const answer = answerIn(Buffer.concat(chunks).toString(), id);
  // The library would wait for the right one.
  if (answer === undefined) throw new AnswerError(NO_ANSWER);
  return answer;
}

/** Reads events up to the answer. Earlier events only matter if they report progress; later ones are not awaited. */
async function eventOf(body: Body, id: unknown, tokens: Tokens): Promise<string> {
  let data: string[] = [];
  let count = 0;
  for await (const line of linesOf(readBounded(body))) {
    if (++count > MAX_LINES) throw new AnswerError(`its answer has more than ${MAX_LINES} lines`);
    if (line.startsWith('data:')) data.push(line.slice(5));
    if (line !== '') continue;
    const event = data.join('\n');
    const answer = answerIn(event, id);
    if (answer !== undefined) return answer;
    hear(event, tokens);
    data = [];
  }
  throw new AnswerError(ENDED);
}

function hear(text: string, tokens: Tokens): void {
  if (!text.includes('notifications/progress')) return;
  const message = parseJson(text);
  if (isRecord(message) && typeof message.method === 'string') tokens.note(message.method, message.params);
}

/**
 * Returns the message if it is the answer. An error of a server that could not tell which call it belongs to counts as
 * the answer.
 */
function answerIn(text: string, id: unknown): string | undefined {
  if (text === '') return undefined;
  try {
    const message = makeReadable(JSON.parse(text));
    if (typeof message !== 'object' || message === null || 'method' in message) return undefined;
    const given = 'id' in message ? message.id : null;
    if (given === null && 'error' in message) return JSON.stringify({ ...message, id });
    return String(given) === String(id) ? JSON.stringify(message) : undefined;
  } catch (error) {
    // JSON too deep to be written again isn't an answer either.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
