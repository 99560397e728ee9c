/**
 * Deterministic embeddings: each word is hashed to a few signed coordinates, the sum is normalised. Texts with words in
 * common are near each other, the same text always gives the same vector.
 */
const SIZE = 64;

function hash(text: string, seed: number): number {
  let value = 2166136261 ^ seed;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

/** A unit vector of `size` numbers. */
export function embed(text: string, size = SIZE): number[] {
  const vector = new Array<number>(size).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    for (let seed = 1; seed <= 3; seed += 1) {
      const value = hash(word, seed);
      const at = value % size;
      vector[at] = (vector[at] ?? 0) + ((value >>> 16) & 1 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** The answer to `POST /v1/embeddings`. */
export function embeddings(body: Record<string, unknown>): Record<string, unknown> {
  const input = (Array.isArray(body.input) ? body.input : [body.input]).map(String);
  const size = typeof body.dimensions === 'number' ? body.dimensions : SIZE;
  const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
  return {
    object: 'list',
    model: body.model,
    data: input.map((text, index) => ({ object: 'embedding', index, embedding: embed(text, size) })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
