/**
 * What hostile pages, neighbours and guessers send, against a gateway in a process of its own: refused, nothing read, nothing written.
 * `PORT` stands for the port of the gateway, `COOKIE` and `KEY` for those of an owner's login, which a neighbour may have got.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viberLink } from '../helpers/board-link.ts';
import { tempFolder } from '../helpers/temp.ts';
import { type Browser, codeOf, logIn, request, trade } from './browser.ts';
import { head, open, type RawAnswer, send } from './raw.ts';
import { type Gateway, startGateway } from './start.ts';

const TOKEN = 'the-token-of-the-owner';
const MEMBER = 'the-token-of-a-member';
const GUEST = 'the-token-of-a-guest';
const PRIVATE = /viber_|"channels"|"jobs"|"key"|sessions|alex/;

let home: string;
let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  home = tempFolder(afterAll);
  fs.writeFileSync(
    path.join(home, 'config.json'),
    JSON.stringify({
      model: 'offline/viber',
      people: [{ name: 'alex', role: 'owner', ids: ['telegram:1001'] }],
      limits: { freeBytes: 0 },
      http: {
        ...{ port: 0, token: TOKEN, origins: ['https://viber.example.org', 'http://box.lan:8080'] },
        clients: { plain: { token: MEMBER }, visitor: { token: GUEST, role: 'guest' } },
      },
    }),
  );
  gateway = await startGateway(home);
  browser = await logIn(gateway.port, await viberLink(home));
});

afterAll(() => gateway.stop('SIGKILL'));

const filled = (line: string): string =>
  line.replaceAll('PORT', String(gateway.port)).replaceAll('COOKIE', browser.cookie).replaceAll('KEY', browser.key);
const ask = (...lines: string[]): Promise<RawAnswer> =>
  send(gateway.port, head(...lines.map(filled), 'connection: close'));

const HERE = 'host: 127.0.0.1:PORT';
const OWN = ['cookie: COOKIE', 'x-viber-key: KEY'];
const SAME = 'sec-fetch-site: same-origin';
const ORIGIN = 'origin: http://127.0.0.1:PORT';

describe('the owner themselves', () => {
  it.each<[string, string[], number]>([
    ['a page of this origin', ['GET /api/jobs HTTP/1.1', HERE, ...OWN, SAME], 200],
    ['a program', ['GET /api/jobs HTTP/1.1', HERE, `authorization: Bearer ${TOKEN}`], 200],
    ['the page itself, without a login', ['GET /board/login HTTP/1.1', HERE], 200],
  ])('%s', async (_what, lines, status) => {
    const answer = await ask(...lines);
    // Without a build there are no pages.
    expect(answer.status === 503 && answer.body.includes('not_built') ? 200 : answer.status).toBe(status);
  });
});

describe('is refused', () => {
  it.each<[string, string[], number]>(
    // biome-ignore format: a row is a line
    [
      ['a name that points here', ['GET /api/jobs HTTP/1.1', 'host: evil.example:PORT', ...OWN, SAME], 421],
      ['a name that points here, for numbers', ['GET /metrics HTTP/1.1', 'host: evil.example:PORT'], 421],
      ['a name that points here, for readiness', ['GET /readyz HTTP/1.1', 'host: evil.example:PORT'], 421],
      ['a name that points here, for the page', ['GET /board/ HTTP/1.1', 'host: evil.example:PORT'], 421],
      ['a name that points here, for a socket', [...socket('host: evil.example:PORT', ORIGIN)], 421],
      ['another port as Host', ['GET /api/jobs HTTP/1.1', 'host: 127.0.0.1:1', ...OWN, SAME], 421],
      ['numbers without a token', ['GET /metrics HTTP/1.1', HERE], 401],
      ['a foreign page that reads', ['GET /api/jobs HTTP/1.1', HERE, ...OWN, 'origin: https://evil.example'], 403],
      ['a foreign page in a frame', ['GET /api/jobs HTTP/1.1', HERE, ...OWN, 'sec-fetch-site: cross-site'], 403],
      ['a page of another port', ['GET /api/jobs HTTP/1.1', HERE, ...OWN, 'sec-fetch-site: same-site'], 403],
      ['a page of another port, by its Origin', ['GET /api/jobs HTTP/1.1', HERE, ...OWN, 'origin: http://127.0.0.1:1'], 403],
      ['somebody who typed the address', ['GET /api/jobs HTTP/1.1', HERE, ...OWN, 'sec-fetch-site: none'], 403],
      ['the cookie of another port without the key', ['GET /api/jobs HTTP/1.1', HERE, 'cookie: COOKIE'], 401],
      ['the cookie with another key', ['GET /api/jobs HTTP/1.1', HERE, 'cookie: COOKIE', `x-viber-key: ${'0'.repeat(32)}`], 401],
      ['the key in the address', ['GET /api/jobs?key=KEY HTTP/1.1', HERE, 'cookie: COOKIE'], 401],
      ['the key without the cookie', ['GET /api/jobs HTTP/1.1', HERE, 'x-viber-key: KEY'], 401],
      ['two cookies of that name', ['GET /api/jobs HTTP/1.1', HERE, 'cookie: COOKIE; COOKIE', 'x-viber-key: KEY'], 401],
      ['a cookie of a secure name', ['GET /api/jobs HTTP/1.1', HERE, 'cookie: __Host-COOKIE', 'x-viber-key: KEY'], 401],
      ['a write without an Origin', ['DELETE /board/session/0 HTTP/1.1', HERE, ...OWN], 403],
      ['a write by localhost', ['DELETE /board/session/0 HTTP/1.1', HERE, ...OWN, 'origin: http://localhost:PORT'], 403],
      ['a write by null', ['DELETE /board/session/0 HTTP/1.1', HERE, ...OWN, 'origin: null'], 403],
      ['a write by a listed page', ['DELETE /board/session/0 HTTP/1.1', HERE, ...OWN, 'origin: https://viber.example.org'], 403],
      ['a member on an owner’s route', ['GET /api/jobs HTTP/1.1', HERE, `authorization: Bearer ${MEMBER}`], 403],
      ['a member who ends logins', ['DELETE /board/session/0 HTTP/1.1', HERE, `authorization: Bearer ${MEMBER}`], 403],
      ['a guest on an owner’s route', ['GET /api/jobs HTTP/1.1', HERE, `authorization: Bearer ${GUEST}`], 403],
      ['a member at the numbers', ['GET /metrics HTTP/1.1', HERE, `authorization: Bearer ${MEMBER}`], 403],
      ['a role in the address', ['GET /api/jobs?role=owner HTTP/1.1', HERE, `authorization: Bearer ${MEMBER}`], 403],
      ['a role in a header', ['GET /api/jobs HTTP/1.1', HERE, `authorization: Bearer ${MEMBER}`, 'x-role: owner'], 403],
      ['a wrong token beside a login', ['GET /api/jobs HTTP/1.1', HERE, ...OWN, SAME, 'authorization: Bearer x'], 401],
      ['a socket of a foreign page', socket(HERE, 'origin: https://evil.example', ...OWN), 403],
      ['a socket of another port', socket(HERE, 'origin: http://127.0.0.1:1', ...OWN), 403],
      ['a socket by a cookie without an Origin', socket(HERE, ...OWN), 403],
      ['a socket without anything', socket(HERE, ORIGIN), 401],
      ['a socket on another path', ['GET /board/ HTTP/1.1', HERE, 'connection: upgrade', 'upgrade: websocket'], 400],
      ['two Hosts', ['GET /api/jobs HTTP/1.1', HERE, 'host: evil.example', ...OWN, SAME], 400],
      ['two Origins', ['GET /api/jobs HTTP/1.1', HERE, ...OWN, ORIGIN, 'origin: https://evil.example'], 400],
      ['two tokens', ['GET /api/jobs HTTP/1.1', HERE, `authorization: Bearer ${TOKEN}`, 'authorization: Bearer x'], 400],
      ['a length and chunks', ['POST /api/jobs HTTP/1.1', HERE, ...OWN, ORIGIN, 'content-length: 4', 'transfer-encoding: chunked'], 400],
      ['chunks in another spelling', ['POST /api/jobs HTTP/1.1', HERE, ...OWN, ORIGIN, 'transfer-encoding: xchunked'], 400],
      ['a header that goes on in the next line', ['GET /api/jobs HTTP/1.1', HERE, 'x-a: b', ' c: d'], 400],
      ['a space before the colon', ['GET /api/jobs HTTP/1.1', 'host : 127.0.0.1:PORT'], 400],
      ['a bare line feed in a header', ['GET /api/jobs HTTP/1.1', HERE, 'x-a: b\nx-viber-key: c'], 400],
      ['a nought in a header', ['GET /api/jobs HTTP/1.1', HERE, 'x-a: b\0c'], 400],
      ['an address as target', ['GET http://127.0.0.1:PORT/api/jobs HTTP/1.1', HERE, ...OWN, SAME], 400],
      ['a head that is too large', ['GET /api/jobs HTTP/1.1', HERE, `x-a: ${'a'.repeat(70_000)}`], 431],
      ['too many headers', ['GET /api/jobs HTTP/1.1', HERE, ...Array.from({ length: 3000 }, (_, n) => `x-${n}: 1234`)], 431],
      ['a method nobody knows', ['BREW /api/jobs HTTP/1.1', HERE], 400],
      ['a preflight of a foreign page', ['OPTIONS /api/jobs HTTP/1.1', HERE, 'origin: https://evil.example'], 403],
    ],
  )('%s', async (_what, lines, status) => {
    const answer = await ask(...lines);
    expect(answer.status).toBe(status);
    expect(answer.body).not.toMatch(PRIVATE);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect((await browser.ask('GET', '/api/jobs')).status).toBe(200);
  });
});

function socket(...lines: string[]): string[] {
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
  return ['GET /ws HTTP/1.1', 'connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13', key, ...lines];
}

describe('paths that lead elsewhere', () => {
  it.each([
    ...['/board/../config.json', '/board/..%2fconfig.json', '/board/%2e%2e/config.json', '/board/%2e%2e%2fconfig.json'],
    ...['/board/..%5cconfig.json', '/board//etc/passwd', '/board/%2fetc%2fpasswd', '/board/.env', '/board/%00.js'],
    ...['/board/%c0%ae%c0%ae/config.json', '/board/assets/../../main.js', '/api/../config.json', '/board/%.js'],
    ...['/api/artifacts/../../config.json', '/api/artifacts/%2e%2e/%2e%2e/config.json', '/api/artifacts/x%2f..%2fy'],
  ])('%s', async (target) => {
    for (const lines of [[], OWN.concat(SAME)]) {
      const answer = await ask(`GET ${target} HTTP/1.1`, HERE, ...lines);
      expect([401, 404]).toContain(answer.status);
      expect(answer.text).not.toMatch(/offline\/viber|root:|the-token/);
    }
  });

  it('a link beside the page is not followed', async () => {
    const { createPages } = await import('../../src/features/board/static.ts');
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, 'app-12345678.js'), 'ours');
    fs.symlinkSync(path.join(home, 'config.json'), path.join(folder, 'link.js'));
    fs.symlinkSync(home, path.join(folder, 'inside'));
    const page = createPages(async () => folder).find(({ path: each }) => each === '/board/*file');
    const serve = async (file: string) => {
      const said: { status?: number; headers?: Record<string, string> } = {};
      const response = {
        writeHead: (status: number, headers: Record<string, string>) => Object.assign(said, { status, headers }),
        end: () => undefined,
      };
      await page?.handle(
        Object.assign({ request: { headers: {} }, response, params: { file } }, { url: new URL('http://x') }) as never,
      );
      return said;
    };
    expect(await serve('app-12345678.js')).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' },
    });
    await expect(serve('link.js')).rejects.toThrow('nothing at this address');
    await expect(serve('inside/config.json')).rejects.toThrow('nothing at this address');
  });
});

describe('codes', () => {
  it('are good once, and not under plain http beyond this machine', async () => {
    const code = codeOf(await viberLink(home));
    const far = await trade(gateway.port, code, { host: 'box.lan:8080', origin: 'http://box.lan:8080' });
    expect(far).toMatchObject({ status: 403, body: { error: { code: 'plain_http' } } });
    for (const way of ['ssh -L', 'tailnet', 'TLS proxy']) expect(far.text).toContain(way);
    expect((await trade(gateway.port, code, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await trade(gateway.port, code, { host: 'evil.example' })).status).toBe(421);
    const secure = await trade(gateway.port, code, { host: 'viber.example.org', origin: 'https://viber.example.org' });
    expect(secure.headers['set-cookie']?.[0]).toMatch(
      /^__Host-viber-\d+=[0-9a-f]{8}\.[0-9a-f]{32}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(await trade(gateway.port, code)).toMatchObject({ status: 401, body: { error: { code: 'wrong_code' } } });
  });

  it('that two browsers bring at the same moment log one of them in', async () => {
    const code = codeOf(await viberLink(home));
    const both = await Promise.all(Array.from({ length: 10 }, () => trade(gateway.port, code)));
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('are no good after five minutes', async () => {
    const { openSessions } = await import('../../src/features/board/sessions.ts');
    const sessions = openSessions(tempFolder());
    const code = sessions.issue('machine', undefined, 0);
    expect(sessions.trade(code, '', 300_001)).toBeUndefined();
    expect(sessions.trade(code, '', 299_999)).toBeDefined();
    const { session, cookie } = sessions.trade(sessions.issue('machine', undefined, 0), '', 1) ?? {};
    expect(sessions.find(cookie ?? '', 29 * 86_400_000)?.id).toBe(session?.id);
    expect(sessions.find(cookie ?? '', 31 * 86_400_000)).toBeUndefined();
  });

  it('2,000 wrong ones write nothing, hold nobody up, and lock nobody out', async () => {
    const code = codeOf(await viberLink(home));
    const file = path.join(home, 'access/sessions.json');
    const before = fs.readFileSync(file, 'utf8');
    const statuses = new Map<number, number>();
    for (let n = 0; n < 20; n++) {
      const batch = Array.from({ length: 100 }, (_, m) =>
        trade(gateway.port, (n * 100 + m).toString(16).padStart(32, '0')),
      );
      for (const { status } of await Promise.all(batch)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses.keys()].sort()).toEqual([401, 429]);
    expect(statuses.get(401)).toBeLessThan(100);
    expect(fs.readFileSync(file, 'utf8')).toBe(before);
    expect((await trade(gateway.port, code)).status).toBe(200);
  });

  it('whoever is killed between code and login is logged in once or may try again', async () => {
    for (let round = 0; round < 3; round++) {
      const own = tempFolder();
      fs.writeFileSync(
        path.join(own, 'config.json'),
        JSON.stringify({ model: 'offline/viber', limits: { freeBytes: 0 }, http: { port: 0 } }),
      );
      const first = await startGateway(own);
      const printed = await viberLink(own);
      const traded = trade(first.port, codeOf(printed)).catch(() => undefined);
      // It is killed at different moments.
      await sleep(round * 5);
      await first.stop('SIGKILL');
      const had = (await traded)?.status === 200;
      const second = await startGateway(own);
      let again = 503;
      for (let n = 0; again === 503 && n < 10; n++) {
        again = (await trade(second.port, codeOf(printed))).status;
        // It says that it is busy, and people try again.
        if (again === 503) await sleep(500);
      }
      const stored: { kind: string }[] = JSON.parse(fs.readFileSync(path.join(own, 'access/sessions.json'), 'utf8'));
      expect(stored).toMatchObject([{ kind: 'session' }]);
      expect(had ? [401] : [200, 401]).toContain(again);
      await second.stop('SIGKILL');
    }
  });
});

describe('slow and silent', () => {
  it('a body that does not come ends its connection, and others are served meanwhile', async () => {
    const lines = [
      'POST /board/session HTTP/1.1',
      HERE,
      ORIGIN,
      'content-length: 100',
      'content-type: application/json',
    ];
    const held = open(gateway.port, head(...lines.map(filled)));
    const drip = setInterval(() => held.socket.write(' '), 400);
    expect((await browser.ask('GET', '/api/jobs')).status).toBe(200);
    expect((await held.answer).status).toBe(408);
    clearInterval(drip);
  });

  it('every answer says that it is nobody else’s', async () => {
    for (const lines of [
      ['GET /api/jobs HTTP/1.1', HERE, ...OWN, SAME],
      ['GET /api/jobs HTTP/1.1', HERE],
      ['GET /metrics HTTP/1.1', HERE],
    ]) {
      const { headers } = await ask(...lines);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
  });

  it('the page may load what is its own, and be framed by nobody', async () => {
    const answer = await request(gateway.port, 'GET', '/board/', { host: `127.0.0.1:${gateway.port}` });
    if (answer.status === 503) return;
    const policy = String(answer.headers['content-security-policy']);
    for (const rule of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(answer.text).not.toMatch(PRIVATE);
  });
});
