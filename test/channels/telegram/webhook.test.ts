import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhook } from '../../../src/channels/telegram/connect/webhook.ts';
import { rules, settings as schema } from '../../../src/channels/telegram/settings.ts';
import { allOpen } from '../../emulators/base/activity.ts';
import { type Listener, listen } from '../../emulators/base/http.ts';
import { eventually } from '../../helpers/eventually.ts';
import { quiet } from '../../kit/quiet.ts';

const SECRET = 'a-long-enough_secret-1';
const SETTINGS = { secret: SECRET, path: '/hooks/telegram', url: 'https://example.com/hooks/telegram' };

let server: Listener;
let accepted: unknown[];
let stored: (update: unknown) => Promise<void>;

beforeEach(async () => {
  accepted = [];
  stored = async (update) => void accepted.push(update);
  const handler = createWebhook(SETTINGS, (update) => stored(update));
  server = await listen(handler);
});
afterEach(() => server.close());

function post(
  body: string,
  headers: Record<string, string> = { 'x-telegram-bot-api-secret-token': SECRET },
  path = '/hooks/telegram',
) {
  return fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

/** Sends the head of a request and then bytes for as long as they are taken. Gives the status and the bytes that went. */
function flood(head: string, total: number): Promise<{ status: number; sent: number }> {
  return new Promise((resolve) => {
    const socket = connect(server.port, '127.0.0.1');
    const chunk = Buffer.alloc(16_384, 32);
    let answer = '';
    let sent = 0;
    const pump = () => {
      while (sent < total && !socket.destroyed) {
        const frame = head.includes('chunked')
          ? Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])
          : chunk;
        sent += chunk.length;
        if (!socket.write(frame)) return void socket.once('drain', pump);
      }
    };
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ status: Number(/HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), sent }));
    socket.write(head);
    pump();
  });
}

describe('the handler', () => {
  it('answers 200 once the update is durable', async () => {
    const durable = Promise.withResolvers<void>();
    stored = (update) => {
      accepted.push(update);
      return durable.promise;
    };
    let status = 0;
    const answer = post('{"update_id":1}').then((response) => {
      status = response.status;
    });
    await eventually(() => accepted.length > 0);
    expect(status).toBe(0);
    durable.resolve();
    await answer;
    expect([status, accepted]).toEqual([200, [{ update_id: 1 }]]);
  });

  it('answers 503 when it could not be stored, and goes on', async () => {
    stored = async () => {
      throw new Error('disk full');
    };
    expect((await post('{"update_id":1}')).status).toBe(503);
    stored = async (update) => void accepted.push(update);
    expect((await post('{"update_id":1}')).status).toBe(200);
    expect(accepted.length).toBe(1);
  });

  it.each([
    ['no secret', {}],
    ['a wrong secret', { 'x-telegram-bot-api-secret-token': 'a-long-enough_secret-2' }],
    ['a part of the secret', { 'x-telegram-bot-api-secret-token': SECRET.slice(0, -1) }],
    ['an empty secret', { 'x-telegram-bot-api-secret-token': '' }],
  ])('refuses %s', async (_what, headers) => {
    expect((await post('{"update_id":1}', headers as Record<string, string>)).status).toBe(401);
    expect(accepted).toEqual([]);
  });

  it('reads nothing of a request without the secret', async () => {
    const head = 'POST /hooks/telegram HTTP/1.1\r\nhost: x\r\ncontent-length: 200000000\r\n\r\n';
    const { status, sent } = await flood(head, 200_000_000);
    expect(status === 401 || status === 0).toBe(true);
    expect(sent).toBeLessThan(8_000_000);
  });

  it('refuses other methods, other paths and what is no JSON', async () => {
    expect((await fetch(`${server.url}/hooks/telegram`)).status).toBe(405);
    expect((await post('{}', undefined, '/hooks/telegram/../other')).status).toBe(404);
    expect((await post('{"update_id":')).status).toBe(400);
    expect(accepted).toEqual([]);
  });

  it('takes no more than 1 MB, declared or not', async () => {
    expect((await post(JSON.stringify({ update_id: 1, x: 'x'.repeat(900_000) }))).status).toBe(200);
    const declared = await fetch(`${server.url}/hooks/telegram`, {
      method: 'POST',
      headers: { 'x-telegram-bot-api-secret-token': SECRET },
      body: 'x'.repeat(2_000_000),
    }).then(
      (response) => response.status,
      () => 413,
    );
    expect(declared).toBe(413);
    const head = `POST /hooks/telegram HTTP/1.1\r\nhost: x\r\nx-telegram-bot-api-secret-token: ${SECRET}\r\ntransfer-encoding: chunked\r\n\r\n`;
    const { status, sent } = await flood(head, 100_000_000);
    expect(status === 413 || status === 0).toBe(true);
    expect(sent).toBeLessThan(16_000_000);
    expect(accepted.length).toBe(1);
  });

  it('survives a sender that goes away in the middle', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /hooks/telegram HTTP/1.1\r\nhost: x\r\nx-telegram-bot-api-secret-token: ${SECRET}\r\ncontent-length: 100\r\n\r\n{"upd`,
    );
    await eventually(() => allOpen().length > 0);
    socket.destroy();
    await quiet();
    expect((await post('{"update_id":2}')).status).toBe(200);
    expect(accepted).toEqual([{ update_id: 2 }]);
  });
});

describe('the settings', () => {
  it.each([
    ['none at all', undefined, ['url', 'secret']],
    ['an empty secret', { ...SETTINGS, secret: '' }, ['secret']],
    ['a secret Telegram would refuse', { ...SETTINGS, secret: 'with spaces and ünicode!' }, ['secret']],
    ['no address', { secret: SECRET, path: '/x' }, ['url']],
    ['a relative path', { ...SETTINGS, path: 'x' }, ['path']],
  ])('are refused: %s', (_what, webhook, keys) => {
    const section = { token: '1:a', mode: 'webhook' as const, ...(webhook && { webhook }) };
    const wrong = schema.safeParse(section).error?.issues.map(({ path }) => path.join('.')) ?? [];
    const missing = rules(section).map(({ path }) => path);
    expect([...wrong, ...missing]).toEqual(keys.map((key) => `webhook.${key}`));
  });
});
