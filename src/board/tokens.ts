/** Programs that ask with a token. Every comparison takes as long as any other; a right token passes however many were wrong. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type http from 'node:http';
import { createRateLimiter } from '../access/limits.ts';
import type { Principal } from '../access/principal.ts';

/** `http.token`, or one of `http.clients`. */
export interface ProgramToken {
  name: string;
  token: string;
  /** Whoever it speaks for now; undefined: nobody any more. */
  principal(): Principal | undefined;
}

export interface Tokens {
  isSet: boolean;
  /** `often`: wrong, as were many before it from that address. */
  check(request: http.IncomingMessage): ProgramToken | 'absent' | 'wrong' | 'often';
}

/** Wrong tokens of one address in a minute; behind a proxy everybody shares one. */
const WRONG_PER_MINUTE = 20;

export function createTokens(
  programs: readonly ProgramToken[],
  onOften: (address: string) => void,
  now = Date.now,
): Tokens {
  const wrong = createRateLimiter(WRONG_PER_MINUTE);
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const known = programs.map((program) => ({ program, expected: digest(`Bearer ${program.token}`) }));
  return {
    isSet: known.length > 0,
    check({ headers, socket }) {
      if (headers.authorization === undefined) return 'absent';
      const given = digest(headers.authorization.replace(/^bearer /i, 'Bearer '));
      // Every one is looked at, whichever it is.
      const found = known.filter(({ expected }) => timingSafeEqual(given, expected));
      if (found[0]) return found[0].program;
      const address = socket.remoteAddress ?? '';
      const taken = wrong.take(address, now());
      if (taken.ok) return 'wrong';
      if (taken.first) onOften(address);
      return 'often';
    },
  };
}
