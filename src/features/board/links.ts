/** Builds the login link to the Board. Its code is in the URL fragment, which never reaches a server or a log. */
import { inAddress, isPrivate, WILDCARD } from '../../board/guard.ts';

export interface BoardLink {
  url: string;
  /** Whether the link works on this machine only. */
  isHereOnly: boolean;
}

export interface BoardPlace {
  host: string;
  port: number;
  origins: readonly string[];
}

/**
 * Returns undefined if every address would expose the login to eavesdroppers.
 * @param isFar whether the person may be on another machine
 */
export function boardLink({ host, port, origins }: BoardPlace, code: string, isFar: boolean): BoardLink | undefined {
  const local = `http://${WILDCARD.has(host) ? (host === '::' ? '[::1]' : '127.0.0.1') : inAddress(host)}:${port}`;
  const listed = origins.map((origin) => new URL(origin).origin).find((origin) => origin.startsWith('https://'));
  const here = isPrivate(local) ? local : undefined;
  const base = isFar ? (listed ?? here) : (here ?? listed);
  return base === undefined ? undefined : { url: `${base}/board/login#${code}`, isHereOnly: base === here };
}
