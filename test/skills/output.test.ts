/** What a script wrote, cut in the middle: no piece of a secret is left at the edges. */
import { expect, test } from 'vitest';
import { createOutputBuffer } from '../../src/skills/output.ts';

const SECRET = Array.from({ length: 1500 }, (_, i) =>
  String.fromCharCode(97 + ((i * 7 + Math.floor(i / 26)) % 26)),
).join('');

test.each([400, 1_000, 3_001])('a long secret that is written %i times shows nowhere, not even in part', (times) => {
  const out = createOutputBuffer(64 * 1024);
  for (let turn = 0; turn < times; turn++) out.add(Buffer.from(`${turn} ${SECRET}\n`));
  const { text, truncated } = out.read([SECRET]);
  expect(truncated).toBe(true);
  const pieces = Array.from({ length: SECRET.length - 20 }, (_, start) => SECRET.slice(start, start + 20));
  expect(pieces.filter((piece) => text.includes(piece))).toEqual([]);
  expect(text).toContain('0 [secret]\n1 [secret]');
});

test('what holds no secret is cut as before', () => {
  const out = createOutputBuffer(1_000);
  out.add(Buffer.from('a'.repeat(100_000)));
  expect(out.read(['secret-value']).text).toBe(`${'a'.repeat(500)}\n[... left out ...]\n${'a'.repeat(500)}`);
});
