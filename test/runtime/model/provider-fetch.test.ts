import { getEventListeners, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createFetch } from '../../../src/runtime/model/provider-fetch.ts';
import { type Listener, listen, readText } from '../../emulators/base/http.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { quiet } from '../../kit/quiet.ts';

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ url: string; server: Listener }> {
  const server = await listen(async (request, response) => answer(request, response, await readText(request)));
  servers.push(server);
  return { url: `${server.url}/v1/chat`, server };
}

function poster(connectMs: number) {
  const call = createFetch(connectMs);
  return (url: string, init: RequestInit = {}) => call(url, { method: 'POST', body: '{}', ...init });
}
const post = poster(30_000);

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TypeError)) throw new Error(`no TypeError: ${String(error)}`);
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? cause.code : cause;
}

describe('fetch for models', () => {
  it('sends the body and the headers, and gives status, headers and text', async () => {
    const { url } = await serve((request, response, body) => {
      response.writeHead(201, { 'x-seen': `${request.method} ${request.headers['x-key']} ${body}` });
      response.end('grüezi');
    });
    const response = await post(url, { body: '{"a":1}', headers: { 'X-Key': 'k' } });
    expect([response.status, response.headers.get('x-seen'), await response.text()]).toEqual([
      201,
      'POST k {"a":1}',
      'grüezi',
    ]);
  });

  it('gives pieces as they come and never buffers the whole', async () => {
    let more: (() => void) | undefined;
    const { url } = await serve((_request, response) => {
      response.write('one');
      more = () => response.end('two');
    });
    const reader = (await post(url)).body?.getReader();
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('one');
    more?.();
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('two');
    expect((await reader?.read())?.done).toBe(true);
  });

  const [one, two] = ['data: {"type":"1"}', 'data: {"type":"2"}'];
  it.each([
    ['LF', [`${one}\n\n`, `${two}\n\n`]],
    ['CR and LF', [`${one}\r\n\r\n`, `${two}\r\n\r\n`]],
    ['CR', [`${one}\r\r`, `${two}\r\r`]],
    ['CR and LF, cut in between', [`${one}\r\n\r`, `\n${two}\r\n\r`, '\n']],
  ])('gives events as they come, with lines that end in %s', async (_end, pieces) => {
    const going: (() => void)[] = [];
    const { url } = await serve((_request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write(pieces[0]);
      going.push(...pieces.slice(1).map((piece) => () => void response.write(piece)), () => void response.end());
    });
    const reader = (await createFetch(30_000, 'responses')(url, { body: '{}' })).body?.getReader();
    const read = async () => String(Buffer.from((await reader?.read())?.value ?? []));
    expect(await read()).toBe(`${one}\n\n`);
    going.shift()?.();
    expect(await read()).toBe(`${two}\n\n`);
    for (const next of going) next();
    expect((await read()).trim()).toBe('');
  });

  it('carries 10 MB in order under back pressure', async () => {
    const piece = 'x'.repeat(1_000_000);
    const { url } = await serve((_request, response) => response.end(piece.repeat(10)));
    const reader = (await post(url)).body?.getReader();
    let size = 0;
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      size += part.value.length;
      // The reader takes its time.
      if (size < 3_000_000) await sleep(1);
    }
    expect(size).toBe(10_000_000);
  });

  it('asks for no compression and refuses what is compressed all the same', async () => {
    let asked: unknown;
    const { url } = await serve((request, response) => {
      asked = request.headers['accept-encoding'];
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync('secret'));
    });
    await expect(post(url)).rejects.toThrow('fetch failed');
    expect(asked).toBe('identity');
  });

  it('does not follow a redirect', async () => {
    let reached = false;
    const { url: elsewhere } = await serve((_request, response) => {
      reached = true;
      response.end();
    });
    const { url } = await serve((_request, response) => response.writeHead(307, { location: elsewhere }).end());
    expect((await post(url, { headers: { authorization: 'Bearer k' } })).status).toBe(307);
    expect(reached).toBe(false);
  });

  it('names the code of a refused connection', async () => {
    const { url, server } = await serve(() => undefined);
    await server.close();
    expect(await codeOf(post(url))).toBe('ECONNREFUSED');
  });

  it('gives up after its time when a connection does not come to stand', async () => {
    // Takes the connection and never answers the TLS handshake.
    const server = createSocketServer((socket) => void servers.push({ close: () => socket.destroy() }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    const [begin, own] = [performance.now(), ownTime()];
    expect(await codeOf(poster(300)(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`))).toBe('ETIMEDOUT');
    expect(performance.now() - begin).toBeGreaterThan(250);
    expect(ownTime() - own).toBeLessThan(1_500);
  });

  it('errors the stream when the connection breaks, and never ends it', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => setTimeout(() => response.socket?.destroy(), 20));
    });
    const response = await post(url);
    expect(await codeOf(response.text())).toBe('ECONNRESET');
  });

  it.each(['before', 'waiting', 'reading'])('closes the connection at once on an abort while %s', async (when) => {
    const closed = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const reading = Promise.withResolvers<void>();
    const { url } = await serve((_request, response) => {
      response.socket?.once('close', () => closed.resolve());
      if (when === 'reading') response.write('half');
      asked.resolve();
    });
    const controller = new AbortController();
    const reason = new Error('stop now');
    if (when === 'before') controller.abort(reason);
    const work = post(url, { signal: controller.signal }).then((response) => {
      const text = response.text();
      reading.resolve();
      return text;
    });
    if (when === 'waiting') void asked.promise.then(() => controller.abort(reason));
    if (when === 'reading') void reading.promise.then(() => controller.abort(reason));
    await expect(work).rejects.toBe(reason);
    if (when !== 'before') await closed.promise;
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('lets the connection go when the reader cancels', async () => {
    const closed = Promise.withResolvers<void>();
    const { url } = await serve((_request, response) => {
      response.socket?.once('close', () => closed.resolve());
      const timer = setInterval(() => response.write('more'), 1);
      response.once('close', () => clearInterval(timer));
    });
    const reader = (await post(url)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await closed.promise;
  });

  it('uses a connection again and leaves no listener behind', async () => {
    const sockets = new Set<unknown>();
    const { url } = await serve((request, response) => {
      sockets.add(request.socket);
      response.end('ok');
    });
    const controller = new AbortController();
    for (let round = 0; round < 20; round += 1) await (await post(url, { signal: controller.signal })).text();
    await quiet();
    expect(sockets.size).toBe(1);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});
