/** Counts the gateway's events. */
import type { Session } from './session.ts';
import type { GatewayView } from './types.ts';

type Counted = 'connections' | 'identifies' | 'resumes' | 'heartbeats';

export interface GatewayCounts {
  add(what: Counted): void;
  /** Events that nobody will receive. */
  lost(count: number): void;
  refused(code: number): void;
  dispatched(name: string): void;
  view(sessions: Iterable<Session>): GatewayView;
  reset(): void;
}

function addTo(counts: Record<string, number>, key: string | number): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

export function createGatewayCounts(): GatewayCounts {
  const fresh = () => ({ connections: 0, identifies: 0, resumes: 0, heartbeats: 0, lost: 0 });
  let counts = fresh();
  let refused: Record<string, number> = {};
  let dispatched: Record<string, number> = {};
  return {
    add(what) {
      counts[what] += 1;
    },
    lost(count) {
      counts.lost += count;
    },
    refused: (code) => addTo(refused, code),
    dispatched: (name) => addTo(dispatched, name),
    view(sessions) {
      const all = [...sessions];
      const waiting = all.reduce((sum, session) => sum + (session.isAttached() ? 0 : session.waiting()), 0);
      const connected = all.some((session) => session.isAttached());
      return { connected, ...counts, refused: { ...refused }, dispatched: { ...dispatched }, buffered: waiting };
    },
    reset() {
      counts = fresh();
      refused = {};
      dispatched = {};
    },
  };
}
