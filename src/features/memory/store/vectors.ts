/**
 * Keeps an index's vectors in memory for scanning: one byte per number and one bit for its sign (10,000 vectors of
 * 1,536 numbers take 17 MB). That is precise enough to choose candidates; the float32 vectors in the file decide their
 * exact order. Rows may change during a scan.
 */
import { setImmediate as pause } from 'node:timers/promises';

/** Multiplications per turn of the event loop: a few ms, or about 20 ms before the loop is compiled. */
const SLICE = 1_000_000;
/** Rows compared by sign per turn of the event loop. */
const SIGN_SLICE = 4_000;
/**
 * If there are many long vectors, only those with the best matching signs are multiplied. From 256 signs on, the angle
 * estimated from them is accurate to a tenth, and ten times as many candidates are selected as could be needed.
 */
const MIN_SIGNS = 256;
const COARSE = 1_000;

interface ScoredPiece {
  id: number;
  score: number;
}

/** @param capacity the initial capacity; it grows */
export class Vectors {
  readonly dimensions: number;
  readonly #words: number;
  #bytes: Int8Array;
  #signs: Int32Array;
  #factors: Float32Array;
  readonly #ids: number[] = [];
  readonly #slots = new Map<number, number>();

  constructor(dimensions: number, capacity = 64) {
    this.dimensions = dimensions;
    this.#words = Math.floor(dimensions / 32);
    this.#bytes = new Int8Array(dimensions * Math.max(1, capacity));
    this.#signs = new Int32Array(this.#words * Math.max(1, capacity));
    this.#factors = new Float32Array(Math.max(1, capacity));
  }

  get size() {
    return this.#ids.length;
  }

  set(id: number, vector: Float32Array): void {
    const slot = this.#slots.get(id) ?? this.#ids.length;
    if (slot === this.#factors.length) this.#grow();
    if (slot === this.#ids.length) this.#ids.push(id);
    this.#slots.set(id, slot);
    this.#factors[slot] = writeBytes(this.#bytes, slot * this.dimensions, vector);
    writeSigns(this.#signs, slot * this.#words, vector);
  }

  delete(id: number): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    const last = this.#ids.length - 1;
    const moved = this.#ids[last] ?? id;
    this.#bytes.copyWithin(slot * this.dimensions, last * this.dimensions, (last + 1) * this.dimensions);
    this.#signs.copyWithin(slot * this.#words, last * this.#words, (last + 1) * this.#words);
    this.#factors[slot] = this.#factors[last] ?? 0;
    this.#ids[slot] = moved;
    this.#slots.set(moved, slot);
    this.#slots.delete(id);
    this.#ids.pop();
  }

  /**
   * Returns the IDs of the vectors closest to the query's direction, best first. Leaves out those at a right angle or
   * more.
   */
  async nearest(query: Float32Array, count: number): Promise<number[]> {
    const scale = scaleOf(query);
    const whole = Int32Array.from(query, (value) => Math.round(value * scale));
    const near = await this.#candidates(query);
    const step = Math.max(1, Math.floor(SLICE / this.dimensions));
    const best: ScoredPiece[] = [];
    for (let from = 0; from < near.length; from += step) {
      if (from > 0) await pause();
      const part = near.subarray(from, from + step);
      const products = multiply(this.#bytes, part, whole);
      for (const [at, slot] of part.entries()) {
        const id = this.#ids[slot];
        const score = (products[at] ?? 0) * (this.#factors[slot] ?? 0);
        if (id !== undefined && score > 0) insertBest(best, { id, score }, count);
      }
    }
    return [...new Set(best.map(({ id }) => id))];
  }

  #grow(): void {
    const size = this.#factors.length * 2;
    const [moreBytes, moreSigns, more] = [
      new Int8Array(size * this.dimensions),
      new Int32Array(size * this.#words),
      new Float32Array(size),
    ];
    moreBytes.set(this.#bytes);
    moreSigns.set(this.#signs);
    more.set(this.#factors);
    [this.#bytes, this.#signs, this.#factors] = [moreBytes, moreSigns, more];
  }

  async #candidates(query: Float32Array): Promise<Int32Array> {
    if (this.dimensions < MIN_SIGNS || this.#ids.length < COARSE * 4) return Int32Array.from(this.#ids.keys());
    const wanted = new Int32Array(this.#words);
    writeSigns(wanted, 0, query);
    const distances = new Uint16Array(this.#ids.length);
    for (let from = 0; from < distances.length; from += SIGN_SLICE) {
      if (from > 0) await pause();
      compareSigns(this.#signs, wanted, distances, from, Math.min(distances.length, from + SIGN_SLICE));
    }
    const limit = Uint16Array.from(distances).sort()[COARSE] ?? 0;
    return Int32Array.from(distances.keys()).filter((slot) => (distances[slot] ?? 0) <= limit);
  }
}

/** Adds the entry to a list of at most `count`, best first. */
function insertBest(best: ScoredPiece[], entry: ScoredPiece, count: number): void {
  if (best.length === count && entry.score <= (best.at(-1)?.score ?? 0)) return;
  const at = best.findIndex(({ score }) => score < entry.score);
  best.splice(at === -1 ? best.length : at, 0, entry);
  if (best.length > count) best.pop();
}

// These are the hot loops: with integers only, in functions that contain nothing else, they run several times faster.

function multiply(rows: Int8Array, slots: Int32Array, query: Int32Array): Float64Array {
  const products = new Float64Array(slots.length);
  for (let i = 0; i < slots.length; i++) products[i] = dot(rows, (slots[i] ?? 0) * query.length, query, query.length);
  return products;
}

function dot(rows: Int8Array, from: number, query: Int32Array, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum = (sum + Math.imul(rows[from + i] ?? 0, query[i] ?? 0)) | 0;
  return sum;
}

/** Counts the signs in which each row differs from the query. */
function compareSigns(signs: Int32Array, query: Int32Array, distances: Uint16Array, from: number, to: number): void {
  for (let row = from; row < to; row++) distances[row] = differing(signs, row * query.length, query);
}

function differing(signs: Int32Array, from: number, query: Int32Array): number {
  let count = 0;
  for (let i = 0; i < query.length; i++) {
    let bits = (signs[from + i] ?? 0) ^ (query[i] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

function writeSigns(signs: Int32Array, from: number, vector: Float32Array): void {
  for (let word = 0; word < Math.floor(vector.length / 32); word++) {
    let bits = 0;
    for (let i = 0; i < 32; i++) if ((vector[word * 32 + i] ?? 0) > 0) bits |= 1 << i;
    signs[from + word] = bits;
  }
}

/** Returns the factor that normalises a dot product with the bytes to a vector of length 1. */
function writeBytes(bytes: Int8Array, from: number, vector: Float32Array): number {
  const scale = scaleOf(vector);
  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i] ?? 0;
    squares += value * value;
    bytes[from + i] = Math.round(value * scale);
  }
  return scale > 0 ? 1 / (scale * Math.sqrt(squares)) : 0;
}

/** Returns the factor that scales the largest number of a vector to 127; 0 for a zero vector. */
function scaleOf(vector: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] ?? 0));
  return largest > 0 && Number.isFinite(largest) ? 127 / largest : 0;
}

/** Returns the cosine similarity, from -1 to 1; 0 if a vector is all zeros. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let [dotted, squaresA, squaresB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dotted += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  const length = Math.sqrt(squaresA * squaresB);
  return length > 0 ? dotted / length : 0;
}

/** Returns a vector as stored in the file, little-endian. */
export const toBlob = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** Copies, because a blob may begin at any byte. */
export const fromBlob = (blob: Uint8Array): Float32Array =>
  new Float32Array(blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength - (blob.byteLength % 4)));
