/** `POST /v1/chat/completions` and `GET /v1/models`, with the tokens, people and limits of the protocol. */
import type http from 'node:http';
import type { ProtocolParts } from '../../board/protocol/parts.ts';
import { MAX_BODY, RequestError, readBody, sendJson } from '../../board/respond.ts';
import { say } from '../../messages/messages.ts';
import type { BoardAt, BoardRequest, BoardRoute } from '../../runtime/contract/board.ts';
import { configOf, type Gateway } from '../gateway.ts';
import type { ChatCall } from './call.ts';
import { type EnteredInto, enterMessage } from './enter.ts';
import { requestKey } from './history.ts';
import { findModel, modelsFor, viberForModel } from './models.ts';
import { openRequestRecords } from './records.ts';
import { streamReply, wholeReply } from './reply.ts';
import { type ChatRequest, chatRequest, readWords } from './request.ts';
import { Turns } from './turns.ts';

const BODY_MS = 600_000;
/** Without streaming, nothing is sent until the run has ended, so the connection may be silent for this long. */
const SILENCE_MS = 6 * 3_600_000;
const MAX_KEY = 255;

export function openaiRoutes(at: BoardAt, gw: Gateway): BoardRoute[] {
  const parts = at.protocol as ProtocolParts;
  const records = openRequestRecords(parts.answered);
  const to = { parts, records, turns: new Turns(parts, records) };
  const maxBytes = MAX_BODY + 2 * Math.ceil((configOf(gw).limits.downloadBytes * 4) / 3);
  return [
    chatRoute('GET', '/v1/models', async ({ response, caller }) =>
      sendJson(response, 200, { object: 'list', data: modelsFor(caller, gw) }),
    ),
    chatRoute('GET', '/v1/models/*model', async ({ response, caller, params }) =>
      sendJson(response, 200, findModel(params.model ?? '', caller, gw)),
    ),
    {
      ...chatRoute('POST', '/v1/chat/completions', async (given) => {
        const request = await readBody(given, chatRequest, maxBytes);
        await answerChat(given, request, chatCallOf(given, request, at, gw), to);
      }),
      silenceMs: SILENCE_MS,
      bodyMs: BODY_MS,
    },
    ...(['GET', 'POST'] as const).map((method) =>
      chatRoute(method, '/v1/*name', async () => {
        throw new RequestError(404, 'unknown_url', say('programs.onlyChat'));
      }),
    ),
  ];
}

const chatRoute = (method: BoardRoute['method'], path: string, handle: BoardRoute['handle']): BoardRoute => ({
  method,
  path,
  asks: 'caller',
  refusal: ({ code, message, field }, status) => ({
    error: { message, type: TYPES[status] ?? 'invalid_request_error', param: field ?? null, code },
  }),
  handle,
});

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'server_error',
};

async function answerChat(given: BoardRequest, request: ChatRequest, call: ChatCall, to: EnteredInto): Promise<void> {
  const { response } = given;
  const { turn, accepted } = await enterMessage(call, to);
  const reply = {
    response,
    accepted,
    model: request.model,
    origin: call.origin,
    ignored: call.words.ignored,
    withUsage: request.stream_options?.include_usage === true,
  };
  const listener = request.stream === true ? streamReply(reply) : wholeReply(reply);
  let isHeardOut = false;
  const leave = turn.listen({
    text: listener.text,
    end(ending, rest) {
      response.once('finish', () => {
        isHeardOut = true;
        to.turns.heard(call.key, ending.end);
      });
      listener.end(ending, rest);
    },
  });
  if (response.destroyed && !isHeardOut) leave();
  else response.once('close', leave);
}

/** @throws {RequestError} */
function chatCallOf({ request, caller }: BoardRequest, body: ChatRequest, at: BoardAt, gw: Gateway): ChatCall {
  const { headers } = request;
  const { stream: _stream, stream_options: _options, ...kept } = body;
  const text = JSON.stringify(kept);
  const name = oneHeader(headers, 'idempotency-key');
  if (name !== undefined && name.length > MAX_KEY)
    throw new RequestError(400, 'bad_request', say('requests.key', { n: MAX_KEY }));
  const chat = oneHeader(headers, 'x-conversation-id') ?? body.metadata?.conversation_id;
  const conversation = typeof chat === 'string' && chat !== '' ? chat.slice(0, 1_000) : undefined;
  const users = ['x-openwebui-user-id', 'x-openwebui-chat-id'].map((header) => oneHeader(headers, header) ?? '');
  return {
    caller,
    words: readWords(body),
    viber: viberForModel(body.model, caller, gw),
    body: requestKey(caller.id, text),
    key: requestKey(
      caller.id,
      name === undefined ? JSON.stringify([text, conversation ?? '', ...users]) : `key ${name}`,
    ),
    hasIdempotencyKey: name !== undefined,
    isRetry: Number(oneHeader(headers, 'x-stainless-retry-count') ?? 0) > 0,
    scope: [caller.id, body.model, body.user ?? '', body.safety_identifier ?? '', ...users],
    conversation,
    origin: at.places.originOf(request) ?? `http://127.0.0.1:${at.port}`,
  };
}

function oneHeader(headers: http.IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
