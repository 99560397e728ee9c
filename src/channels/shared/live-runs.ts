/**
 * The runs whose progress a platform shows, for every platform: which there are, when each begins and ends, whose turn a call is.
 * How it looks is the platform's painter. Invariants: nothing here throws; after `end` nothing more is painted of a run.
 */
import { createLru } from '../../lib/lru.ts';
import type { Address, AgentStreamEvent, LiveMode, LiveView } from '../channel.ts';
import { later } from './wait.ts';

export interface Live {
  event(event: AgentStreamEvent, address: Address, view: LiveView): void;
  /** Gives the id of the status message, if the answer is to replace it; otherwise it is deleted. */
  end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
  /** What the limits of the place leave; places that share a key share them. */
  pace(address: Address): { key: string; gapMs: number };
  /** Ends every run's progress. */
  close(): void;
}

export interface LiveRun {
  address: Address;
  view: LiveView;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** The run has ended, or its message was deleted, or the bot may not write there. */
  isOver: boolean;
  /** Waits for its turn. */
  isQueued: boolean;
  call: Promise<void> | undefined;
  timers: Map<string, NodeJS.Timeout>;
}

export interface Painter<R extends LiveRun> {
  /** A new run, with what is to come first already planned. */
  begin(run: LiveRun): R;
  hear(run: R, event: AgentStreamEvent): void;
  /** It has ended, was given up, or the gateway stops. */
  over?(run: R): void;
  /** Never rejects. */
  end(run: R, isAnswered: boolean): Promise<string | undefined>;
}

const MAX_RUNS = 500;

/** @param mode where a conversation has chosen none */
export function createLiveRuns<R extends LiveRun>(painter: Painter<R>, mode: LiveMode): Omit<Live, 'pace'> {
  const runs = new Map<string, R>();
  const ended = createLru<true>(MAX_RUNS);

  function finish(key: string): R | undefined {
    const run = runs.get(key);
    runs.delete(key);
    for (const timer of run?.timers.values() ?? []) clearTimeout(timer);
    ended.set(key, true);
    if (!run) return undefined;
    run.isOver = true;
    painter.over?.(run);
    return run;
  }

  function start(key: string, address: Address, view: LiveView): R {
    const state = { startedAt: Date.now(), isOver: false, isQueued: false, call: undefined };
    const run = painter.begin({ address, view, ...state, timers: new Map() });
    runs.set(key, run);
    const oldest = runs.size > MAX_RUNS ? runs.keys().next().value : undefined;
    if (oldest !== undefined) finish(oldest);
    return run;
  }

  return {
    event(event, address, view) {
      const key = keyOf(event.runId, address);
      if (ended.has(key)) return;
      if ((view.mode ?? mode) === 'off') {
        const run = runs.has(key) ? finish(key) : undefined;
        if (run) void painter.end(run, false);
        return;
      }
      const run = runs.get(key) ?? start(key, address, view);
      run.view = view;
      painter.hear(run, event);
    },
    async end(runId, address, isAnswered) {
      const run = finish(keyOf(runId, address));
      return run && painter.end(run, isAnswered);
    },
    close() {
      for (const key of [...runs.keys()]) finish(key);
    },
  };
}

/** In place of what was planned under this name. */
export function plan(run: LiveRun, name: string, ms: number, action: () => void): void {
  clearTimeout(run.timers.get(name));
  run.timers.set(name, later(ms, action));
}

/** Whether the run may make a call now, and goes on at all. */
export async function takeTurn(run: LiveRun, isNeeded: boolean): Promise<boolean> {
  run.isQueued = isNeeded;
  const isTurn = !isNeeded || (await run.view.turn());
  run.isQueued = false;
  return isTurn && !run.isOver;
}

function keyOf(runId: string, { chat, thread }: Address): string {
  return `${runId}|${chat}|${thread ?? ''}`;
}
