/**
 * How far a call of a server's tool is, from the note that the server sends to whoever waits for it. The library sends no token for it and
 * takes no notes, so both are done where messages leave and arrive; the call itself is found by the context it was made in.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { z } from 'zod';
import { isRecord } from '../../../lib/json.ts';

type Heard = (note: string) => void;

const listening = new AsyncLocalStorage<Heard>();

/** At most so often, however many a server sends. */
const EVERY_MS = 500;
const MAX_NOTE = 200;

const progress = z.looseObject({
  progressToken: z.union([z.string(), z.number()]),
  progress: z.number(),
  total: z.number().nullish(),
  message: z.string().nullish(),
});

/** Whatever is sent to a server while `work` goes on asks for progress, and `heard` is told of it. */
export function hearing<T>(heard: Heard, work: () => Promise<T>): Promise<T> {
  let told = 0;
  return listening.run((note) => {
    if (Date.now() - told < EVERY_MS) return;
    told = Date.now();
    heard(note);
  }, work);
}

/** Who waits for progress, by the token of their call: of one connection. */
export class Tokens {
  readonly #heard = new Map<string, Heard>();

  /** A call with the token that asks for its progress; any other message as it is. */
  ask<T>(message: T): T {
    const heard = listening.getStore();
    if (!heard || !isRecord(message) || message.method !== 'tools/call' || message.id === undefined) return message;
    const params = isRecord(message.params) ? message.params : {};
    const meta = isRecord(params._meta) ? params._meta : {};
    const token = String(message.id);
    this.#heard.set(token, heard);
    return { ...message, params: { ...params, _meta: { ...meta, progressToken: token } } };
  }

  /** A note of the server; whatever is no progress, or of no call at work, is passed over. */
  note(method: string, params: unknown): void {
    if (method !== 'notifications/progress') return;
    const { data } = progress.safeParse(params);
    if (data) this.#heard.get(String(data.progressToken))?.(wordsOf(data));
  }

  /** The call has been answered. */
  end(id: unknown): void {
    this.#heard.delete(String(id));
  }
}

function wordsOf({ progress: done, total, message }: z.infer<typeof progress>): string {
  const round = (value: number) => String(Math.round(value * 100) / 100);
  const share = Math.round((done / (total || 1)) * 100);
  // Out of one is a share, out of more a count.
  const far = !total || total <= 0 ? '' : total === 1 ? `${share}%` : `${round(done)}/${round(total)}`;
  return [far, message?.slice(0, MAX_NOTE).toWellFormed() ?? ''].filter(Boolean).join(' ') || round(done);
}
