/**
 * Reports the progress of a server's tool call from the notifications that the server sends. The library neither sends
 * a progress token nor passes on notifications, so both happen where messages leave and arrive; the call is found
 * through its async context.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { z } from 'zod';
import { isRecord } from '../../lib/json.ts';

type ProgressListener = (note: string) => void;

const listening = new AsyncLocalStorage<ProgressListener>();

/** The shortest time between two reports, however many a server sends, in ms. */
const EVERY_MS = 500;
const MAX_NOTE = 200;

const progress = z.looseObject({
  progressToken: z.union([z.string(), z.number()]),
  progress: z.number(),
  total: z.number().nullish(),
  message: z.string().nullish(),
});

/** Asks for progress in every call sent to a server while `work` runs, and passes it to `heard`. */
export function hearing<T>(heard: ProgressListener, work: () => Promise<T>): Promise<T> {
  let told = 0;
  return listening.run((note) => {
    if (Date.now() - told < EVERY_MS) return;
    told = Date.now();
    heard(note);
  }, work);
}

/** The listeners of one connection, by the token of their call. */
export class Tokens {
  readonly #heard = new Map<string, ProgressListener>();

  /** Adds the token that requests progress to a call; returns any other message unchanged. */
  ask<T>(message: T): T {
    const heard = listening.getStore();
    if (!heard || !isRecord(message) || message.method !== 'tools/call' || message.id === undefined) return message;
    const params = isRecord(message.params) ? message.params : {};
    const meta = isRecord(params._meta) ? params._meta : {};
    const token = String(message.id);
    this.#heard.set(token, heard);
    return { ...message, params: { ...params, _meta: { ...meta, progressToken: token } } };
  }

  /** Takes a notification of the server; ignores those that aren't progress of a running call. */
  note(method: string, params: unknown): void {
    if (method !== 'notifications/progress') return;
    const { data } = progress.safeParse(params);
    if (data) this.#heard.get(String(data.progressToken))?.(progressText(data));
  }

  end(id: unknown): void {
    this.#heard.delete(String(id));
  }
}

function progressText({ progress: done, total, message }: z.infer<typeof progress>): string {
  const round = (value: number) => String(Math.round(value * 100) / 100);
  const share = Math.round((done / (total || 1)) * 100);
  // A total of one means a share, a larger one a count.
  const far = !total || total <= 0 ? '' : total === 1 ? `${share}%` : `${round(done)}/${round(total)}`;
  return [far, message?.slice(0, MAX_NOTE).toWellFormed() ?? ''].filter(Boolean).join(' ') || round(done);
}
