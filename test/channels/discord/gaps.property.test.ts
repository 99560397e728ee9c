/**
 * No mark passes a message that isn't accepted, in whatever order things happen: live messages, history and what becomes
 * of both, fresh sessions, disks and calls that fail, and processes that are stopped or killed in between.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { InboundMessage, InboundOutcome } from '../../../src/channels/channel.ts';
import { type DiscordApi, DiscordError } from '../../../src/channels/discord/connect/api.ts';
import { Events } from '../../../src/channels/discord/connect/events.ts';
import { Interactions } from '../../../src/channels/discord/connect/interactions.ts';
import { Places } from '../../../src/channels/discord/decode/places.ts';
import { idAt } from '../../../src/channels/discord/decode/read.ts';
import { silentLog } from '../../../src/log.ts';

const RUNS = Number(process.env.INJECTION_RUNS ?? 400);
/** Repeats a run. */
const SEED = process.env.INJECTION_SEED;
const CHATS = ['301', '302'] as const;
const WAIT_MS = 20_000;
const READY = { user: { id: '100', username: 'viber' }, application: { id: '100', flags: 1 << 19 } };

interface Said {
  chat: string;
  id: string;
}

type Step =
  | { do: 'say'; where: number }
  /** One of the pending operations ends, or fails. */
  | { do: 'settle' | 'fail'; which: number }
  | { do: 'open' | 'drop' | 'wait' | 'away' | 'back' | 'stop' | 'kill' };

const which = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), where: fc.nat({ max: 1 }) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('settle' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fail' as const), which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('open' as const, 'drop' as const, 'wait' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('away' as const, 'back' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'kill' as const) }) },
);

/** Discord, a disk, and one process after the other. */
class World {
  readonly #start = BigInt(idAt(Date.now()));
  readonly #said: Said[] = [];
  readonly #stored = new Set<string>();
  readonly #marks = new Map<string, string>();
  #pending: ((isFailing: boolean) => void)[] = [];
  #events: Events | undefined;
  #leaving = new AbortController();
  #isOpen = false;
  /** Calls fail, while messages come live. */
  #isAway = false;
  #life = 0;

  constructor() {
    for (const chat of CHATS) {
      const { id } = this.#add(chat);
      this.#stored.add(id);
      this.#marks.set(chat, id);
    }
  }

  #add(chat: string): Said {
    const said = { chat, id: String(this.#start + (BigInt(this.#said.length + 1) << 22n)) };
    this.#said.push(said);
    return said;
  }

  async do(next: Step): Promise<void> {
    if (next.do === 'say') this.#say(CHATS[next.where] ?? CHATS[0]);
    else if (next.do === 'settle' || next.do === 'fail') this.#settle(next.which, next.do === 'fail');
    else if (next.do === 'open') this.#open();
    else if (next.do === 'drop') this.#isOpen = false;
    else if (next.do === 'away' || next.do === 'back') this.#isAway = next.do === 'away';
    else if (next.do === 'wait') await this.#wait();
    else if (next.do === 'stop') this.#stop();
    else this.#kill();
  }

  #say(chat: string): void {
    const said = this.#add(chat);
    if (this.#isOpen) this.#events?.onPacket('MESSAGE_CREATE', eventOf(said));
  }

  #settle(at: number, isFailing: boolean): void {
    this.#pending.splice(Math.min(at, this.#pending.length - 1), 1)[0]?.(isFailing);
  }

  /** Long enough for Discord to be asked several times. */
  async #wait(): Promise<void> {
    for (let n = 0; n < 8; n++) {
      vi.advanceTimersByTime(WAIT_MS);
      await turn();
    }
  }

  #open(): void {
    this.#events ??= this.#begin();
    this.#isOpen = true;
    this.#events.onPacket('READY', READY);
    this.#events.onFresh();
  }

  /** Pending operations still end. */
  #stop(): void {
    this.#isOpen = false;
    this.#leaving.abort();
    if (this.#pending.length === 0) this.#kill();
  }

  #kill(): void {
    this.#isOpen = false;
    this.#life++;
    this.#events = undefined;
    this.#pending = [];
    vi.clearAllTimers();
  }

  #begin(): Events {
    this.#leaving = new AbortController();
    const life = ++this.#life;
    const marks = new Map(this.#marks);
    const set = (chat: string, mark: string) => {
      marks.set(chat, mark);
      if (life === this.#life) this.#mark(chat, mark);
    };
    const api: DiscordApi = {
      call: (_method, route, options) => this.#call(life, route, options?.query),
      close: () => undefined,
    };
    const places = new Places();
    return new Events({
      api,
      cursors: { all: () => marks, set },
      places,
      interactions: new Interactions({
        api,
        callbacks: () => undefined,
        learn: () => undefined,
        log: silentLog(),
        timing: { deferMs: 1, suggestMs: 1 },
      }),
      contextOf: (bot) => ({ bot, places, threads: 'off', commands: new Map(), now: Date.now() }),
      log: silentLog(),
      signal: this.#leaving.signal,
      backoffMs: { min: 1_000, max: 4_000 },
      callbacks: () => ({
        onMessage: (message) => this.#later(life, () => this.#store(message)),
        onInterrupt: async () => undefined,
        onSuggest: async () => [],
        onDropped: () => undefined,
        onStatus: () => undefined,
      }),
      onBot: () => undefined,
      onWritten: () => undefined,
    });
  }

  /** Ends when its turn comes; never in a process that was killed. */
  #later<T>(life: number, work: () => T, error: () => Error = () => new Error('disk full')): Promise<T> {
    return new Promise((resolve, reject) => {
      if (life !== this.#life) return;
      this.#pending.push((isFailing) => {
        if (isFailing) reject(error());
        else resolve(work());
      });
    });
  }

  #store({ messageId }: InboundMessage): InboundOutcome {
    const isKnown = this.#stored.has(messageId);
    this.#stored.add(messageId);
    return isKnown ? 'duplicate' : 'accepted';
  }

  /** What Discord sees when it is asked may arrive much later. */
  async #call(life: number, route: string, query: Record<string, string> = {}): Promise<unknown> {
    const [, chat = '', isHistory] = /^\/channels\/(\d+)(\/messages)?$/.exec(route) ?? [];
    if (this.#isAway) throw new DiscordError('failed', 'it is away', { status: 503 });
    const error = () => new DiscordError('failed', 'it failed', { status: 503 });
    if (isHistory === undefined) return { id: chat, type: 1 };
    const after = BigInt(query.after ?? 0);
    const page = () => this.#said.filter((said) => said.chat === chat && BigInt(said.id) > after).map(eventOf);
    const found = await this.#later(life, page, error);
    return this.#later(life, () => found.slice(0, Number(query.limit)).reverse(), error);
  }

  #mark(chat: string, mark: string): void {
    this.#marks.set(chat, mark);
    const passed = this.missing().filter((said) => said.chat === chat && BigInt(said.id) <= BigInt(mark));
    expect(passed, `the mark of ${chat} is at ${mark}`).toEqual([]);
  }

  missing(): Said[] {
    return this.#said.filter(({ id }) => !this.#stored.has(id));
  }

  /** Lets everything work after the next start. */
  async end(): Promise<void> {
    this.#kill();
    await turn();
    this.#open();
    await this.#calm();
  }

  /** Lets everything work from now on, without a restart. */
  async mend(): Promise<void> {
    if (this.#leaving.signal.aborted) this.#kill();
    this.#open();
    await this.#calm();
  }

  async #calm(): Promise<void> {
    this.#isAway = false;
    for (let idle = 0; idle < 4; ) {
      await turn();
      idle = this.#pending.length === 0 ? idle + 1 : 0;
      if (idle > 0) vi.advanceTimersByTime(WAIT_MS);
      this.#settle(0, false);
    }
  }
}

function eventOf({ chat, id }: Said) {
  const author = { id: '2002', username: 'alex' };
  return { id, channel_id: chat, type: 0, content: `message ${id}`, author, timestamp: '2026-01-01T00:00:00Z' };
}

/** Everything that can go on by itself has done so. */
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
  'no mark passes a message that is not accepted, and all of them are found (%s)',
  async (how) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const world = new World();
        for (const next of steps) {
          await world.do(next);
          await turn();
        }
        await world[how]();
        expect(world.missing()).toEqual([]);
      }),
      { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
  },
);
