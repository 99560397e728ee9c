/** Where somebody finds the Board, with a code that logs them in: in the fragment, which no server and no log gets to see. */
import { inAddress, isPrivate, WILDCARD } from './guard.ts';

export interface BoardLink {
  url: string;
  /** It leads here from this machine alone. */
  isHereOnly: boolean;
}

export interface BoardPlace {
  host: string;
  port: number;
  origins: readonly string[];
}

/** Undefined: under no address a login would be safe from being read on the way. `isFar`: whoever asks may be somewhere else. */
export function boardLink({ host, port, origins }: BoardPlace, code: string, isFar: boolean): BoardLink | undefined {
  const local = `http://${WILDCARD.has(host) ? (host === '::' ? '[::1]' : '127.0.0.1') : inAddress(host)}:${port}`;
  const listed = origins.map((origin) => new URL(origin).origin).find((origin) => origin.startsWith('https://'));
  const here = isPrivate(local) ? local : undefined;
  const base = isFar ? (listed ?? here) : (here ?? listed);
  return base === undefined ? undefined : { url: `${base}/board/login#${code}`, isHereOnly: base === here };
}
