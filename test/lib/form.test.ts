/** Forms as they go out, and what becomes of a request that is broken off while one is under way. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { formBytes } from '../../src/lib/form.ts';

const form = (file: Blob) => {
  const data = new FormData();
  data.append('payload_json', '{"content":"é 🙂"}');
  data.append('files[0]', file, 'a "b".txt');
  return data;
};

it('keeps the fields, the names and the bytes', async () => {
  const { bytes, type } = await formBytes(form(new File(['\u0000\r\n--x'], 'x', { type: 'text/plain' })));
  const back = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  expect(back.get('payload_json')).toBe('{"content":"é 🙂"}');
  const file = back.get('files[0]');
  if (!(file instanceof File)) throw new Error('no file came back');
  expect([file.name, file.type, await file.text()]).toEqual(['a "b".txt', 'text/plain', '\u0000\r\n--x']);
});

it('leaves nothing behind that nobody catches when the request is broken off', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const server = http.createServer((request) => void request.socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let ticks = 0; ticks < 40; ticks++) {
    const { bytes, type } = await formBytes(form(new File([new Uint8Array(50_000)], 'x')));
    const stop = new AbortController();
    const request = new Request(url, { method: 'POST', body: bytes, headers: { 'content-type': type } });
    const sent = fetch(request, { signal: stop.signal });
    for (let tick = 0; tick < ticks; tick++) await undefined;
    stop.abort();
    await expect(sent).rejects.toThrow();
  }
  expect(uncaught).toEqual([]);
});
