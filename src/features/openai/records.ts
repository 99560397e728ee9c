/**
 * Remembers accepted requests for a week: which task each belongs to, and how much of it the program has seen. Losing a
 * record begins a new task with the conversation's history; it loses no message.
 */
import { z } from 'zod';
import type { ProtocolParts } from '../../board/protocol/parts.ts';

/** A request that was accepted. */
const acceptedSchema = z.object({
  taskId: z.string(),
  /** Its message in the task; absent if it answered a question of `run`. */
  message: z.string().exactOptional(),
  run: z.string().exactOptional(),
  /** Its number among the requests of the task. */
  turn: z.number(),
  /** How often the same request was run before. */
  again: z.number(),
  /** ms since the epoch. */
  at: z.number(),
  /** A digest of the body, which an Idempotency-Key stands for. */
  body: z.string(),
  /** The outcome that the program was told; absent until then. */
  end: z.enum(['answered', 'failed', 'stopped']).exactOptional(),
  endedAt: z.number().exactOptional(),
});
export type AcceptedRequest = z.infer<typeof acceptedSchema>;
export type EndState = NonNullable<AcceptedRequest['end']>;

const turnSchema = z.object({
  turn: z.number(),
  /** The question that the program received last. */
  asked: z.object({ approval: z.string(), digest: z.string() }).exactOptional(),
});
export type TaskTurn = z.infer<typeof turnSchema>;

const placesSchema = z.array(z.object({ taskId: z.string(), turn: z.number() }));
/** Once this many conversations have the same words, none of them is recognised. */
const MAX_ALIKE = 5;

export function openRequestRecords({ get, set }: ProtocolParts['answered']) {
  async function read<T>(key: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const text = await get(key);
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  }
  const write = (key: string, value: object) => set(key, JSON.stringify(value));
  const turnOf = (taskId: string) => read(`openai.turn.${taskId}`, turnSchema);

  return {
    turnOf,
    setTurn: (taskId: string, turn: TaskTurn) => write(`openai.turn.${taskId}`, turn),
    accepted: (key: string) => read(`openai.request.${key}`, acceptedSchema),
    setAccepted: (key: string, accepted: AcceptedRequest) => write(`openai.request.${key}`, accepted),
    named: (key: string) => get(`openai.named.${key}`),
    setNamed: (key: string, taskId: string) => set(`openai.named.${key}`, taskId),
    /** Returns the task whose conversation is exactly at this point; undefined if there are several. */
    async taskAt(key: string): Promise<string | undefined> {
      const places = (await read(`openai.at.${key}`, placesSchema)) ?? [];
      const current = await Promise.all(
        places.map(async ({ taskId, turn }) => ((await turnOf(taskId))?.turn === turn ? [taskId] : [])),
      );
      const [only, ...others] = [...new Set(current.flat())];
      return others.length === 0 && places.length < MAX_ALIKE ? only : undefined;
    },
    async setPlaces(keys: readonly string[], taskId: string, turn: number): Promise<void> {
      await Promise.all(
        keys.map(async (key) => {
          const before = (await read(`openai.at.${key}`, placesSchema)) ?? [];
          const others = before.filter((place) => place.taskId !== taskId);
          await write(`openai.at.${key}`, [...others, { taskId, turn }].slice(-MAX_ALIKE));
        }),
      );
    },
  };
}

export type Records = ReturnType<typeof openRequestRecords>;

/** The parts of a request that decide whether it is a repetition. */
export interface Repeatable {
  body: string;
  hasIdempotencyKey: boolean;
  /** The program says that this is a retry. */
  isRetry: boolean;
}

/**
 * `join`: it is the same message, and this request receives its outcome. `again`: its run failed or was stopped, and the
 * person asks once more, in the same task. `reused`: the key stands for another message.
 */
export type Repetition = 'new' | 'join' | 'again' | 'reused';

/**
 * A program that lost an answer asks again within this time, in ms. Later, a person may ask the same anew and mean it.
 */
const RETRIED_MS = 60_000;
const LOST_MS = 10 * 60_000;

/** @param isHeard whether a program still waits for the outcome of the first request */
export function repetitionOf(
  { body, hasIdempotencyKey, isRetry }: Repeatable,
  known: AcceptedRequest | undefined,
  { isHeard, isRunning, now }: { isHeard: boolean; isRunning: boolean; now: number },
): Repetition {
  if (!known) return 'new';
  if (known.body !== body) return 'reused';
  const { end, endedAt = known.at } = known;
  if (end === 'stopped') return 'again';
  if (hasIdempotencyKey) return 'join';
  if (end === undefined) {
    if (isRetry) return 'join';
    if (isHeard) return 'new';
    return isRunning || now - endedAt < LOST_MS ? 'join' : 'new';
  }
  if (isRetry && now - endedAt < RETRIED_MS) return 'join';
  return end === 'failed' ? 'again' : 'new';
}
