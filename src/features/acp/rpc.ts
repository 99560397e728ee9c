/** JSON-RPC 2.0 over lines of JSON, in both directions. Only messages are written to the output, one per line. */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
export const NOT_FOUND = -32_002;

/** The answer to a request that fails. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const id = z.union([z.string(), z.number(), z.null()]);
const incoming = z.object({
  jsonrpc: z.literal('2.0'),
  id: id.exactOptional(),
  method: z.string().exactOptional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).exactOptional(),
});
type Incoming = z.infer<typeof incoming>;

export interface Peer {
  notify(method: string, params: object): void;
  /** @throws RpcError if the other side answers with an error, or the connection ends first */
  request(method: string, params: object): Promise<unknown>;
  /** Resolves when the other side has closed its end. */
  closed: Promise<void>;
}

/** Answers a request with its result; undefined for a notification. */
export type Handle = (method: string, params: unknown) => Promise<object | undefined>;

export function openPeer(input: Readable, output: Writable, handle: Handle, onError: (error: unknown) => void): Peer {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: RpcError): void }>();
  const closed = Promise.withResolvers<void>();
  let count = 0;
  const write = (message: object) => void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

  async function answer({ id: asked, method = '', params }: Incoming): Promise<void> {
    try {
      const result = await handle(method, params);
      if (asked !== undefined) write({ id: asked, result: result ?? {} });
    } catch (error) {
      const known = error instanceof RpcError ? error : undefined;
      if (!known) onError(error);
      if (asked !== undefined)
        write({
          id: asked,
          error: { code: known?.code ?? INTERNAL_ERROR, message: known?.message ?? 'Internal error' },
        });
    }
  }

  function settle({ id: answered, result, error }: Incoming): void {
    const known = typeof answered === 'number' ? waiting.get(answered) : undefined;
    if (typeof answered === 'number') waiting.delete(answered);
    if (error) known?.reject(new RpcError(error.code, error.message));
    else known?.resolve(result);
  }

  function take(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      write({ id: null, error: { code: PARSE_ERROR, message: 'Parse error' } });
      return;
    }
    const { data } = incoming.safeParse(value);
    if (!data) {
      write({ id: null, error: { code: INVALID_REQUEST, message: 'Invalid request' } });
      return;
    }
    if (data.method === undefined) settle(data);
    else void answer(data);
  }

  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
    .on('line', (line) => {
      if (line.trim() !== '') take(line);
    })
    .once('close', () => {
      for (const { reject } of waiting.values()) reject(new RpcError(INTERNAL_ERROR, 'The connection was closed.'));
      closed.resolve();
    });
  return {
    closed: closed.promise,
    notify: (method, params) => write({ method, params }),
    request(method, params) {
      count += 1;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(count, { resolve, reject });
      write({ id: count, method, params });
      return promise;
    },
  };
}
