/** The vectors in memory: what is left out to be fast must not be what was wanted. */
import { expect, test } from 'vitest';
import { cosine, fromBlob, toBlob, Vectors } from '../../src/features/memory/store/vectors.ts';

/** The same numbers in every run. */
function createNormal(seed: number): () => number {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / 4_294_967_297;
  };
  return () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
}

/** As embeddings are: in clusters, and all leaning the same way. */
function clustered(dimensions: number, count: number): Float32Array[] {
  const normal = createNormal(7);
  const vector = () => Float32Array.from({ length: dimensions }, normal);
  const mean = vector();
  const centers = Array.from({ length: 100 }, vector);
  return Array.from({ length: count }, (_, n) =>
    vector().map((value, i) => value + (centers[n % 100]?.[i] ?? 0) + 0.7 * (mean[i] ?? 0)),
  );
}

test.each([
  [64, 1_000],
  [256, 4_200],
  [768, 4_100],
])('of %i dimensions and %i vectors the ten nearest are among the candidates', async (dimensions, count) => {
  const all = clustered(dimensions, count);
  const vectors = new Vectors(dimensions);
  for (const [id, vector] of all.entries()) vectors.set(id + 1, vector);
  const normal = createNormal(11);
  let found = 0;
  for (let n = 0; n < 10; n++) {
    const query = Float32Array.from(all[n * 31] ?? [], (value) => value + normal());
    const exact = all.map((vector, id) => ({ id: id + 1, score: cosine(vector, query) }));
    const wanted = exact.sort((a, b) => b.score - a.score).slice(0, 10);
    const near = new Set(await vectors.nearest(query, 60));
    found += wanted.filter(({ id }) => near.has(id)).length;
  }
  expect(found).toBeGreaterThanOrEqual(98);
});

test('rows come, change and go', async () => {
  const vectors = new Vectors(4, 1);
  const axis = (i: number) => Float32Array.from([0, 1, 2, 3], (n) => (n === i ? 5 : 0));
  for (let id = 1; id <= 200; id++) vectors.set(id, axis(id % 4));
  for (let id = 1; id <= 200; id += 2) vectors.delete(id);
  vectors.delete(1);
  vectors.set(2, axis(1));
  expect(vectors.size).toBe(100);
  expect(await vectors.nearest(axis(1), 50)).toEqual([2]);
  expect(await vectors.nearest(axis(3), 50)).toEqual([]);
  expect(await vectors.nearest(axis(2), 500)).toHaveLength(49);
  expect(await vectors.nearest(new Float32Array(4), 5)).toEqual([]);
});

test('a vector survives its file, whatever is in it', async () => {
  const vector = Float32Array.from([1.5, -2, 0, 1e-30]);
  expect(fromBlob(Buffer.concat([Buffer.from('x'), toBlob(vector)]).subarray(1))).toEqual(vector);
  const vectors = new Vectors(2);
  vectors.set(1, Float32Array.from([0, 0]));
  vectors.set(2, Float32Array.from([Number.NaN, 1]));
  vectors.set(3, Float32Array.from([Number.POSITIVE_INFINITY, 1]));
  vectors.set(4, Float32Array.from([1, 1]));
  expect(await vectors.nearest(Float32Array.from([1, 1]), 5)).toEqual([4]);
});
