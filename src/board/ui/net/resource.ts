/**
 * What a page shows of the gateway. Invariants: what was read once stays in sight until something newer is there; an answer that was
 * asked for earlier never takes the place of one that was asked for later.
 */
import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EventFrame } from '../../../client/client.ts';
import { api } from './api.ts';
import { onBehind, onEvent } from './live.ts';

export interface Resource<T> {
  data: Signal<T | undefined>;
  error: Signal<unknown>;
  refresh(): Promise<void>;
}

const MAX_KEPT = 60;
const kept = new Map<string, Resource<unknown>>();

export function resource<T>(path: string): Resource<T> {
  const known = kept.get(path) as Resource<T> | undefined;
  kept.delete(path);
  const found = known ?? create<T>(path);
  kept.set(path, found as Resource<unknown>);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return found;
}

function create<T>(path: string): Resource<T> {
  const data = signal<T | undefined>(undefined);
  const error = signal<unknown>(undefined);
  let asked = 0;
  let shown = 0;
  return {
    data,
    error,
    async refresh() {
      asked += 1;
      const mine = asked;
      try {
        const found = await api<T>(path);
        if (mine < shown) return;
        shown = mine;
        data.value = found;
        error.value = undefined;
      } catch (caught) {
        if (mine === asked) error.value = caught;
      }
    },
  };
}

const NEVER = () => false;
/** Several events at once ask once. */
const GATHER_MS = 120;

/** Reads it now, when the connection heals, and when an event concerns it. */
export function useResource<T>(path: string, concerns: (event: EventFrame) => boolean = NEVER): Resource<T> {
  const found = resource<T>(path);
  useEffect(() => {
    void found.refresh();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void found.refresh();
      }, GATHER_MS);
    };
    const ends = [onBehind(later), onEvent((event) => concerns(event) && later())];
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, [path]);
  return found;
}

/** An event of one of these kinds. */
export const of =
  (...types: string[]) =>
  (event: EventFrame): boolean =>
    types.includes(event.type);
