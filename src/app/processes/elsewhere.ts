/**
 * Shares each process's events with viewers who are connected to another. Best effort and bounded: a lost event shows
 * at the next reading of the home's files, which are the source of truth. Progress is sent only while somebody is
 * watching. A process that runs alone doesn't use this.
 */
import { randomBytes } from 'node:crypto';
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { Engine, Stop } from '../../engine/engine.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import type { News } from '../../runtime/contract/news.ts';
import type { Bus } from '../../runtime/live/bus.ts';
import type { SeenRuns } from '../../runtime/live/seen.ts';

type Mouth = Pick<Engine<unknown>, 'publish' | 'subscribe'>;

/** Events that each process reports by itself. */
const OWN: readonly News['type'][] = ['channel:status', 'job:changed'];
const TOPICS = { news: 'news', progress: 'progress', looking: 'looking' };
/** How often a process reports that somebody is watching, and how long that counts, in ms. */
const SAY_MS = 4_000;
const LOOKED_MS = 10_000;
/** Pieces of a growing answer are sent together after this time, in ms. */
const GATHER_MS = 100;
const MAX_CHARS = 64 * 1024;

export class Elsewhere {
  readonly #engine: Mouth;
  readonly #self = randomBytes(8).toString('hex');
  readonly #stops: Stop[];
  /** Whether an event from another process is being published here. */
  #isHearing = false;
  #lookedUntil = 0;
  #watchers = 0;
  #saying: NodeJS.Timeout | undefined;
  /** Text that hasn't been sent yet, by run. */
  readonly #words = new Map<string, Extract<AgentStreamEvent, { type: 'text-delta' }>>();
  #gathering: NodeJS.Timeout | undefined;
  readonly #seen: SeenRuns;
  readonly #own = new Set<string>();

  /** @param seen must be subscribed to the bus before this is created */
  constructor(engine: Mouth, bus: Bus, news: Bus<News>, seen: SeenRuns) {
    this.#engine = engine;
    this.#seen = seen;
    const unbus = bus.subscribe((event) => this.#progress(event));
    const unnews = news.subscribe((item) => {
      if (!this.#isHearing && !OWN.includes(item.type)) this.#say(TOPICS.news, item);
    });
    this.#stops = [
      async () => unbus(),
      async () => unnews(),
      this.#hear(TOPICS.news, (item) => news.emit(item as News)),
      this.#hear(TOPICS.progress, (event) => bus.emit(event as AgentStreamEvent)),
      this.#hear(TOPICS.looking, (what) => {
        this.#lookedUntil = performance.now() + LOOKED_MS;
        if ('isFirst' in what) this.#sayAll();
      }),
    ];
  }

  /** Records that somebody is watching runs from here, until the returned function is called. */
  watch(): () => void {
    if (this.#watchers++ === 0) {
      this.#say(TOPICS.looking, { isFirst: true });
      this.#saying = setInterval(() => this.#say(TOPICS.looking, {}), SAY_MS).unref();
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#watchers === 0) clearInterval(this.#saying);
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#saying);
    clearTimeout(this.#gathering);
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  /** Sends this process's runs from their beginning, for new viewers. */
  #sayAll(): void {
    this.#words.clear();
    for (const event of this.#seen.raw(this.#own)) {
      if (event.type !== 'text-delta') this.#say(TOPICS.progress, withoutLargeValues(event));
      else for (const piece of piecesOf(event)) this.#say(TOPICS.progress, piece);
    }
  }

  #progress(event: AgentStreamEvent): void {
    if (this.#isHearing) return;
    if (event.type === 'state-change' && event.state === 'idle') this.#own.delete(event.runId);
    else this.#own.add(event.runId);
    if (performance.now() > this.#lookedUntil) return;
    if (event.type === 'text-delta') {
      const before = this.#words.get(event.runId);
      this.#words.set(event.runId, before ? { ...before, content: before.content + event.content } : event);
      this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MS).unref();
    } else {
      this.#flush();
      this.#say(TOPICS.progress, withoutLargeValues(event));
    }
  }

  #flush(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    for (const event of this.#words.values()) this.#say(TOPICS.progress, event);
    this.#words.clear();
  }

  #say(topic: string, what: object): void {
    const text = JSON.stringify({ by: this.#self, what });
    if (text.length <= MAX_CHARS) this.#engine.publish(topic, text);
  }

  #hear(topic: string, take: (what: object) => void): Stop {
    return this.#engine.subscribe(topic, (text) => {
      const told = parseJson(text);
      if (!isRecord(told) || told.by === this.#self || !isRecord(told.what)) return;
      this.#isHearing = true;
      try {
        take(told.what);
      } finally {
        this.#isHearing = false;
      }
    });
  }
}

/** Splits a long text. Only the first piece is marked as the beginning. */
function piecesOf(event: Extract<AgentStreamEvent, { type: 'text-delta' }>): AgentStreamEvent[] {
  const { whole: _whole, content, ...rest } = event;
  const size = MAX_CHARS / 8;
  const further = Array.from({ length: Math.max(0, Math.ceil(content.length / size) - 1) }, (_, index) => ({
    ...rest,
    content: content.slice((index + 1) * size, (index + 2) * size),
  }));
  return [{ ...event, content: content.slice(0, size) }, ...further];
}

/** Drops arguments and results of tools that are too large. */
function withoutLargeValues(event: AgentStreamEvent): AgentStreamEvent {
  if (event.type === 'tool-call') return { ...event, args: small(event.args) };
  if (event.type === 'tool-result') return { ...event, result: small(event.result) };
  return event;
}

const small = (value: unknown): unknown => ((JSON.stringify(value) ?? '').length > MAX_CHARS / 2 ? null : value);
