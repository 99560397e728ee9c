/**
 * The endpoints other than Chat Completions: Anthropic's Messages, OpenAI's Responses, Google's generateContent.
 * Streams only.
 */
import type { ServerResponse } from 'node:http';
import { sendJson } from '../base/http.ts';
import { SSE, withNoise, writeEvents } from './answer.ts';
import { createPromptCache } from './cache.ts';
import { playFault } from './faults.ts';
import { checkGemini, geminiEvents, readGemini } from './gemini.ts';
import { checkMessages, messageEvents, readMessages } from './messages.ts';
import { checkResponses, readResponses, responseEvents } from './responses.ts';
import type { LlmRequest, Turn, WireMessage } from './turn.ts';

type Fields = Record<string, unknown>;
type Read = { system: string; messages: WireMessage[]; tools: string[] };

export interface OthersUse {
  next(body: Fields, bytes: number, read: Read): { request: LlmRequest; turn: Promise<Turn> };
  onRefusal(): void;
}

export function createOthers({ next, onRefusal }: OthersUse) {
  const cache = createPromptCache();

  async function stream(
    response: ServerResponse,
    { request, turn: coming }: ReturnType<OthersUse['next']>,
    eventsOf: (turn: Turn, request: LlmRequest) => Fields[],
  ): Promise<void> {
    const turn = await coming;
    if (turn.fault) {
      request.outcome = 'faulted';
      return playFault(response, turn, request, turn.fault);
    }
    request.outcome = 'answered';
    response.writeHead(200, SSE);
    const list = eventsOf(turn, request).map((event) => {
      const named = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
      return `${named}data: ${JSON.stringify(event)}\n\n`;
    });
    await writeEvents(response, withNoise(list, turn), turn.chunkDelayMs ?? 0);
    response.end();
  }

  function refuse(response: ServerResponse, error: Fields, more: Fields = {}): void {
    onRefusal();
    sendJson(response, 400, { ...more, error });
  }

  async function messages(body: Fields, bytes: number, response: ServerResponse): Promise<void> {
    const type = 'invalid_request_error';
    const wrong = checkMessages(body);
    if (wrong !== undefined) return refuse(response, { type, message: wrong }, { type: 'error' });
    const used = cache.use(body);
    if (typeof used === 'string') return refuse(response, { type, message: used }, { type: 'error' });
    const asked = next(body, bytes, readMessages(body));
    asked.request.cache = used;
    await stream(response, asked, (turn, request) => messageEvents(turn, request, used));
  }

  async function responses(body: Fields, bytes: number, response: ServerResponse): Promise<void> {
    const wrong = checkResponses(body);
    if (wrong) return refuse(response, { code: null, param: null, type: 'invalid_request_error', ...wrong });
    await stream(response, next(body, bytes, readResponses(body)), responseEvents);
  }

  async function gemini(model: string, body: Fields, bytes: number, response: ServerResponse): Promise<void> {
    const wrong = checkGemini(body, model);
    if (wrong !== undefined) return refuse(response, { code: 400, message: wrong, status: 'INVALID_ARGUMENT' });
    await stream(response, next({ ...body, model, stream: true }, bytes, readGemini(body)), geminiEvents);
  }

  return {
    clear: () => cache.clear(),
    /** Returns whether the path is one of these. */
    async answer(url: string, body: Fields, bytes: number, response: ServerResponse): Promise<boolean> {
      const google = /^\/v1\/models\/([^:]+):streamGenerateContent/.exec(url)?.[1];
      if (url === '/v1/messages') await messages(body, bytes, response);
      else if (url === '/v1/responses') await responses(body, bytes, response);
      else if (google !== undefined) await gemini(decodeURIComponent(google), body, bytes, response);
      else return false;
      return true;
    },
  };
}
