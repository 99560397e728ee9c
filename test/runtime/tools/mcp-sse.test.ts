/** Servers of the protocol of 2024: one stream for all they say, found when they refuse a POST. */
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { McpServerSettings } from '../../../src/features/mcp/connect.ts';
import { McpServers } from '../../../src/features/mcp/servers.ts';
import { silentLog } from '../../../src/log.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { readText } from '../../emulators/base/http.ts';
import { inputSchema, mcpResult } from '../../emulators/mcp.ts';
import { eventually } from '../../helpers/eventually.ts';
import { toolScope } from '../../helpers/scope.ts';
import { serve } from '../../helpers/serve.ts';
import { tempFolder } from '../../helpers/temp.ts';

interface Stream {
  response: ServerResponse;
  send(message: object, event?: string): void;
}

interface Options {
  refuses?: number;
  /** What the stream names first. */
  endpoint?: string;
  /** Acts on a call of a tool; absent: answers. */
  act?: (stream: Stream, id: unknown) => void;
  settings?: Partial<McpServerSettings>;
  key?: string;
}

async function open({ refuses = 405, endpoint = '/messages?session=1', act, settings, key }: Options = {}) {
  const asked: string[] = [];
  let stream: Stream | undefined;
  const origin = await serve(async (request, response) => {
    const { method, url = '', headers } = request;
    asked.push(`${method} ${url}`);
    if (key !== undefined && headers.authorization !== key) return void response.writeHead(401).end();
    if (method === 'GET' && url === '/sse') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (message: object, event = 'message') =>
        void response.write(`event: ${event}\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\r\n\r\n`);
      stream = { response, send };
      return void response.write(`: hello\n\nevent: endpoint\ndata: ${endpoint}\n\n`);
    }
    if (!url.startsWith('/messages')) return void response.writeHead(refuses).end('no');
    const { id, method: called, params } = JSON.parse(await readText(request));
    response.writeHead(202).end('Accepted');
    if (id === undefined || !stream) return;
    if (called === 'tools/call' && act) return act(stream, id);
    const result = mcpResult(called, { ...params, protocolVersion: '2024-11-05' }, [{ name: 'act', inputSchema }]);
    stream.send({ id, ...(result ? { result } : { error: { code: -32601, message: 'no such method' } }) });
  });
  const url = `${origin}/sse`;
  const scope = toolScope(await openHome(tempFolder()));
  const servers = { old: { url, trusted: false, ...settings } };
  const mcp = new McpServers({ servers, log: silentLog() });
  onTestFinished(() => mcp.close());
  const call = async () => {
    const [tool] = await mcp.tools(scope);
    if (!tool) throw new Error(`no tools: ${mcp.health()[0]?.problem}`);
    return tool.execute({}, { signal: new AbortController().signal, callId: 'c1' });
  };
  return { asked, mcp, call, cut: () => stream?.response.destroy() };
}

test.each([400, 404, 405])('a server that refuses a POST with %i is called over its stream', async (refuses) => {
  const { asked, call } = await open({ refuses });
  expect(await call()).toEqual({ text: 'did act' });
  expect(asked[0]).toBe('POST /sse');
  expect(asked).toContain('GET /sse');
});

test('with transport set, nothing else is tried', async () => {
  const { asked, call } = await open({ settings: { transport: 'sse' } });
  expect(await call()).toEqual({ text: 'did act' });
  expect(asked[0]).toBe('GET /sse');
  const http = await open({ settings: { transport: 'http' } });
  await expect(http.call()).rejects.toThrow('takes no calls at this address (HTTP 405)');
  expect(http.asked).not.toContain('GET /sse');
});

test('headers go along with the stream and the calls, and a refusal of them is said', async () => {
  const headers = { Authorization: 'Bearer right' };
  const { call } = await open({ key: 'Bearer right', settings: { headers, transport: 'sse' } });
  expect(await call()).toEqual({ text: 'did act' });
  const wrong = await open({ key: 'Bearer other', settings: { headers, transport: 'sse' } });
  await expect(wrong.call()).rejects.toThrow('(HTTP 401): look at its headers');
});

test('calls never go to another host', async () => {
  const { call } = await open({ endpoint: 'http://127.0.0.2:9/messages', settings: { transport: 'sse' } });
  await expect(call()).rejects.toThrow('it names another host for its calls');
});

test('a stream that ends fails the call, and the next run opens another', async () => {
  let calls = 0;
  const { call, mcp } = await open({
    act: ({ response, send }, id) => {
      if (++calls === 1) response.end();
      else send({ id, result: { content: [{ type: 'text', text: 'again' }] } });
    },
  });
  await expect(call()).rejects.toThrow('The server old failed');
  await eventually(() => expect(mcp.health()[0]?.state).toBe('failed'));
  expect(await call()).toEqual({ text: 'again' });
});

test('a message without end, and messages that nobody asked for, end the connection', async () => {
  const endless = await open({
    act: ({ response }) => {
      response.write('data: ');
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(1024 * 1024)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
  });
  await expect(endless.call()).rejects.toThrow('The server old failed');
  await eventually(() => expect(endless.mcp.health()[0]?.problem).toContain('larger than 32 MB'));
  const noisy = await open({
    act: ({ response }) => {
      const note = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} })}\n\n`;
      for (let n = 0; n < 6 && !response.destroyed; n++) response.write(note.repeat(1000));
    },
  });
  await expect(noisy.call()).rejects.toThrow('The server old failed');
  await eventually(() => expect(noisy.mcp.health()[0]?.problem).toContain('that nobody asked for'));
});

test('progress is heard, and stray texts are not answers', async () => {
  const { call } = await open({
    act: ({ response, send }, id) => {
      response.write('data: not json\n\n');
      send({ method: 'notifications/tools/list_changed' });
      send({ id: 'other', result: {} });
      send({ id, result: { content: [{ type: 'text', text: 'fine' }] } });
    },
  });
  expect(await call()).toEqual({ text: 'fine' });
});
