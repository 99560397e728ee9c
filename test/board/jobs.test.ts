import { describe, expect, it } from 'vitest';
import type { ProtocolParts } from '../../src/board/protocol/parts.ts';
import { RequestError, sendError } from '../../src/board/respond.ts';
import { DeliveryError } from '../../src/errors.ts';
import { listRoutes } from '../../src/features/jobs/board/list.ts';
import type { Caller } from '../../src/runtime/contract/board.ts';
import type { JobService } from '../../src/runtime/contract/job-service.ts';
import { openWorld } from '../dialogs/harness.ts';
import { serve as listening } from '../helpers/serve.ts';

const TOKEN = 'a-token-for-programs';
const job = { name: 'Digest', schedule: 'every weekday at 9', prompt: 'Write the digest', timezone: 'Europe/Berlin' };

async function open(token: string | undefined = TOKEN) {
  const http = { port: 0, ...(token === undefined ? {} : { token }) };
  const world = await openWorld({ config: { http } });
  const call = async (init: RequestInit = {}, authorization = `Bearer ${TOKEN}`) => {
    const url = `http://127.0.0.1:${world.app.port}/api/jobs`;
    const response = await fetch(url, { ...init, headers: { authorization, ...init.headers } });
    const body: { [key: string]: unknown; next?: string[]; jobs?: { id: string }[] } = JSON.parse(
      await response.text(),
    );
    return { status: response.status, body };
  };
  const post = (body: unknown) => call({ method: 'POST', body: JSON.stringify(body) });
  return { world, call, post };
}

describe('/api/jobs', () => {
  it('makes a job from job:create, and lists it with its next times', async () => {
    const { world, call, post } = await open();
    const made = await post({ type: 'job:create', job });
    expect(made).toMatchObject({
      status: 201,
      body: { id: 'digest', state: 'on', words: 'every weekday at 09:00 (Europe/Berlin)', createdBy: 'telegram:1001' },
    });
    expect(made.body.next?.length).toBe(3);
    expect(world.read('jobs/digest.yaml')).toContain('prompt: Write the digest');
    expect((await call()).body.jobs?.map(({ id }) => id)).toEqual(['digest']);
    expect(await post(job)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('already') } },
    });
  });

  it.each([
    ['a schedule that is none', { ...job, schedule: '25am' }, /25am/],
    ['one that is too frequent', { ...job, schedule: '* * * * *' }, /jobs\.minMinutes/],
    ['a place where nothing may be sent', { ...job, deliver: ['telegram:6666'] }, /telegram:6666/],
    ['a key that is none', { ...job, createdBy: 'telegram:1001' }, /createdBy/],
    ['no object', [job], /object/],
  ])('refuses %s', async (_what, body, reason) => {
    const { world, post } = await open();
    const { status, body: answer } = await post(body);
    expect([status, answer.error]).toEqual([400, expect.objectContaining({ message: expect.stringMatching(reason) })]);
    expect(world.read('jobs/digest.yaml')).toBe('');
  });

  it('is for those who have the token, however many wrong ones came before', async () => {
    const { call } = await open();
    expect((await call({ headers: { origin: 'https://evil.example' } })).status).toBe(403);
    for (let n = 0; n < 20; n++) expect((await call({}, 'Bearer wrong')).status).toBe(401);
    for (let n = 0; n < 5; n++) await call({}, 'Bearer wrong');
    expect((await call({}, 'Bearer wrong')).status).toBe(429);
    expect((await call()).status).toBe(200);
  });

  it('is closed without a token, on loopback too', async () => {
    const { call } = await open('');
    expect(await call({}, '')).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining('http.token') } },
    });
  });

  it('takes no large body', async () => {
    const { post } = await open();
    expect((await post({ ...job, prompt: 'x'.repeat(1_100_000) })).status).toBe(413);
  });
});

describe('what a program may get wrong', () => {
  async function serve(create: () => Promise<never>) {
    const service = { list: () => [], create } as unknown as JobService;
    const answered = { get: async () => undefined, set: async () => undefined };
    const parts = { jobs: async () => service, answered, home: { root: '/nowhere' } } as unknown as ProtocolParts;
    const routes = listRoutes({ protocol: parts });
    const principal = {
      channel: 'api',
      account: 'api',
      user: 'owner',
      role: 'owner',
      via: 'api',
      name: 'owner',
    } as const;
    const caller: Caller = { kind: 'client', id: 'owner', principal, ended: new AbortController().signal };
    const failed: unknown[] = [];
    const url = await listening((request, response) => {
      const route = routes.find(({ method }) => method === request.method);
      route?.handle({ request, response, params: {}, url: new URL('http://x/'), caller }).catch((error: unknown) => {
        if (error instanceof RequestError) return sendError(response, error);
        failed.push(error);
        response.destroy();
      });
    });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const call = (init: RequestInit) => fetch(`${url}/`, { headers, ...init });
    return { call, failed, port: Number(new URL(url).port) };
  }

  it('hears that a place cannot be reached now, and when to try again', async () => {
    const { call, failed } = await serve(async () => {
      throw new DeliveryError('telegram is not connected yet', { retryAfterMs: 5_000 });
    });
    const answer = await call({ method: 'POST', body: JSON.stringify(job) });
    expect([answer.status, await answer.json(), failed]).toEqual([
      503,
      { error: expect.objectContaining({ message: expect.stringMatching(/again/) }) },
      [],
    ]);
  });

  it('ends a request in the middle of its body, and nothing fails', async () => {
    const { call, failed, port } = await serve(async () => {
      throw new Error('not reached');
    });
    const head = `POST / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-length: 100\r\n\r\n{"na`;
    const { createConnection } = await import('node:net');
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.write(head, () => setTimeout(() => socket.destroy(), 50));
    });
    await new Promise((resolve) => socket.once('close', resolve));
    // Whoever comes next is served: the one before has been dealt with.
    expect((await call({})).status).toBe(200);
    expect(failed).toEqual([]);
  });
});
