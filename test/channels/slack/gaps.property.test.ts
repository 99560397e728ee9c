/**
 * No mark passes a message that is not taken in, in whatever order things happen: live events, pages of history and what becomes of
 * both, connections that break, waits that end, disks and calls that fail, and processes that are stopped or killed in between.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { InboundMessage, InboundOutcome } from '../../../src/channels/channel.ts';
import { type SlackApi, SlackError } from '../../../src/channels/slack/connect/api.ts';
import { createParts, type Parts } from '../../../src/channels/slack/parts.ts';
import { createContext } from './harness.ts';

const RUNS = Number(process.env.INJECTION_RUNS ?? 400);
/** A run is repeated by its seed. */
const SEED = process.env.INJECTION_SEED;
const CHATS = ['D0ALEX000', 'D0SAM0000', 'C0GENERAL'] as const;
const ROOM = CHATS[2];
/** Of history; Slack may give fewer than it is asked for. */
const PAGE = 3;
const HOLD_MS = 20_000;
const SELF = { userId: 'U0VIBER00', botId: 'B0VIBER00', teamId: 'T0EMULATE', name: 'viber' };

interface Said {
  chat: string;
  ts: string;
  thread?: string;
}

type Step =
  | { do: 'say'; where: number }
  /** Something under way goes on, or fails. */
  | { do: 'settle' | 'fail' | 'redeliver'; which: number }
  | { do: 'open' | 'drop' | 'wait' | 'stop' | 'kill' };

const which = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), where: fc.nat({ max: 3 }) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('settle' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('fail' as const, 'redeliver' as const), which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('open' as const, 'drop' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('wait' as const, 'stop' as const, 'kill' as const) }) },
);

/** Slack, a disk, and one process after the other. */
class World {
  readonly #start = Math.floor(Date.now() / 1000);
  readonly #said: Said[] = [];
  readonly #stored = new Set<string>();
  readonly #marks = new Map<string, string>();
  #under: ((isFailing: boolean) => void)[] = [];
  #unacknowledged: Said[] = [];
  #parts: Parts | undefined;
  #leaving = new AbortController();
  #isOpen = false;
  #life = 0;

  constructor() {
    // Every chat is known, and a thread.
    for (const chat of CHATS) {
      const { ts } = this.#add(chat);
      this.#stored.add(ts);
      this.#marks.set(chat, ts);
      if (chat === ROOM) this.#marks.set(`${chat}:${ts}`, ts);
    }
  }

  #add(chat: string, thread?: string): Said {
    const said = { chat, ts: `${this.#start + this.#said.length}.000100`, ...(thread !== undefined && { thread }) };
    this.#said.push(said);
    return said;
  }

  do(next: Step): void {
    if (next.do === 'say') this.#say(next.where);
    else if (next.do === 'settle' || next.do === 'fail') this.#settle(next.which, next.do === 'fail');
    else if (next.do === 'redeliver') this.#deliver(this.#unacknowledged.splice(next.which, 1)[0]);
    else if (next.do === 'open') this.#open();
    else if (next.do === 'drop') this.#isOpen = false;
    else if (next.do === 'wait') vi.advanceTimersByTime(HOLD_MS);
    else if (next.do === 'stop') this.#stop();
    else this.#kill();
  }

  #say(where: number): void {
    const root = this.#said.findLast(({ chat, thread }) => chat === ROOM && thread === undefined);
    this.#deliver(where < CHATS.length ? this.#add(CHATS[where] ?? '') : this.#add(ROOM, root?.ts));
  }

  #deliver(said: Said | undefined): void {
    if (!said || !this.#isOpen || !this.#parts) return;
    const life = this.#life;
    this.#parts.intake.take({ type: 'event_callback', event: eventOf(said) }).catch(() => {
      if (life === this.#life) this.#unacknowledged.push(said);
    });
  }

  #settle(at: number, isFailing: boolean): void {
    this.#under.splice(Math.min(at, this.#under.length - 1), 1)[0]?.(isFailing);
  }

  #open(): void {
    this.#parts ??= this.#begin();
    this.#parts.intake.backfill.expect();
    this.#isOpen = true;
    this.#parts.intake.backfill.start();
  }

  /** What is in hand still ends. */
  #stop(): void {
    this.#isOpen = false;
    this.#leaving.abort();
    if (this.#under.length === 0) this.#kill();
  }

  #kill(): void {
    this.#isOpen = false;
    this.#life++;
    this.#parts = undefined;
    this.#under = [];
    this.#unacknowledged = [];
    vi.clearAllTimers();
  }

  #begin(): Parts {
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    const life = ++this.#life;
    const names = { nameOf: () => 'Alex', languageOf: () => undefined, zoneOf: () => undefined };
    const marks = new Map(this.#marks);
    const set = (place: string, mark: string) => {
      marks.set(place, mark);
      if (life === this.#life) this.#mark(place, mark);
    };
    const api: SlackApi = { call: (method, params = {}) => this.#call(life, method, params) };
    const cursors = { all: () => marks, set };
    return createParts({
      ...createContext(api, { cursors, timing: { holdMs: HOLD_MS } }),
      signal,
      self: { ...SELF, commands: new Map(), command: '/viber', ...names },
      callbacks: {
        onMessage: (message) => this.#later(life, () => this.#store(message)),
        onInterrupt: async () => undefined,
        onSuggest: async () => [],
        onDropped: () => undefined,
        onStatus: () => undefined,
      },
    });
  }

  /** Goes on when its turn comes; of a process that was killed never. */
  #later<T>(life: number, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (life !== this.#life) return;
      this.#under.push((isFailing) => {
        if (isFailing) reject(new SlackError('lost', 'it failed', { code: 'lost' }));
        else resolve(work());
      });
    });
  }

  #store({ messageId }: InboundMessage): InboundOutcome {
    const isKnown = this.#stored.has(messageId);
    this.#stored.add(messageId);
    return isKnown ? 'duplicate' : 'accepted';
  }

  async #call(life: number, method: string, params: Readonly<Record<string, unknown>>): ReturnType<SlackApi['call']> {
    if (!/^conversations\.(history|replies)$/.test(method)) return {};
    // What Slack sees when it is asked may arrive much later.
    const answer = await this.#later(life, () => this.#page(params));
    return this.#later(life, () => answer);
  }

  #page({ channel, ts, oldest, cursor }: Readonly<Record<string, unknown>>) {
    const found = this.#said.filter(
      (said) => said.chat === channel && said.thread === ts && Number(said.ts) > Number(oldest),
    );
    if (ts === undefined) found.reverse();
    const from = cursor === undefined ? 0 : found.findIndex((said) => said.ts === cursor);
    const next = found[from + PAGE]?.ts ?? '';
    const root = this.#said.filter((said) => said.ts === ts);
    const messages = [...root, ...found.slice(from, from + PAGE)].map((said) => ({
      ...eventOf(said),
      reply_count: this.#said.filter(({ thread }) => thread === said.ts).length,
    }));
    return { ok: true, messages, response_metadata: { next_cursor: next } };
  }

  #mark(place: string, mark: string): void {
    this.#marks.set(place, mark);
    const passed = this.missing().filter((said) => placeOf(said) === place && Number(said.ts) <= Number(mark));
    expect(passed, `the mark of ${place} is at ${mark}`).toEqual([]);
  }

  missing(): Said[] {
    return this.#said.filter(({ ts }) => !this.#stored.has(ts));
  }

  /** After the next start everything works. */
  async end(): Promise<void> {
    this.#kill();
    await turn();
    this.#open();
    await this.#calm();
  }

  /** From now on everything works, without a restart. */
  async mend(): Promise<void> {
    if (this.#leaving.signal.aborted) this.#kill();
    this.#open();
    await this.#calm();
  }

  async #calm(): Promise<void> {
    for (let idle = 0; idle < 5; ) {
      await turn();
      idle = this.#under.length === 0 ? idle + 1 : 0;
      if (idle > 0) vi.advanceTimersByTime(3 * HOLD_MS);
      this.#settle(0, false);
    }
  }
}

const placeOf = ({ chat, thread }: Said) => (thread === undefined ? chat : `${chat}:${thread}`);

function eventOf({ chat, ts, thread }: Said) {
  const text = `${chat === ROOM && thread === undefined ? `<@${SELF.userId}> ` : ''}message ${ts}`;
  const place = thread === undefined ? {} : { thread_ts: thread };
  return { type: 'message', channel: chat, user: 'U0ALEX000', text, ts, ...place };
}

/** All that can go on by itself has done so. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.each(['end', 'mend'] as const)(
  'no mark passes a message that is not taken in, and all of them are found (%s)',
  async (how) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const world = new World();
        for (const next of steps) {
          world.do(next);
          await turn();
        }
        await world[how]();
        expect(world.missing()).toEqual([]);
      }),
      { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
  },
);
