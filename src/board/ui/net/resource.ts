/**
 * Data from the gateway. Invariants: loaded data stays visible until newer data arrives; an answer never replaces one
 * that was requested later.
 */
import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EventFrame } from '../../../client/client.ts';
import { api } from './api.ts';
import { gather } from './gather.ts';
import { onBehind, onEvent } from './live.ts';

export interface Resource<T> {
  data: Signal<T | undefined>;
  error: Signal<unknown>;
  refresh(): Promise<void>;
}

const MAX_KEPT = 60;
const kept = new Map<string, unknown>();

export function resource<T>(path: string): Resource<T> {
  return reuse(path, () => create<T>(() => api<T>(path)));
}

function reuse<R>(key: string, make: () => R): R {
  const known = kept.get(key) as R | undefined;
  kept.delete(key);
  const found = known ?? make();
  kept.set(key, found);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return found;
}

function create<T>(load: () => Promise<T>): Resource<T> {
  const data = signal<T | undefined>(undefined);
  const error = signal<unknown>(undefined);
  let asked = 0;
  let shown = 0;
  let begun: Promise<void> | undefined;
  async function refresh(): Promise<void> {
    asked += 1;
    const mine = asked;
    try {
      const found = await load();
      if (mine < shown) return;
      shown = mine;
      data.value = found;
      error.value = undefined;
    } catch (caught) {
      if (mine === asked) error.value = caught;
    }
  }
  return {
    data,
    error,
    // Several parts of a page hear of the same event in one turn, and need one answer.
    refresh() {
      if (begun === undefined) queueMicrotask(() => (begun = undefined));
      begun ??= refresh();
      return begun;
    },
  };
}

const NEVER = () => false;
const GATHER_MS = 50;

/** Loads the data now, after a reconnection, and when an event concerns it. */
export function useResource<T>(path: string, concerns: (event: EventFrame) => boolean = NEVER): Resource<T> {
  return useFresh(resource<T>(path), path, concerns);
}

/** A paged list. Loaded pages stay, and all are reloaded when they may have changed. */
export interface Pages<T> extends Resource<T> {
  hasMore(): boolean;
  more(): Promise<void>;
}

/** If an answer has several lists: the field of the next page's cursor, and its query parameter. */
interface Names {
  next?: string;
  after?: string;
}

export function usePages<T extends object>(
  path: string,
  list: keyof T & string,
  concerns: (event: EventFrame) => boolean = NEVER,
  names: Names = {},
): Pages<T> {
  const key = `${path} ${list}`;
  const found = reuse(key, () => createPages<T>(path, list, names));
  useFresh(found, key, concerns);
  return found;
}

function createPages<T extends object>(
  path: string,
  list: keyof T & string,
  { next = 'next', after = 'after' }: Names,
): Pages<T> {
  const nextOf = (page: T) => (page as Record<string, unknown>)[next];
  const itemsOf = (page: T): readonly unknown[] => {
    const items: unknown = page[list];
    return Array.isArray(items) ? items : [];
  };
  let wanted = 1;
  let isLoading = false;
  const first = create<T>(async () => {
    let all = await api<T>(path);
    for (let count = 1; count < wanted && typeof nextOf(all) === 'string'; count += 1) {
      const place = `${after}=${encodeURIComponent(String(nextOf(all)))}`;
      const page = await api<T>(`${path}${path.includes('?') ? '&' : '?'}${place}`);
      all = { ...all, [next]: nextOf(page), [list]: [...itemsOf(all), ...itemsOf(page)] };
    }
    return all;
  });
  const hasMore = () => first.data.value !== undefined && typeof nextOf(first.data.value) === 'string';
  return {
    ...first,
    hasMore,
    async more() {
      if (isLoading || !hasMore()) return;
      isLoading = true;
      wanted += 1;
      await first.refresh();
      isLoading = false;
    },
  };
}

function useFresh<T, R extends Resource<T>>(found: R, key: string, concerns: (event: EventFrame) => boolean): R {
  useEffect(() => {
    void found.refresh();
    const gathered = gather(() => void found.refresh(), GATHER_MS);
    const ends = [onBehind(gathered.soon), onEvent((event) => concerns(event) && gathered.soon())];
    return () => {
      gathered.end();
      for (const end of ends) end();
    };
  }, [key]);
  return found;
}

export const of =
  (...types: string[]) =>
  (event: EventFrame): boolean =>
    types.includes(event.type);
