/**
 * Asks the process that owns a lane, and answers such questions. A question stays in a list until it is read, and its
 * answer has a key of its own, so a lost notification only delays the answer until the next poll.
 */
import { randomUUID } from 'node:crypto';
import { isFilled, isNumber, isText, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';
import type { Arrival, LaneSignal } from '../engine.ts';
import type { World } from './world.ts';

interface Question {
  id: string;
  from: string;
  lane: string;
  signal: LaneSignal;
  /** Limits the signal to what arrived before this. */
  before?: Arrival;
}

const questionShape = shape<Question>(
  objectOf({
    id: isFilled,
    from: isFilled,
    lane: isFilled,
    signal: oneOf('stop', 'steer'),
    before: optional(objectOf({ seq: isNumber, orderKey: optional(objectOf({ source: isText, at: isNumber })) })),
  }),
);
type Answers = (lane: string, signal: LaneSignal, before?: Arrival) => Promise<boolean | undefined>;

const questionsOf = (process: string): string => `viber:asked:${process}`;
const answerTo = (id: string): string => `viber:answered:${id}`;
/** Longer than the time between two polls, in ms. */
const WAIT_MS = 4_500;
const LOOK_MS = 500;
const KEPT_MS = 30_000;
const AT_ONCE = 100;
const QUESTION = '?';

export class Signals {
  readonly #world: World;
  readonly #answer: Answers;
  readonly #waiting = new Map<string, () => void>();

  /** @param answer returns undefined for a lane that isn't owned here */
  constructor(world: World, answer: Answers) {
    this.#world = world;
    this.#answer = answer;
    world.news.onWord((text) => {
      if (text === QUESTION) void this.look();
      else this.#waiting.get(text)?.();
    });
  }

  /** Resolves to undefined when the process doesn't own the lane any more, or doesn't answer. */
  async ask(process: string, lane: string, signal: LaneSignal, before?: Arrival): Promise<boolean | undefined> {
    const { own } = this.#world.connections;
    const question: Question = { id: randomUUID(), from: this.#world.name, lane, signal, ...(before && { before }) };
    // Registered before asking: the answer may arrive before `say` returns.
    let word = Promise.withResolvers<void>();
    this.#waiting.set(question.id, () => word.resolve());
    try {
      // Sent together, since somebody waits: the server handles them in this order.
      const stored = own.rpush(questionsOf(process), JSON.stringify(question));
      const kept = own.pexpire(questionsOf(process), KEPT_MS);
      this.#world.news.say(process, QUESTION);
      await Promise.all([stored, kept]);
      const until = Date.now() + WAIT_MS;
      // A process that is gone never answers.
      while (Date.now() < until && !this.#world.gone.has(process)) {
        const timer = setTimeout(() => word.resolve(), LOOK_MS);
        await word.promise;
        clearTimeout(timer);
        word = Promise.withResolvers<void>();
        const answer = await own.get(answerTo(question.id));
        if (answer !== null) return answer === 'none' ? undefined : answer === 'yes';
      }
      return undefined;
    } finally {
      this.#waiting.delete(question.id);
    }
  }

  /** Answers pending questions. */
  async look(): Promise<void> {
    try {
      const asked = (await this.#world.connections.own.lpop(questionsOf(this.#world.name), AT_ONCE)) ?? [];
      await Promise.all(asked.map((text) => this.#reply(text)));
    } catch (error) {
      this.#world.onQuiet(error);
    }
  }

  async #reply(text: string): Promise<void> {
    const { data } = questionShape.safeParse(JSON.parse(text));
    if (!data) return;
    const answer = await this.#answer(data.lane, data.signal, data.before);
    const said = answer === undefined ? 'none' : answer ? 'yes' : 'no';
    const kept = this.#world.connections.own.set(answerTo(data.id), said, 'PX', KEPT_MS);
    this.#world.news.say(data.from, data.id);
    await kept;
  }
}
