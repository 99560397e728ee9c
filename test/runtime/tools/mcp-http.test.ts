import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { McpServers } from '../../../src/features/mcp/servers.ts';
import { silentLog } from '../../../src/log.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { listen, sendJson } from '../../emulators/base/http.ts';
/**
 * @param act what the tool `act` does; every other tool answers
 * @param discover answers the question what the server speaks; without it, it is not known
 */
import { inputSchema, type McpAsked, startMcp, textResult as text } from '../../emulators/mcp.ts';
import { eventually } from '../../helpers/eventually.ts';
import { toolScope } from '../../helpers/scope.ts';
import { tempFolder } from '../../helpers/temp.ts';

async function open(act: (asked: McpAsked) => unknown, offered: object[] = [], discover?: (asked: McpAsked) => void) {
  const gets: string[] = [];
  const url = await startMcp({
    tools: [{ name: 'act', inputSchema }, { name: 'other', inputSchema }, ...offered],
    call: (asked) => (asked.params.name === 'act' ? act(asked) : asked.json(text('done'))),
    first(asked) {
      const isAsked = discover !== undefined && asked.method === 'server/discover';
      if (isAsked) discover(asked);
      return isAsked;
    },
    other(request, response) {
      gets.push(request.method ?? '');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    },
  });
  const home = await openHome(tempFolder());
  const mcp = new McpServers({ servers: { web: { url, trusted: false } }, log: silentLog() });
  onTestFinished(() => mcp.close());
  const tools = await mcp.tools(toolScope(home));
  const call = async (name: string) => {
    const tool = tools.find((each) => each.name === name);
    return tool?.execute({}, { signal: new AbortController().signal, callId: 'c1' });
  };
  const health = () => mcp.health()[0];
  const bytesOf = (ref: string) => readFileSync(path.join(home.root, ref), 'utf8');
  return { call, tools, health, gets, bytesOf };
}

/** Writes without end, as fast as it is taken. */
function pour(response: ServerResponse, chunk: string): void {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

const MB = 1024 * 1024;

const NOTE = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: {} })}\n\n`;
const CLOSED = { code: -32000, message: 'The issue is closed: ECONNRESET' };
const UNNAMED = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not like this"}}';
const [LARGE, OTHER] = [
  'The server web failed: its answer is larger than 32 MB',
  'its answer does not match the request',
];
const plain =
  (body: string | ((id: unknown) => string), type = 'application/json', flood?: string) =>
  ({ response, id }: McpAsked) => {
    const text = typeof body === 'string' ? body : body(id);
    response.writeHead(200, { 'content-type': type });
    if (flood === undefined) return response.end(text);
    response.write(text);
    return pour(response, flood);
  };
const EVENTS = 'text/event-stream';

// biome-ignore format: a row is a line
test.each<[string, (asked: McpAsked) => unknown, string]>([
  ['without end', plain((id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`, undefined, 'x'.repeat(MB)), LARGE],
  ['that is an event without end', plain('data: ', EVENTS, 'x'.repeat(MB)), 'its answer is larger than 32 MB'],
  ['of events that nobody asked for', plain('', EVENTS, NOTE.repeat(1000)), 'its answer has more than 50000 lines'],
  ['that a stream ends without', plain(NOTE, EVENTS), 'The server web failed: it ended its answer before it was complete'],
  ['that is an error in the words of a tool', plain((id) => JSON.stringify({ jsonrpc: '2.0', id, error: CLOSED })), 'The issue is closed'],
  ['that is a batch', plain('[{"jsonrpc":"2.0","method":"x"},{}]'), OTHER],
  ['to another question', plain('{"jsonrpc":"2.0","id":4711,"result":{}}'), OTHER],
  ['that is a note', plain('{"jsonrpc":"2.0","method":"x"}'), OTHER],
  ['that is half of one', plain('{"jsonrpc":"2.0","id":'), OTHER],
  ['that is nothing', plain(''), OTHER],
  ['that only acknowledges', ({ response }) => response.writeHead(202).end(), 'its answer does not match'],
  ['that is an error of no question', plain(UNNAMED), 'not like this'],
  ['that is an error of no question, as an event', plain(`event: message\r\ndata: ${UNNAMED}\r\n\r\n`, EVENTS), 'not like this'],
  ['that is nested without end', plain((id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[${'['.repeat(MB)}${']'.repeat(MB)}]}}`), 'its answer does not match'],
])('an answer %s fails that call alone, at once', async (_what, act, words) => {
  const { call, health } = await open(act);
  await expect(call('web_act')).rejects.toThrow(words);
  expect(health()?.state).toBe('connected');
  expect(await call('web_other')).toEqual({ text: 'done' });
});

test('an answer in events, after notes, is taken; so is one that the server does not end', async () => {
  const { call } = await open(({ id, events, response }) => {
    events({ method: 'notifications/message', params: {} }, { id, result: text('fine') });
    response.write(': still here\n\n');
  });
  expect(await call('web_act')).toEqual({ text: 'fine' });
  expect(await call('web_act')).toEqual({ text: 'fine' });
});

test.each([500, 429, 400])('%i for one call fails that call, not those beside it', async (status) => {
  const slow = Promise.withResolvers<() => void>();
  let calls = 0;
  const { call, health } = await open(({ response, json }) => {
    if (++calls === 1) return slow.resolve(() => json(text('late')));
    response.writeHead(status, { 'content-type': 'text/plain' });
    return response.end('x'.repeat(5 * MB));
  });
  const first = call('web_act');
  const answer = await slow.promise;
  await expect(call('web_act')).rejects.toThrow(`HTTP ${status}`);
  expect(health()?.state).toBe('connected');
  answer();
  expect(await first).toEqual({ text: 'late' });
});

const olderVersions = { code: -32022, message: 'another version', data: { supported: ['2025-11-25'] } };

test.each<[string, (asked: McpAsked) => unknown]>([
  ['202', ({ response }) => response.writeHead(202).end()],
  ['204', ({ response }) => response.writeHead(204).end()],
  ['nothing', plain('')],
  ['{}', plain('{}')],
  ['a stream that ends', plain(': \n\n', EVENTS)],
  ['a hang-up', ({ response }) => response.socket?.destroy()],
  ['older versions', ({ id, events }) => events({ id, error: olderVersions })],
  [
    'older versions and 400',
    ({ id, response }) => sendJson(response, 400, { jsonrpc: '2.0', id, error: olderVersions }),
  ],
])('a server that answers the question what it speaks with %s is connected to without it', async (_what, discover) => {
  const { call, health } = await open(({ json }) => json(text('fine')), [], discover);
  expect(health()).toMatchObject({ state: 'connected', tools: 2 });
  expect(await call('web_act')).toEqual({ text: 'fine' });
});

test.each(['application/json', EVENTS])('null for what is left out costs no answer, as %s', async (type) => {
  const result = { ...text('fine'), _meta: null };
  const answer = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, error: null, result });
  const act = plain((id) => (type === EVENTS ? `data: ${answer(id)}\n\n` : answer(id)), type);
  const { call, tools } = await open(act, [{ name: 'bare', description: null }]);
  expect(tools.map(({ name }) => name)).toEqual(['web_act', 'web_other', 'web_bare']);
  expect(await call('web_act')).toEqual({ text: 'fine' });
});

test.each<[string, object]>([
  ['in lines', { type: 'image', data: 'aGVs\r\nbG8/Pj4=\n', mimeType: 'image/png' }],
  ['without padding', { type: 'image', data: 'aGVsbG8/Pj4', mimeType: 'image/png' }],
  ['as for addresses', { type: 'image', data: 'aGVsbG8_Pj4', mimeType: 'image/png' }],
  ['as an address', { type: 'image', data: 'data:image/png;base64,aGVsbG8/Pj4=', mimeType: 'image/png' }],
  ['as an address alone', { type: 'image', data: 'data:image/png;base64,aGVsbG8/Pj4=', mimeType: null }],
  ['of a resource', { type: 'resource', resource: { uri: 'x://y', blob: 'aGVsbG8/\nPj4', mimeType: 'image/png' } }],
])('a picture whose base64 is %s is kept', async (_what, picture) => {
  const { call, bytesOf } = await open(({ json }) => json({ content: [picture] }));
  const { artifacts } = Object(await call('web_act'));
  expect(artifacts).toMatchObject([{ ref: expect.stringMatching(/\.png$/) }]);
  expect(bytesOf(artifacts[0].ref)).toBe('hello?>>');
});

test('a picture without a type is kept all the same', async () => {
  const { call } = await open(({ json }) => json({ content: [{ type: 'image', data: 'aGVsbG8=' }] }));
  expect(await call('web_act')).toMatchObject({ artifacts: [{ id: expect.any(String) }] });
});

test('no second stream is held open for what nobody reads', async () => {
  const { call, gets } = await open(({ json }) => json(text('done')));
  await call('web_act');
  expect(gets).toEqual([]);
});

test('a tool whose description is a book is not offered', async () => {
  const huge = { name: 'huge', inputSchema, description: 'x'.repeat(MB) };
  const { tools } = await open(({ json }) => json(text('done')), [huge]);
  expect(tools.map(({ name }) => name)).toEqual(['web_act', 'web_other']);
});

test('a server that is gone is told as gone', async () => {
  const { call, health } = await open(({ response }) => response.socket?.destroy());
  await expect(call('web_act')).rejects.toThrow('The server web failed');
  await eventually(() =>
    expect(health()).toMatchObject({ state: 'failed', problem: expect.stringMatching(/mcp\.web/) }),
  );
});

const PAGE = '<!DOCTYPE html>\n<html><head><title>Error</title></head><body><pre>Cannot POST /sse</pre></body></html>';

test.each<[number, string, string, RegExp]>([
  [404, 'text/html', PAGE, /no calls at this address \(HTTP 404\): look at its url, which often ends in \/mcp/],
  [405, 'text/plain', 'Method Not Allowed', /\(HTTP 405\): look at its url/],
  [
    401,
    'application/json',
    '{"error":"invalid_token"}',
    /let us in \(HTTP 401\): look at its headers; it says: .*invalid_token/,
  ],
  [403, 'text/html', PAGE, /let us in \(HTTP 403\): look at its headers$/],
  [502, 'text/html', PAGE, /it is in trouble \(HTTP 502\)$/],
  [400, 'text/html', `No session. ${PAGE}`, /\(HTTP 400\): No session\.$/],
  [200, 'text/html', PAGE, /no server of tools answers there, but a page \(text\/html\): look at its url$/],
  [0, '', '', /nobody listens there, so start it or look at its url \(ECONNREFUSED\)$/],
])('an address that answers with %i is told in words, without a page', async (status, type, body, words) => {
  const { url: origin, close } = await listen((_request, response) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  );
  onTestFinished(close);
  const url = `${origin}/sse`;
  if (status === 0) await close();
  const mcp = new McpServers({ servers: { web: { url, trusted: false } }, log: silentLog() });
  onTestFinished(() => mcp.close());
  const [found] = await mcp.survey();
  expect(found?.problem).toMatch(/^The server web \(mcp\.web\) is not there: /);
  expect(found?.problem).toMatch(words);
  expect(found?.problem).not.toContain('<');
});

interface Sessions {
  url: string;
  /** Begins another one, and forgets the one before. */
  renew(): void;
  /** What each call of the tool met. */
  met: string[];
}

/**
 * @param forgotten the body of 404 for a session that is no more
 * @param takesCalls false: every call is refused so
 */
async function serveSessions(forgotten: string, takesCalls = true): Promise<Sessions> {
  let session = 1;
  const met: string[] = [];
  const url = await startMcp({
    tools: [{ name: 'act', inputSchema }],
    call: ({ json }) => json(text('done')),
    headers: () => ({ 'mcp-session-id': `s${session}` }),
    first({ id, method, request, response }) {
      const own = request.headers['mcp-session-id'];
      const isKnown = own === `s${session}`;
      const isCall = method === 'tools/call';
      if (isCall) met.push(`${own} ${isKnown}`);
      const isRefused = method !== 'initialize' && own !== undefined && (!isKnown || (isCall && !takesCalls));
      if (isRefused)
        response.writeHead(404, { 'content-type': 'application/json' }).end(forgotten.replace('ID', String(id)));
      return isRefused;
    },
  });
  return { url, met, renew: () => void session++ };
}

async function openSessions({ url }: Sessions) {
  const mcp = new McpServers({ servers: { web: { url, trusted: false } }, log: silentLog() });
  onTestFinished(() => mcp.close());
  const [tool] = await mcp.tools(toolScope(await openHome(tempFolder())));
  return { mcp, call: async () => tool?.execute({}, { signal: new AbortController().signal, callId: 'c1' }) };
}

test.each(
  // biome-ignore format: a row is a line
  [
    ['words', 'Session not found'],
    ['an error that names no question', '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'],
    ['an error of its own', '{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}'],
    ['an error that names the question', '{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"no session"}}'],
  ],
)('a session that the server has forgotten, with %s, is begun anew within the run', async (_what, forgotten) => {
  const server = await serveSessions(forgotten);
  const { mcp, call } = await openSessions(server);
  expect(await call()).toEqual({ text: 'done' });
  server.renew();
  expect(await Promise.all([call(), call()])).toEqual([{ text: 'done' }, { text: 'done' }]);
  expect(await call()).toEqual({ text: 'done' });
  expect(server.met.filter((each) => each.endsWith('true'))).toEqual(['s1 true', 's2 true', 's2 true', 's2 true']);
  expect(mcp.health()).toEqual([{ name: 'web', state: 'connected', tools: 1 }]);
});

test('a call that a new session does not take either is not asked a third time', async () => {
  const server = await serveSessions('Session not found', false);
  const { call } = await openSessions(server);
  await expect(call()).rejects.toThrow('The server web failed: it has forgotten the session');
  expect(server.met).toEqual(['s1 true', 's1 true']);
});
