/** Forms as they go out, and what becomes of a request that is broken off while one is under way. */
import { expect, it, onTestFinished } from 'vitest';
import { formBytes } from '../../src/lib/form.ts';
import { serve } from '../helpers/serve.ts';

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
  const url = await serve((request) => void request.socket.destroy());
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
