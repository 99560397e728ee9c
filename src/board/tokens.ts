/** Checks tokens of programs, in constant time. A correct token is accepted however many wrong ones preceded it. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type http from 'node:http';
import { createRateLimiter } from '../access/limits.ts';
import type { Principal } from '../access/principal.ts';

/** `http.token`, or one of `http.clients`. */
export interface ProgramToken {
  name: string;
  token: string;
  /** Returns whom it acts for now, or undefined if they no longer exist. */
  principal(): Principal | undefined;
}

export interface Tokens {
  isSet: boolean;
  /** `often`: wrong, as were many before it from that address. */
  check(request: http.IncomingMessage): ProgramToken | 'absent' | 'wrong' | 'often';
}

/** The limit of wrong tokens per address and minute; all clients behind one proxy share it. */
const WRONG_PER_MINUTE = 20;

export function createTokens(programs: readonly ProgramToken[], onOften: (address: string) => void): Tokens {
  const wrong = createRateLimiter(WRONG_PER_MINUTE);
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const known = programs.map((program) => ({ program, expected: digest(`Bearer ${program.token}`) }));
  return {
    isSet: known.length > 0,
    check({ headers, socket }) {
      if (headers.authorization === undefined) return 'absent';
      const given = digest(headers.authorization.replace(/^bearer /i, 'Bearer '));
      // Compares with every token, so that the time reveals nothing.
      const found = known.filter(({ expected }) => timingSafeEqual(given, expected));
      if (found[0]) return found[0].program;
      const address = socket.remoteAddress ?? '';
      const taken = wrong.take(address, Date.now());
      if (taken.ok) return 'wrong';
      if (taken.first) onOften(address);
      return 'often';
    },
  };
}
