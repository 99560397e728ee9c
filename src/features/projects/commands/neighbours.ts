/**
 * Lets several gateway processes of one home ask each other about a task's commands, because a command can only be read
 * from, written to and ended in the process that started it. Questions and answers are stored in the engine's state,
 * where somebody who can only reach its server can't forge them; published events only wake the others.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { State, Stop } from '../../../engine/engine.ts';
import { type Json, parseJson } from '../../../lib/json.ts';
import { createLru } from '../../../lib/lru.ts';
import { isRunningHere, type Owner } from './record.ts';

/** The parts of the engine that are used here. */
export interface SharedBy {
  state: State;
  publish(topic: string, text: string): void;
  subscribe(topic: string, on: (text: string) => void): Stop;
}

const question = z.discriminatedUnion('what', [
  z.object({ what: z.literal('tell'), taskId: z.string(), run: z.string() }),
  z.object({ what: z.literal('end'), taskId: z.string() }),
  z.object({ what: z.literal('use'), taskId: z.string(), call: z.record(z.string(), z.json()) }),
]);
export type Question = z.infer<typeof question>;

const sent = z.object({ to: z.string(), at: z.number(), question });

const TOPIC = 'commands';
const KEPT_MS = 120_000;
/** The interval for checking for an answer, since published events may be lost. */
const LOOK_MS = 500;
const BEAT_MS = 5_000;
/** A process on another machine counts as gone if it hasn't reported for this long. */
const GONE_MS = 20_000;
const COUNT_MS = 30 * 86_400_000;
const MAX_ANSWERED = 1_000;

const askedKey = (id: string): string => `command.asked.${id}`;
const answerKey = (id: string): string => `command.answered.${id}`;
const hereKey = (instance: string): string => `command.here.${instance}`;

export class Neighbours {
  readonly instance: string;
  readonly #by: SharedBy;
  readonly #answer: (question: Question) => Promise<Json>;
  /** Questions that were accepted. Each is answered once, however often it arrives. */
  readonly #taken = createLru<true>(MAX_ANSWERED);
  readonly #waiting = new Map<string, () => void>();
  readonly #stop: Stop;
  #beat: NodeJS.Timeout | undefined;

  constructor(instance: string, by: SharedBy, answer: (question: Question) => Promise<Json>) {
    this.instance = instance;
    this.#by = by;
    this.#answer = answer;
    this.#stop = by.subscribe(TOPIC, (text) => this.#hear(text));
  }

  /** Announces this process to the others. */
  async begin(): Promise<void> {
    if (this.#beat) return;
    const beat = () => this.#by.state.set(hereKey(this.instance), 'here', GONE_MS);
    // A failed announcement is repeated before the others notice.
    this.#beat = setInterval(() => void beat().catch(() => undefined), BEAT_MS).unref();
    await beat();
  }

  async isGone(owner: Owner): Promise<boolean> {
    return !(isRunningHere(owner) ?? (await this.#isHeardOf(owner.instance)));
  }

  async #isHeardOf(instance: string): Promise<boolean> {
    return (await this.#by.state.get(hereKey(instance))) !== undefined;
  }

  /** Returns the number for the task's next command; no two processes get the same one. */
  next(taskId: string): Promise<number> {
    return this.#by.state.add(`command.count.${taskId}`, 1, COUNT_MS);
  }

  /** Resolves to undefined if the process doesn't answer. */
  async ask(instance: string, asked: Question, waitMs: number): Promise<Json | undefined> {
    const id = randomUUID();
    const { state } = this.#by;
    const value = JSON.stringify({ to: instance, at: Date.now(), question: asked });
    await state.set(askedKey(id), value, KEPT_MS);
    const until = Date.now() + waitMs;
    try {
      while (Date.now() < until) {
        const woken = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
        this.#by.publish(TOPIC, `? ${id}`);
        await Promise.race([woken, sleep(LOOK_MS)]);
        const answer = await state.get(answerKey(id));
        if (answer !== undefined) return z.json().parse(JSON.parse(answer));
      }
      return undefined;
    } finally {
      this.#waiting.delete(id);
      await state.delete(askedKey(id));
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#beat);
    // Tells the others at once, so that they needn't wait for the timeout.
    if (this.#beat) await this.#by.state.delete(hereKey(this.instance));
    await this.#stop();
  }

  #hear(text: string): void {
    const [kind = '', id = ''] = text.split(' ');
    if (kind === '!') this.#waiting.get(id)?.();
    // If a question can't be read, it is asked again, or nobody is waiting for it any more.
    else if (kind === '?' && !this.#taken.has(id)) void this.#take(id).catch(() => undefined);
  }

  async #take(id: string): Promise<void> {
    const { state } = this.#by;
    const { data } = sent.safeParse(parseJson((await state.get(askedKey(id))) ?? ''));
    // Somebody who can reach the server may have put an old one back.
    if (data?.to !== this.instance || Date.now() - data.at > KEPT_MS || this.#taken.has(id)) return;
    this.#taken.set(id, true);
    const answer = await this.#answer(data.question);
    await state.set(answerKey(id), JSON.stringify(answer), KEPT_MS);
    this.#by.publish(TOPIC, `! ${id}`);
  }
}
