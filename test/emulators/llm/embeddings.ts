/**
 * `POST /v1/embeddings`, deterministic and as strict as the real one. Each word is hashed to a few signed coordinates,
 * and the sum is normalised, so that texts with common words are close to each other, and the same text always has the
 * same vector.
 */
import type { ServerResponse } from 'node:http';
import { sendJson } from '../base/http.ts';
import { sendError } from './faults.ts';

const SIZE = 64;
/** The most inputs of one request. */
const MAX_INPUTS = 2048;
/** The most tokens of one request, at four characters each. */
const MAX_TOKENS = 300_000;

export interface EmbeddingRequest {
  model: string;
  input: string[];
}

export type EmbeddingFault = 'rate-limited' | 'server-error' | 'refuse' | 'stall';

export interface EmbeddingPoint {
  requests(): EmbeddingRequest[];
  /** Makes the next `times` requests fail. */
  fault(fault: EmbeddingFault, times?: number): void;
  /** From now on, refuses texts that contain this, as if they were too long. */
  refuseText(part: string): void;
  /** Sets the number of dimensions from now on. */
  dimensions(count: number): void;
  clear(): void;
}

function hash(text: string, seed: number): number {
  let value = 2166136261 ^ seed;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

/** Returns a unit vector of `size` numbers. */
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

/** Returns the refusal of real endpoints, in their words; undefined if there is none. */
function refusal({ model, input, encoding_format: format }: Record<string, unknown>): string | undefined {
  const list = Array.isArray(input) ? input : [input];
  if (typeof model !== 'string' || model === '') return 'you must provide a model parameter';
  if (list.length === 0 || list.some((text) => typeof text !== 'string')) return "'$.input' is invalid.";
  if (list.some((text) => text === '')) return "'$.input' is invalid: input cannot be an empty string.";
  if (list.length > MAX_INPUTS) return `'$.input' is too long: at most ${MAX_INPUTS} inputs`;
  if (format !== undefined && format !== 'float' && format !== 'base64') return "'encoding_format' is invalid";
  const tokens = list.reduce((sum: number, text: string) => sum + Math.ceil(text.length / 4), 0);
  return tokens > MAX_TOKENS ? `Requested ${tokens} tokens, max ${MAX_TOKENS} tokens per request` : undefined;
}

export function createEmbeddingPoint(): EmbeddingPoint & {
  answer(body: Record<string, unknown>, response: ServerResponse): void;
} {
  let log: EmbeddingRequest[] = [];
  let faults: EmbeddingFault[] = [];
  let refused: string[] = [];
  let size = SIZE;

  return {
    requests: () => [...log],
    fault(fault, times = 1) {
      for (let i = 0; i < times; i += 1) faults.push(fault);
    },
    refuseText: (part) => void refused.push(part),
    dimensions(count) {
      size = count;
    },
    clear() {
      log = [];
      faults = [];
      refused = [];
      size = SIZE;
    },
    answer(body, response) {
      const input = (Array.isArray(body.input) ? body.input : [body.input]).map(String);
      log.push({ model: String(body.model), input });
      const fault = faults.shift();
      if (fault === 'refuse') return void response.socket?.destroy();
      if (fault === 'stall') return;
      if (fault === 'rate-limited') {
        const headers = { 'retry-after': '1' };
        return sendError(response, 429, 'Rate limit reached for requests', 'requests', 'rate_limit_exceeded', headers);
      }
      if (fault)
        return sendError(response, 500, 'The server had an error while processing your request', 'server_error');
      const why = refusal(body);
      if (why) return sendError(response, 400, why, 'invalid_request_error');
      if (input.some((text) => refused.some((part) => text.includes(part)))) {
        return sendError(response, 400, "This model's maximum context length is 512 tokens", 'invalid_request_error');
      }
      const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
      const wanted = typeof body.dimensions === 'number' ? body.dimensions : size;
      sendJson(response, 200, {
        object: 'list',
        model: body.model,
        data: input.map((text, index) => ({ object: 'embedding', index, embedding: embed(text, wanted) })),
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      });
    },
  };
}
