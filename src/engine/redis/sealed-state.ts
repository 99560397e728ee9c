/**
 * Seals small values with a code over name and value, made with a key of the home. Somebody who can reach the server
 * but not the home can't forge a decision or a button. A value without our seal counts as missing. Counters aren't
 * sealed, since the server adds.
 */
import type { State } from '../engine.ts';
import { CODE_LENGTH, type CodeOf, isSameCode } from './seal.ts';

const TRIES = 5;

export function sealed(state: State, codeOf: CodeOf): State {
  const seal = (key: string, value: string) => codeOf(key, value) + value;
  const open = (key: string, text: string | undefined): string | undefined => {
    if (text === undefined || text.length < CODE_LENGTH) return undefined;
    const value = text.slice(CODE_LENGTH);
    return isSameCode(codeOf(key, value), text.slice(0, CODE_LENGTH)) ? value : undefined;
  };

  /** Replaces a value that isn't ours. */
  async function create(key: string, value: string, ttlMs?: number): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      if (await state.create(key, seal(key, value), ttlMs)) return true;
      const there = await state.get(key);
      if (there === undefined) continue;
      if (open(key, there) !== undefined) return false;
      if (await state.cas(key, there, seal(key, value), ttlMs)) return true;
    }
    return false;
  }

  return {
    create,
    get: async (key) => open(key, await state.get(key)),
    set: (key, value, ttlMs) => state.set(key, seal(key, value), ttlMs),
    cas: (key, before, after, ttlMs) =>
      before === undefined ? create(key, after, ttlMs) : state.cas(key, seal(key, before), seal(key, after), ttlMs),
    add: (key, by, ttlMs) => state.add(key, by, ttlMs),
    delete: (key) => state.delete(key),
  };
}
