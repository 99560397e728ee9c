/** Servers of tools over HTTP that flood, hang up, fail and lie: the real client against a real server. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { McpServers } from '../../../src/features/mcp/servers.ts';
import { silentLog } from '../../../src/log.ts';
import type { ToolScope } from '../../../src/runtime/contract/tool-scope.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { eventually } from '../../helpers/eventually.ts';
import { tempFolder } from '../../helpers/temp.ts';

const inputSchema = { type: 'object' };
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

interface Call {
  id: number;
  response: ServerResponse;
  json(result: unknown): void;
  /** Begins a stream of events, and writes these. */
  events(...messages: unknown[]): void;
}

/**
 * @param act what the tool `act` does; every other tool answers
 * @param discover answers the question what the server speaks; without it, it is not known
 */
async function open(act: (call: Call) => void, offered: object[] = [], discover?: (call: Call) => void) {
  const gets: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      gets.push(request.method ?? '');
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    if (id === undefined) return void response.writeHead(202).end();
    const json = (result: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    const events = (...messages: unknown[]) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const message of messages)
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...Object(message) })}\n\n`);
    };
    if (method === 'server/discover' && discover) return discover({ id, response, json, events });
    if (method === 'initialize') {
      const { protocolVersion } = params;
      return json({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'web', version: '1' } });
    }
    if (method === 'tools/list') {
      return json({ tools: [{ name: 'act', inputSchema }, { name: 'other', inputSchema }, ...offered] });
    }
    if (method === 'tools/call')
      return params.name === 'act' ? act({ id, response, json, events }) : json(text('done'));
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const home = await openHome(tempFolder());
  const scope: ToolScope = {
    ...{ home, viber: 'default', taskId: '20260101-aaaaa', runId: 'r1', planBase: undefined },
    ...{ onPlan: () => undefined, onArtifact: () => undefined, autoAcceptMemory: false, provenance: 'test' },
  };
  const servers = { web: { url: `http://127.0.0.1:${port}/mcp`, trusted: false } };
  const mcp = new McpServers({ servers, log: silentLog() });
  onTestFinished(() => mcp.close());
  const tools = await mcp.tools(scope);
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

test('an answer without end is cut, and says so', async () => {
  const { call, health } = await open(({ response, id }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    pour(response, 'x'.repeat(MB));
  });
  await expect(call('web_act')).rejects.toThrow('The server web failed: its answer is larger than 32 MB');
  expect(health()?.state).toBe('connected');
  expect(await call('web_other')).toEqual({ text: 'done' });
});

test('an event without end ends the call, and the server is connected anew', async () => {
  const { call, health } = await open(({ response, events }) => {
    events();
    response.write('data: ');
    pour(response, 'x'.repeat(MB));
  });
  await expect(call('web_act')).rejects.toThrow('its answer is larger than 32 MB');
  expect(health()?.state).toBe('connected');
});

test('events that nobody asked for are not gathered without end', async () => {
  const note = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: {} })}\n\n`;
  const { call } = await open(({ response, events }) => {
    events();
    pour(response, note.repeat(1000));
  });
  await expect(call('web_act')).rejects.toThrow('its answer has more than 50000 lines');
});

test('an answer in events, after notes, is taken; so is one that the server does not end', async () => {
  const { call } = await open(({ id, events, response }) => {
    events({ method: 'notifications/message', params: {} }, { id, result: text('fine') });
    response.write(': still here\n\n');
  });
  expect(await call('web_act')).toEqual({ text: 'fine' });
  expect(await call('web_act')).toEqual({ text: 'fine' });
});

test('a stream that ends without the answer fails the call at once', async () => {
  const { call } = await open(({ events, response }) => {
    events({ method: 'notifications/message', params: {} });
    response.end();
  });
  await expect(call('web_act')).rejects.toThrow('The server web failed: it ended its answer before it was complete');
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

test('an error in the words of a tool is no fault of the connection', async () => {
  const { call, health } = await open(({ id, response }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const error = { code: -32000, message: 'The issue is closed: ECONNRESET' };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
  });
  await expect(call('web_act')).rejects.toThrow('The issue is closed');
  expect(health()?.state).toBe('connected');
});

test.each([
  ['a batch', '[{"jsonrpc":"2.0","method":"x"},{}]'],
  ['the answer to another question', '{"jsonrpc":"2.0","id":4711,"result":{}}'],
  ['a note', '{"jsonrpc":"2.0","method":"x"}'],
  ['half an answer', '{"jsonrpc":"2.0","id":'],
  ['nothing', ''],
])('%s in place of the answer fails the call at once', async (_what, body) => {
  const { call } = await open(({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  });
  await expect(call('web_act')).rejects.toThrow('what it sent is no answer to what it was asked');
});

test('a call that is only acknowledged fails at once', async () => {
  const { call } = await open(({ response }) => response.writeHead(202).end());
  await expect(call('web_act')).rejects.toThrow('what it sent is no answer');
});

test.each(['application/json', 'text/event-stream'])(
  'an error that names no question is the answer, as %s',
  async (type) => {
    const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not like this"}}';
    const { call, health } = await open(({ response }) => {
      response.writeHead(200, { 'content-type': type });
      response.end(type === 'application/json' ? error : `event: message\r\ndata: ${error}\r\n\r\n`);
    });
    await expect(call('web_act')).rejects.toThrow('not like this');
    expect(health()?.state).toBe('connected');
  },
);

const olderVersions = { code: -32022, message: 'another version', data: { supported: ['2025-11-25'] } };

test.each<[string, (call: Call) => void]>([
  ['202', ({ response }) => response.writeHead(202).end()],
  ['204', ({ response }) => response.writeHead(204).end()],
  ['nothing', ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end()],
  ['{}', ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}')],
  [
    'a stream that ends',
    ({ response }) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': \n\n'),
  ],
  ['a hang-up', ({ response }) => response.socket?.destroy()],
  ['older versions', ({ id, events }) => events({ id, error: olderVersions })],
  [
    'older versions and 400',
    ({ id, response }) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: olderVersions }));
    },
  ],
])('a server that answers the question what it speaks with %s is connected to without it', async (_what, discover) => {
  const { call, health } = await open(({ json }) => json(text('fine')), [], discover);
  expect(health()).toMatchObject({ state: 'connected', tools: 2 });
  expect(await call('web_act')).toEqual({ text: 'fine' });
});

test.each(['application/json', 'text/event-stream'])(
  'null for what is left out costs no answer, as %s',
  async (type) => {
    const { call, tools } = await open(
      ({ id, response }) => {
        const answer = JSON.stringify({ jsonrpc: '2.0', id, error: null, result: { ...text('fine'), _meta: null } });
        response.writeHead(200, { 'content-type': type });
        response.end(type === 'application/json' ? answer : `data: ${answer}\n\n`);
      },
      [{ name: 'bare', description: null }],
    );
    expect(tools.map(({ name }) => name)).toEqual(['web_act', 'web_other', 'web_bare']);
    expect(await call('web_act')).toEqual({ text: 'fine' });
  },
);

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

test('an answer that is nested without end fails that call alone', async () => {
  const { call, health } = await open(({ id, response }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${id},"result":{"content":[${'['.repeat(MB)}${']'.repeat(MB)}]}}`);
  });
  await expect(call('web_act')).rejects.toThrow('what it sent is no answer');
  expect(health()?.state).toBe('connected');
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
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/sse`;
  if (status === 0) server.close();
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
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
    const own = request.headers['mcp-session-id'];
    const isKnown = own === `s${session}`;
    const isCall = method === 'tools/call';
    if (isCall) met.push(`${own} ${isKnown}`);
    if (method !== 'initialize' && own !== undefined && (!isKnown || (isCall && !takesCalls)))
      return void response.writeHead(404, { 'content-type': 'application/json' }).end(forgotten.replace('ID', id));
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'w', version: '1' },
      },
      'tools/list': { tools: [{ name: 'act', inputSchema }] },
      'tools/call': text('done'),
    };
    const error = { code: -32601, message: 'no such method' };
    const answer = Object.hasOwn(results, method) ? { result: results[method] } : { error };
    const headers = method === 'initialize' ? { 'mcp-session-id': `s${session}` } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp`;
  return { url, met, renew: () => void session++ };
}

async function openSessions({ url }: Sessions) {
  const scope: ToolScope = {
    ...{ home: await openHome(tempFolder()), viber: 'default', taskId: '20260101-aaaaa', runId: 'r1' },
    ...{ planBase: undefined, onPlan: () => undefined, onArtifact: () => undefined },
    ...{ autoAcceptMemory: false, provenance: 'test' },
  };
  const mcp = new McpServers({ servers: { web: { url, trusted: false } }, log: silentLog() });
  onTestFinished(() => mcp.close());
  const [tool] = await mcp.tools(scope);
  return { mcp, call: async () => tool?.execute({}, { signal: new AbortController().signal, callId: 'c1' }) };
}

test.each([
  ['words', 'Session not found'],
  [
    'an error that names no question',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}',
  ],
  [
    'an error of its own',
    '{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}',
  ],
  ['an error that names the question', '{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"no session"}}'],
])('a session that the server has forgotten, with %s, is begun anew within the run', async (_what, forgotten) => {
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
