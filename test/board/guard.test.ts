/** Who may ask the HTTP server: a table of heads of requests, sent as bytes to a server that listens. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { z } from 'zod';
import type { Principal, Role } from '../../src/access/principal.ts';
import { interruptSchema, stopSchema, submitSchema } from '../../src/board/protocol/schemas.ts';
import { errorFields, parsedBy, RequestError } from '../../src/board/respond.ts';
import { startServer } from '../../src/board/server.ts';
import type { BoardRoute } from '../../src/runtime/contract/board.ts';
import { type Held, head, open, type RawAnswer, send } from './raw.ts';

const TOKEN = 'a-token-for-programs';
const OWNER: Principal = {
  ...{ channel: 'api', account: 'api', user: 'owner', role: 'owner', via: 'api', name: 'owner' },
};
const READINESS = {
  ...{ ready: true, channels: {}, workspace: { writable: true }, handles: { enough: true } },
  ...{ oldestUndeliveredSeconds: null, waiting: 0, dead: 0, unsure: 7 },
};

interface Options {
  token?: string;
  host?: string;
  origins?: string[];
  maxConnections?: number;
  /** Tokens called as the roles they speak for. */
  roles?: Role[];
  /** How long a request to /api/wait takes. */
  wait?: () => Promise<void>;
}

async function start(options: Options = {}) {
  const { token, host = '127.0.0.1', origins = [], maxConnections = 100, roles = [], wait } = options;
  const called: string[] = [];
  const warned: string[] = [];
  const server = await startServer({
    ...{
      host,
      port: 0,
      origins,
      tokens: [
        ...(token === undefined ? [] : [{ name: 'owner', token, principal: () => OWNER }]),
        ...roles.map((role) => ({ name: role, token: role, principal: () => ({ ...OWNER, role }) })),
      ],
      maxConnections,
      readiness: async () => READINESS,
      metrics: async () => ({ type: 'text/plain', body: 'viber_dead 0\n' }),
    },
    webhooks: new Map([
      [
        '/webhooks/telegram',
        async (_request, response) => {
          called.push('webhook');
          response.writeHead(200).end();
        },
      ],
    ]),
    board: async () => ({
      routes: [
        ...(['GET', 'POST'] as const).map(
          (method): BoardRoute => ({
            ...{ method, path: '/api/jobs', asks: 'owner' },
            async handle({ response }) {
              called.push('api');
              response.writeHead(200).end('{}');
            },
          }),
        ),
        {
          ...{ method: 'GET', path: '/api/wait', asks: 'caller' },
          async handle({ response }) {
            await wait?.();
            response.writeHead(200).end('{}');
          },
        },
      ],
      open: [],
      session() {
        throw new RequestError(401, 'unauthorized', 'nobody');
      },
      close: async () => undefined,
    }),
    onError: (error) => {
      throw error;
    },
    onWrongTokens: (address) => void warned.push(address),
  });
  onTestFinished(() => server.close());
  const { port } = server;
  const get = (path: string, ...lines: string[]) =>
    send(
      port,
      head(`GET ${path} HTTP/1.1`, ...lines.map((line) => line.replace('PORT', String(port))), 'connection: close'),
    );
  return { port, called, warned, get };
}

const LOCAL = 'host: 127.0.0.1:PORT';
const RIGHT = `authorization: Bearer ${TOKEN}`;

/** What every answer of the server's own says. */
function expectStrict({ headers, text }: RawAnswer): void {
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  expect(text).not.toMatch(/at .*\.[tj]s:\d+|SECRET-IN-THE-REQUEST/);
}

describe('the Host', () => {
  it.each([
    ['127.0.0.1', 'host: 127.0.0.1:PORT', 200],
    ['localhost', 'host: localhost:PORT', 200],
    ['in capitals', 'host: LOCALHOST:PORT', 200],
    ['[::1]', 'host: [::1]:PORT', 200],
    ['a listed origin', 'host: viber.example.org', 200],
    ['a listed origin with its default port', 'host: viber.example.org:443', 200],
    ['a listed origin with a port', 'host: box.lan:8080', 200],
    ['a listed origin with another port', 'host: box.lan:8081', 421],
    ['a name that points here', 'host: evil.example:PORT', 421],
    ['another port', 'host: 127.0.0.1:1', 421],
    ['no port', 'host: 127.0.0.1', 421],
    ['every address', 'host: 0.0.0.0:PORT', 421],
    ['another loopback address', 'host: 127.0.0.2:PORT', 421],
    ['a user before it', 'host: 127.0.0.1:PORT@evil.example', 421],
    ['nothing', 'host:', 421],
    ['a dot at its end', 'host: localhost.:PORT', 421],
  ])('%s', async (_what, line, status) => {
    const { get } = await start({ origins: ['https://viber.example.org', 'http://box.lan:8080/'] });
    for (const path of ['/readyz', '/nothing', '/nothing?x=SECRET-IN-THE-REQUEST']) {
      const answer = await get(path, line);
      expect(answer.status).toBe(status === 200 && path !== '/readyz' ? 404 : status);
      expectStrict(answer);
      if (status === 421) expect(answer.body).toContain('http.origins');
    }
    expect((await get('/healthz', line)).status).toBe(200);
  });

  it('may be the address it listens on', async () => {
    const { port, get } = await start({ host: '127.0.0.3', token: TOKEN });
    expect((await fetch(`http://127.0.0.3:${port}/readyz`)).status).toBe(200);
    expect((await get('/healthz', LOCAL)).status).toBe(0);
  });

  it('is not asked of webhooks and of /healthz', async () => {
    const { port, called } = await start();
    const post = head('POST /webhooks/telegram HTTP/1.1', 'host: viber.example.org', 'connection: close');
    expect((await send(port, post)).status).toBe(200);
    expect(called).toEqual(['webhook']);
  });
});

describe('a refusal', () => {
  it.each([
    ['nobody said which', '', /^There's nothing at this address/],
    ["a browser's", 'accept-language: de-AT,de;q=0.9,en;q=0.8', /^Unter dieser Adresse gibt es nichts/],
    ['a program of any', 'accept-language: *', /^There's nothing at this address/],
  ])('before the caller is known, in the language that the request accepts: %s', async (_what, line, message) => {
    const { get } = await start();
    const { status, body } = await get('/nothing', LOCAL, ...(line === '' ? [] : [line]));
    expect([status, JSON.parse(body)]).toEqual([
      404,
      { error: { code: 'not_found', message: expect.stringMatching(message) } },
    ]);
  });
});

describe('the form of a request', () => {
  it.each(
    // biome-ignore format: a row is a line
    [
      ['two Hosts', ['GET /healthz HTTP/1.1', LOCAL, 'host: evil.example'], 400],
      ['no Host', ['GET /readyz HTTP/1.1'], 400],
      ['HTTP/1.0 without a Host', ['GET /readyz HTTP/1.0'], 421],
      ['HTTP/1.0 without a Host, for its health', ['GET /healthz HTTP/1.0'], 200],
      ['an address as target', ['GET http://127.0.0.1:PORT/readyz HTTP/1.1', LOCAL], 400],
      ['an address of others as target', ['GET http://evil.example/healthz HTTP/1.1', LOCAL], 400],
      ['a star as target', ['OPTIONS * HTTP/1.1', LOCAL], 400],
      ['a tunnel', ['CONNECT evil.example:443 HTTP/1.1', LOCAL], 0],
      ['two slashes', ['GET //readyz HTTP/1.1', LOCAL], 404],
      ['a host in the path', ['GET //evil.example/readyz HTTP/1.1', LOCAL], 404],
      ['encoded letters', ['GET /%72eadyz HTTP/1.1', LOCAL], 404],
      ['dots', ['GET /x/../readyz HTTP/1.1', LOCAL], 404],
      ['a slash at the end', ['GET /readyz/ HTTP/1.1', LOCAL], 404],
      ['capitals', ['GET /READYZ HTTP/1.1', LOCAL], 404],
      ['a WebSocket', ['GET /healthz HTTP/1.1', LOCAL, 'connection: upgrade', 'upgrade: websocket'], 400],
      ['a WebSocket to a webhook', ['POST /webhooks/telegram HTTP/1.1', LOCAL, 'connection: upgrade', 'upgrade: websocket'], 400],
      ['two lengths', ['POST /webhooks/telegram HTTP/1.1', LOCAL, 'content-length: 1', 'content-length: 2'], 400],
      ['a length and chunks', ['POST /webhooks/telegram HTTP/1.1', LOCAL, 'content-length: 1', 'transfer-encoding: chunked'], 400],
    ],
  )('%s', async (_what, lines, status) => {
    const { port, called } = await start();
    const bytes = head(...lines.map((line) => line.replace('PORT', String(port))));
    // Those that are refused are closed by the server; the others are kept for more.
    const answer = await send(port, bytes, status === 404 || status === 200 ? 500 : 10_000);
    expect([answer.status, called]).toEqual([status, []]);
  });

  it.each([
    ['/healthz', 'GET, HEAD'],
    ['/readyz', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
    ['/api/jobs', 'GET, POST'],
    ['/webhooks/telegram', 'POST'],
  ])('%s says which methods it takes', async (path, allow) => {
    const { port, called } = await start({ token: TOKEN });
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'TRACE', ...(allow.includes('GET') ? [] : ['GET'])]) {
      const answer = await send(
        port,
        head(`${method} ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`, 'connection: close'),
      );
      expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
      expectStrict(answer);
    }
    expect(called).toEqual([]);
  });
});

describe('the token', () => {
  it.each([
    ['/metrics', [], 401],
    ['/metrics', ['authorization: Bearer wrong'], 401],
    ['/metrics', [`authorization: Basic ${TOKEN}`], 401],
    ['/metrics', [`x-token: ${TOKEN}`], 401],
    [`/metrics?token=${TOKEN}`, [], 401],
    ['/metrics', [RIGHT], 200],
    ['/api/jobs', [], 401],
    ['/api/jobs', [RIGHT], 200],
  ])('%s with %j: %i, from this machine too', async (path, lines, status) => {
    const { get } = await start({ token: TOKEN });
    const answer = await get(path, LOCAL, ...lines);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      status,
      status === 401 ? 'Bearer' : undefined,
    ]);
  });

  it('shows the details of /readyz, whose bare state is open', async () => {
    const { get } = await start({ token: TOKEN });
    expect((await get('/readyz', LOCAL)).body).toBe('{"ready":true}\n');
    expect((await get('/readyz', LOCAL, 'authorization: Bearer wrong')).body).toBe('{"ready":true}\n');
    expect((await get('/readyz', LOCAL, RIGHT)).body).toContain('"unsure":7');
  });

  it('is not needed on this machine where none is set, and is by a listed origin', async () => {
    const { get } = await start({ origins: ['https://viber.example.org'] });
    expect((await get('/metrics', LOCAL)).status).toBe(200);
    expect((await get('/readyz', LOCAL)).body).toContain('unsure');
    expect((await get('/api/jobs', LOCAL)).status).toBe(403);
    const far = 'host: viber.example.org';
    expect(await get('/metrics', far)).toMatchObject({ status: 403, body: expect.stringContaining('http.token') });
    expect((await get('/readyz', far)).body).toBe('{"ready":true}\n');
  });

  it('is never locked out, however many wrong ones come from the same address', async () => {
    const { get, warned } = await start({ token: TOKEN });
    const wrong = async (path: string) => (await get(path, LOCAL, 'authorization: Bearer wrong')).status;
    for (let n = 0; n < 20; n++) expect(await wrong('/metrics')).toBe(401);
    const later = new Set<number>();
    for (let n = 0; n < 20; n++) later.add(await wrong(n % 2 === 0 ? '/metrics' : '/api/jobs'));
    expect(later).toContain(429);
    expect(warned[0]).toContain('127.0.0.1');
    expect(warned.length).toBeLessThan(10);
    expect((await get('/metrics', LOCAL, RIGHT)).status).toBe(200);
    expect((await get('/metrics', LOCAL)).status).toBe(401);
    expect((await get('/healthz', LOCAL)).status).toBe(200);
    expect((await get('/readyz', LOCAL)).status).toBe(200);
  });
});

describe('the Origin', () => {
  it.each([
    ['http://127.0.0.1:PORT', 200],
    ['http://localhost:PORT', 200],
    ['https://viber.example.org', 200],
    ['http://viber.example.org', 403],
    ['https://127.0.0.1:PORT', 403],
    ['https://evil.example', 403],
    ['null', 403],
  ])('%s', async (origin, status) => {
    const { port, called } = await start({ token: TOKEN, origins: ['https://viber.example.org'] });
    const lines = [`origin: ${origin}`, `host: 127.0.0.1:PORT`, RIGHT, 'content-length: 2', 'connection: close'];
    const bytes = head('POST /api/jobs HTTP/1.1', ...lines.map((line) => line.replace('PORT', String(port))));
    expect((await send(port, `${bytes}{}`)).status).toBe(status);
    expect(called).toEqual(status === 200 ? ['api'] : []);
  });
});

describe('a refused request', () => {
  it.each([
    ['another Host', 'POST /api/jobs HTTP/1.1', ['host: evil.example'], 421],
    ['no token', 'POST /api/jobs HTTP/1.1', [LOCAL], 401],
    ['another method', 'POST /healthz HTTP/1.1', [LOCAL], 405],
    ['an unknown path', 'POST /nothing HTTP/1.1', [LOCAL], 404],
  ])('%s: nothing of its body is read, and the connection is closed', async (_what, first, lines, status) => {
    const { port } = await start({ token: TOKEN });
    for (const more of ['content-length: 100000000', 'transfer-encoding: chunked']) {
      const all = [first, ...lines.map((line) => line.replace('PORT', String(port))), more];
      const answer = await send(port, head(...all));
      expect(answer).toMatchObject({ status, headers: { connection: 'close' } });
    }
  });

  it('is not told to go on', async () => {
    const { port, called } = await start({ token: TOKEN });
    const ask = (...lines: string[]) =>
      send(
        port,
        head(
          'POST /api/jobs HTTP/1.1',
          `host: 127.0.0.1:${port}`,
          'content-length: 2',
          'expect: 100-continue',
          ...lines,
        ),
        2_000,
      );
    const refused = await ask();
    expect([refused.status, refused.text.includes('100 Continue'), called]).toEqual([401, false, []]);
  });
});

describe('slow and many', () => {
  it('ends heads and bodies that do not come, with others served meanwhile', async () => {
    const { port, get } = await start();
    const began = performance.now();
    const slow = [
      open(port, 'GET /healthz HTTP/1.1\r\nhost: x\r\n'),
      open(port, ''),
      open(port, head('POST /webhooks/telegram HTTP/1.1', 'host: x', 'content-length: 10')),
    ];
    const drip = setInterval(() => slow[0]?.socket.write('x-more: 1\r\n'), 500);
    expect((await get('/healthz', LOCAL)).status).toBe(200);
    const answers = await Promise.all(slow.map(({ answer }) => answer));
    clearInterval(drip);
    expect(answers[0]?.status).toBe(408);
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it('lets a new connection in whatever others hold: the longest silent one gives way', async () => {
    const { port, get } = await start({ maxConnections: 16 });
    const held = Array.from({ length: 60 }, () => open(port, 'GET /healthz HTTP/1.1\r\n'));
    await Promise.all(held.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
    for (let round = 0; round < 5; round++) {
      held.push(...Array.from({ length: 20 }, () => open(port, '')));
      expect((await get('/healthz', LOCAL)).status).toBe(200);
    }
    const ends = held.map(({ answer }) => answer);
    await Promise.race(ends);
    for (const { socket } of held) socket.destroy();
    await Promise.all(ends);
    expect((await get('/healthz', LOCAL)).status).toBe(200);
  });

  it('lets one address take no place of another', async () => {
    const { port, get } = await start({ maxConnections: 16 });
    const quiet = open(port, 'GET /healthz HTTP/1.1\r\n', '127.0.0.3');
    await new Promise((resolve) => quiet.socket.once('connect', resolve));
    const held = Array.from({ length: 60 }, () => open(port, 'GET /healthz HTTP/1.1\r\n'));
    await Promise.race(held.map(({ answer }) => answer));
    expect((await get('/healthz', LOCAL)).status).toBe(200);
    quiet.socket.write(`host: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
    expect((await quiet.answer).status).toBe(200);
    for (const { socket } of held) socket.destroy();
  });

  it('gives each client a share, one for all who are no owners, and room to owners, webhooks and health', async () => {
    const waiting: (() => void)[] = [];
    const { port, get } = await start({
      ...{ maxConnections: 32, roles: ['guest', 'member', 'owner'] },
      wait: () => new Promise<void>((resolve) => waiting.push(resolve)),
    });
    const ask = (token: string) =>
      open(port, head('GET /api/wait HTTP/1.1', `host: 127.0.0.1:${port}`, `authorization: Bearer ${token}`));
    const counts = { guest: 4, member: 8, owner: 16 };
    const all: Held[] = [];
    for (const [token, count] of Object.entries(counts)) {
      const before = waiting.length;
      all.push(...Array.from({ length: count }, () => ask(token)));
      await expect.poll(() => waiting.length).toBe(before + count);
      const one = ask(token);
      all.push(one);
      await expect.poll(() => one.seen()).toMatch(/^HTTP\/1.1 429 /);
      one.socket.destroy();
    }
    expect((await get('/healthz', LOCAL)).status).toBe(200);
    for (const done of waiting.splice(0)) done();
    const again = ask('guest');
    await expect.poll(() => waiting.length).toBe(1);
    for (const { socket } of [...all, again]) socket.destroy();
  });
});

it.each([
  [submitSchema, { messages: [] }, 'goal: is missing', 'goal: fehlt'],
  [submitSchema, { goal: ' ' }, 'goal: is empty', 'goal: ist leer'],
  [submitSchema, { goal: 'a', live: 'x' }, 'live: expected off, text, events', 'live: erwartet wird off, text, events'],
  [stopSchema, { taskId: 7 }, 'taskId: expected text', 'taskId: erwartet wird Text'],
  [stopSchema, { taskId: '../x' }, "taskId: isn't the ID of a task", 'taskId: ist keine Kennung einer Aufgabe'],
  [
    interruptSchema,
    { targetAgentId: '' },
    'targetAgentId: must be at least 1',
    'targetAgentId: muss mindestens 1 sein',
  ],
] as [z.ZodType, object, string, string][])(
  "says in the reader's language which field is wrong",
  (schema, body, english, german) => {
    const wrong = (() => {
      try {
        return parsedBy(schema, body);
      } catch (error) {
        return error;
      }
    })();
    if (!(wrong instanceof RequestError)) throw wrong;
    expect(['en', 'de-AT'].map((tag) => errorFields(wrong, tag).message)).toEqual([english, german]);
    expect(wrong).toMatchObject({ status: 400, code: 'bad_request', field: english.split(':')[0] });
  },
);
