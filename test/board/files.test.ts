/** Files over HTTP: handed in before a message, and fetched whole or in parts, by whoever may see their task. */

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openHome } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { newTaskId, saveTask } from '../../src/workspace/tasks/record.ts';
import { openWorld } from '../dialogs/harness.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const config = {
  http: {
    port: 0,
    token: 'the-owner-s-token',
    clients: {
      ci: { token: 'the-token-of-ci', role: 'member' },
      other: { token: 'the-token-of-other', role: 'member' },
    },
  },
  limits: { downloadBytes: 1000 },
};

async function open() {
  const world = await openWorld({ config });
  const home = await openHome(world.home);
  const taskId = newTaskId(new Date());
  const now = new Date().toISOString();
  await saveTask(home, {
    ...{
      id: taskId,
      viber: 'default',
      goal: 'Draw',
      title: 'Draw',
      state: 'completed',
      people: ['api:ci'],
      conversations: [],
    },
    ...{ runs: 1, usage: { inputTokens: 0, outputTokens: 0 }, createdAt: now, updatedAt: now },
  });
  const make = (title: string, type: string, content: Buffer | string) =>
    openTask(home, taskId).artifacts.create({ title, type, content: Buffer.from(content), origin: 'agent' });
  const call = (at: string, init: RequestInit = {}, token = 'the-token-of-ci') =>
    fetch(`http://127.0.0.1:${world.app.port}${at}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    });
  return { world, home, taskId, make, call };
}

describe('an artifact', () => {
  test('comes whole, in parts, and not at all when it is known', async () => {
    const { make, call } = await open();
    const { ref } = await make('notes', 'text/plain', '0123456789');
    const whole = await call(`/api/${ref}`);
    expect([whole.status, await whole.text()]).toEqual([200, '0123456789']);
    const etag = whole.headers.get('etag') ?? '';
    const part = async (range: string, more = {}) => {
      const answer = await call(`/api/${ref}`, { headers: { range, ...more } });
      return [answer.status, answer.headers.get('content-range'), await answer.text()];
    };
    expect(await part('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await part('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await part('bytes=5-500')).toEqual([206, 'bytes 5-9/10', '56789']);
    expect(await part('bytes=10-')).toEqual([416, 'bytes */10', '']);
    expect(await part('bytes=-0')).toEqual([416, 'bytes */10', '']);
    for (const odd of ['bytes=4-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-', 'bytes=x-y', `bytes=${'9'.repeat(40)}-`])
      expect(await part(odd)).toEqual([200, null, '0123456789']);
    expect(await part('bytes=2-4', { 'if-range': etag })).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await part('bytes=2-4', { 'if-range': '"old"' })).toEqual([200, null, '0123456789']);
    expect((await call(`/api/${ref}`, { headers: { 'if-none-match': `"x", W/${etag}` } })).status).toBe(304);
    const head = await call(`/api/${ref}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
  });

  test('that changed on the disk has another tag', async () => {
    const { world, make, call } = await open();
    const { ref } = await make('notes', 'text/plain', 'before');
    const etag = (await call(`/api/${ref}`)).headers.get('etag') ?? '';
    fs.writeFileSync(path.join(world.home, ref), 'after!');
    const again = await call(`/api/${ref}`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([200, 'after!']);
  });

  test.each([
    ['picture.png', 'image/png', 'inline'],
    ['page.html', 'text/html', 'attachment'],
    ['drawing.svg', 'image/svg+xml', 'attachment'],
    ['paper.pdf', 'application/pdf', 'attachment'],
  ])('%s of type %s is %s, and never a page of ours', async (title, type, disposition) => {
    const { make, call } = await open();
    const { ref } = await make(title, type, PNG);
    const { headers } = await call(`/api/${ref}`);
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^${disposition}; filename=`));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  });

  test('keeps its name, in whatever script, in a header that holds nothing else', async () => {
    const { make, call } = await open();
    const { ref } = await make('Übersicht "2" – 計画.md\r\nset-cookie: a=b', 'text/markdown', 'x');
    const given = (await call(`/api/${ref}`)).headers;
    expect(given.get('set-cookie')).toBeNull();
    const named = /filename\*=UTF-8''([^;]+)/.exec(given.get('content-disposition') ?? '')?.[1] ?? '';
    expect(decodeURIComponent(named)).toMatch(/^Übersicht.*計画/);
  });

  test('is there only for those who see its task, and only as an artifact', async () => {
    const { world, make, call, taskId } = await open();
    const { ref } = await make('notes', 'text/plain', 'x');
    expect((await call(`/api/${ref}`, {}, 'the-token-of-other')).status).toBe(404);
    expect((await call(`/api/${ref}`, {}, 'the-owner-s-token')).status).toBe(200);
    expect((await call(`/api/${ref}`, {}, 'no-token')).status).toBe(401);
    for (const at of ['task.json', '..%2Ftask.json', '%2e%2e', 'artifacts.jsonl', 'nothing.md'])
      expect((await call(`/api/artifacts/${taskId}/${at}`, {}, 'the-owner-s-token')).status).toBe(404);
    fs.rmSync(path.join(world.home, ref));
    fs.symlinkSync('/etc/passwd', path.join(world.home, ref));
    expect((await call(`/api/${ref}`)).status).toBe(404);
    // Nor through a link in the place of its folder.
    const { ref: other } = await make('more', 'text/plain', 'y');
    const folder = path.dirname(path.join(world.home, other));
    fs.renameSync(folder, `${folder}-away`);
    fs.symlinkSync(`${folder}-away`, folder);
    expect((await call(`/api/${other}`, {}, 'the-owner-s-token')).status).toBe(404);
  });

  test('that becomes shorter meanwhile, or whose reader goes away, harms nobody', async () => {
    const { world, make, call } = await open();
    const { ref } = await make('large', 'application/octet-stream', Buffer.alloc(8_000_000));
    await new Promise<void>((resolve) => {
      const options = {
        port: world.app.port,
        path: `/api/${ref}`,
        headers: { authorization: 'Bearer the-token-of-ci' },
      };
      http.get({ host: '127.0.0.1', ...options }, (answer) => {
        answer.once('data', () => answer.destroy());
        answer.once('close', () => resolve());
      });
    });
    const answer = await call(`/api/${ref}`);
    fs.truncateSync(path.join(world.home, ref), 10);
    await answer.arrayBuffer().catch(() => 'cut off');
    expect((await (await call(`/api/${ref}`)).arrayBuffer()).byteLength).toBe(10);
  });
});

describe('an upload', () => {
  const upload = (body: string | ReadableStream, type = 'text/markdown') => ({
    method: 'POST',
    body,
    headers: { 'content-type': type },
  });

  test('is answered with the ref that messages name it by', async () => {
    const { world, call } = await open();
    const answer = await call('/api/uploads?name=notes.md', upload('# Notes'));
    const { ref, ...about } = (await answer.json()) as { ref: string };
    expect([answer.status, about]).toEqual([
      201,
      { name: 'notes.md', type: 'text/markdown', size: 7, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(world.read(`spool/${ref}`)).toBe('# Notes');
  });

  test('without a name, too large (said or not), or of somebody without a token is refused', async () => {
    const { call } = await open();
    const refusal = async (answer: Response) => [
      answer.status,
      ((await answer.json()) as { error: { code: string } }).error.code,
    ];
    expect(await refusal(await call('/api/uploads', upload('x')))).toEqual([400, 'bad_request']);
    expect(await refusal(await call('/api/uploads?name=a', upload('x'.repeat(1001))))).toEqual([413, 'too_large']);
    const unsaid = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(600));
        controller.enqueue(new Uint8Array(600));
        controller.close();
      },
    });
    const streamed: RequestInit = { ...upload(unsaid), duplex: 'half' };
    expect(await refusal(await call('/api/uploads?name=a', streamed))).toEqual([413, 'too_large']);
    expect((await call('/api/uploads?name=a', upload('x'), 'wrong')).status).toBe(401);
  });

  test('that breaks off leaves nothing', async () => {
    const { world } = await open();
    const headers = { authorization: 'Bearer the-token-of-ci', 'content-length': 500 };
    const request = http.request({
      host: '127.0.0.1',
      port: world.app.port,
      path: '/api/uploads?name=a',
      method: 'POST',
      headers,
    });
    const folder = path.join(world.home, 'spool/uploads');
    request.on('error', () => 'ours');
    request.write('x'.repeat(100));
    await expect.poll(() => (fs.existsSync(folder) ? fs.readdirSync(folder).length : 0)).toBe(1);
    request.destroy();
    await expect.poll(() => fs.readdirSync(folder)).toEqual([]);
  });
});
