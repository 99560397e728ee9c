/**
 * Rate limits. Every answer carries the headers of its bucket. The limits are enforced on request only, except the one
 * on renaming (2 in 10 minutes), which always is. https://discord.com/developers/docs/topics/rate-limits
 */
import { createHash } from 'node:crypto';
import type { RateLimits } from './types.ts';

export const DEFAULT_LIMITS: RateLimits = {
  channel: { limit: 5, perMs: 5000 },
  global: { limit: 50, perMs: 1000 },
  route: { limit: 50, perMs: 1000 },
  reaction: { limit: 1, perMs: 250 },
  rename: { limit: 2, perMs: 600_000 },
};

export type Scope = 'user' | 'shared' | 'global';

export interface Limited {
  scope: Scope;
  retryAfterMs: number;
}

export interface RateCall {
  /** `POST /channels/:id/messages`. */
  route: string;
  /** The channel, guild or webhook that has its own bucket. */
  major: string;
  isRename: boolean;
  /** Whether it counts towards the global limit; interactions and their webhooks don't. */
  isFree: boolean;
}

interface Window {
  left: number;
  resetAt: number;
  blockedUntil: number;
}

export interface Rates {
  set(limits: RateLimits | undefined): void;
  /** Counts one call: returns the headers of the answer and, if it is refused, the reason. */
  take(call: RateCall): { headers: Record<string, string>; limited?: Limited };
  counts(): { violations: number; early: number };
  reset(): void;
}

const hashes = new Map<string, string>();

function hashOf(route: string): string {
  const hash = hashes.get(route) ?? createHash('md5').update(route).digest('hex');
  hashes.set(route, hash);
  return hash;
}

/** Returns a route's limit. Creating messages has one per channel, as have edits; every other route has its own. */
function kindOf(route: string): Exclude<keyof RateLimits, 'global' | 'rename'> {
  if (route.includes('/reactions/')) return 'reaction';
  return /^(?:POST|PATCH) \/channels\/:id\/messages(?:\/:message)?$/.test(route) ? 'channel' : 'route';
}

export function rateHeaders(limit: number, left: number, resetInMs: number, route: string): Record<string, string> {
  const seconds = (ms: number) => (ms / 1000).toFixed(3);
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': seconds(Date.now() + resetInMs),
    'x-ratelimit-reset-after': seconds(resetInMs),
    'x-ratelimit-bucket': hashOf(route),
  };
}

export function createRates(): Rates {
  // Renaming is the limit that surprises people, so it is enforced from the start.
  let limits: Partial<RateLimits> | undefined = { rename: DEFAULT_LIMITS.rename };
  let counts = { violations: 0, early: 0 };
  const windows = new Map<string, Window>();

  function open(name: string, limit: number, perMs: number): Window {
    const at = Date.now();
    const known = windows.get(name);
    if (known && known.resetAt > at) return known;
    const next: Window = { left: limit, resetAt: at + perMs, blockedUntil: known?.blockedUntil ?? 0 };
    windows.set(name, next);
    return next;
  }

  return {
    set(next) {
      limits = next;
      windows.clear();
    },
    take({ route, major, isRename, isFree }) {
      const at = Date.now();
      const kind = kindOf(route);
      const own = limits?.[kind];
      const asked: [Window, Scope][] = [];
      if (limits?.global && !isFree) asked.push([open('global', limits.global.limit, limits.global.perMs), 'global']);
      if (isRename && limits?.rename)
        asked.push([open(`rename ${major}`, limits.rename.limit, limits.rename.perMs), 'user']);
      const window = own && open(`${route} ${major}`, own.limit, own.perMs);
      if (window) asked.push([window, 'user']);
      const empty = asked.find(([each]) => each.left <= 0);
      if (empty) {
        const [each, scope] = empty;
        counts.violations += 1;
        if (each.blockedUntil > at) counts.early += 1;
        each.blockedUntil = each.resetAt;
        const retryAfterMs = Math.max(1, each.resetAt - at);
        const headers = rateHeaders(own?.limit ?? limits?.rename?.limit ?? 1, 0, retryAfterMs, route);
        return { headers, limited: { scope, retryAfterMs } };
      }
      for (const [each] of asked) each.left -= 1;
      // Without enforcement the headers leave room; otherwise the client would queue by itself.
      const headers =
        window && own
          ? rateHeaders(own.limit, window.left, window.resetAt - at, route)
          : rateHeaders(1000, 999, 1000, route);
      return { headers };
    },
    counts: () => ({ ...counts }),
    reset() {
      counts = { violations: 0, early: 0 };
      limits = { rename: DEFAULT_LIMITS.rename };
      windows.clear();
    },
  };
}
