/**
 * Tracks the runs whose progress a platform shows: when each begins and ends, and whose turn a call is. The platform's
 * painter decides how it looks. Invariants: nothing here throws; after `end` nothing more of a run is painted.
 */
import { createLru } from '../../lib/lru.ts';
import type { Address, AgentStreamEvent, LiveMode, LiveView } from '../channel.ts';
import { later } from './wait.ts';

export interface Live {
  event(event: AgentStreamEvent, address: Address, view: LiveView): void;
  /** Returns the ID of the status message if the answer replaces it; otherwise deletes the message. */
  end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
  /** Returns the pace that the place's limits allow; places with the same key share it. */
  pace(address: Address): { key: string; gapMs: number };
  close(): void;
}

export interface LiveRun {
  address: Address;
  view: LiveView;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** True once the run has ended, its message was deleted or the bot may not write there. */
  isOver: boolean;
  isQueued: boolean;
  call: Promise<void> | undefined;
  timers: Map<string, NodeJS.Timeout>;
}

export interface Painter<R extends LiveRun> {
  /** Creates a run and schedules its first call. */
  begin(run: LiveRun): R;
  hear(run: R, event: AgentStreamEvent): void;
  /** Called when the run has ended, was dropped, or the gateway stops. */
  over?(run: R): void;
  /** Never rejects. */
  end(run: R, isAnswered: boolean): Promise<string | undefined>;
}

const MAX_RUNS = 500;

/** @param mode the default where a conversation has chosen none */
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

/** Schedules an action, replacing the one scheduled under the same name. */
export function plan(run: LiveRun, name: string, ms: number, action: () => void): void {
  clearTimeout(run.timers.get(name));
  run.timers.set(name, later(ms, action));
}

/** Waits for the run's turn, if one is needed. Returns whether the run may make a call now and hasn't ended. */
export async function takeTurn(run: LiveRun, isNeeded: boolean): Promise<boolean> {
  run.isQueued = isNeeded;
  const isTurn = !isNeeded || (await run.view.turn());
  run.isQueued = false;
  return isTurn && !run.isOver;
}

function keyOf(runId: string, { chat, thread }: Address): string {
  return `${runId}|${chat}|${thread ?? ''}`;
}
