import { expect, test } from 'vitest';
import { KeySet } from '../../../src/engine/local/finished-keys.ts';

test('a key stays known however many come after it, and no other is', () => {
  const keys = new KeySet();
  for (let n = 0; n < 50_000; n++) keys.add(`key ${n}`);
  const unknown = Array.from({ length: 50_000 }, (_, n) => n).filter((n) => !keys.has(`key ${n}`));
  expect(unknown).toEqual([]);
  expect(Array.from({ length: 50_000 }, (_, n) => n).filter((n) => keys.has(`other ${n}`))).toEqual([]);
});
