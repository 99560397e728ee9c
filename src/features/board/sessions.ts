/**
 * Stores sessions of the Board and login codes in `access/sessions.json`, secrets only as hashes. A code becomes a
 * session in one replacement of the file: after a crash there is either the code or the session, never both.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import { isAddress } from '../../access/principal.ts';
import { openJsonList } from '../../access/records.ts';
import type { Account } from '../../board/speakers.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { isFilled, isNumber, isText, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';

/** Where a code was requested: on this machine, or in a direct message. */
export type LoginFrom = 'machine' | 'chat';

interface Entry {
  kind: 'code' | 'session';
  id: string;
  from: LoginFrom;
  /** The person; absent for the machine's owner. */
  by?: Account;
  /** The hash of the code, or of the cookie; `key` is the hash of the key. */
  secret: string;
  key?: string;
  /** Milliseconds since the epoch. */
  since: number;
  /** When it expires if it isn't used. */
  until: number;
  seen?: number;
  /** The browser's user agent. */
  agent?: string;
}

export type Session = Readonly<Entry>;

/** The parts of a session that may be shown. */
export interface SessionInfo {
  id: string;
  from: LoginFrom;
  name?: string;
  since: string;
  seen: string;
  agent?: string;
}

export interface Sessions {
  /** Returns a code for one login within five minutes. */
  issue(from: LoginFrom, by: Account | undefined, now: number): string;
  /** Returns undefined for an unknown, used or expired code. */
  trade(code: string, agent: string, now: number): { session: Session; cookie: string; key: string } | undefined;
  /** Returns the session of a cookie, if it was used within the last thirty days. */
  find(cookie: string, now: number): Session | undefined;
  get(id: string, now: number): Session | undefined;
  /** Extends the session to thirty days from now. */
  touch(session: Session, now: number): void;
  list(now: number): SessionInfo[];
  /** Returns false if it does not exist. */
  revoke(id: string): boolean;
}

export const CODE_MS = 5 * 60_000;
export const IDLE_MS = 30 * 86_400_000;
/** How often the time of a session's last use is written. */
const TOUCH_MS = 3_600_000;
const MAX_CODES = 20;
const MAX_SESSIONS = 50;
const MAX_AGENT = 200;

const entryShape = shape<Entry>(
  objectOf({
    kind: oneOf('code', 'session'),
    id: isFilled,
    from: oneOf('machine', 'chat'),
    secret: isFilled,
    key: optional(isFilled),
    since: isNumber,
    until: isNumber,
    seen: optional(isNumber),
    agent: optional(isText),
    by: optional(
      objectOf({
        channel: isFilled,
        account: isText,
        user: isFilled,
        name: isText,
        workspace: optional(isFilled),
        direct: optional(isAddress),
      }),
    ),
  }),
);

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const matchesHash = (given: string, hashed: string): boolean => {
  const digest = Buffer.from(hash(given));
  const expected = Buffer.from(hashed);
  return digest.length === expected.length && timingSafeEqual(digest, expected);
};
/** Returns 128 bits as letters that no chat interprets as formatting. */
const newSecret = (): string => randomBytes(16).toString('hex');

export const isKeyOf = ({ key }: Session, given: string): boolean => key !== undefined && matchesHash(given, key);

const newestEntries = (entries: readonly Entry[], kind: Entry['kind'], max: number) => {
  const kept = entries.filter((entry) => entry.kind === kind).toSorted((a, b) => b.until - a.until);
  return kept.slice(0, max);
};
const currentEntries = (entries: readonly Entry[], now: number): Entry[] => {
  const left = entries.filter(({ until }) => until > now);
  return [...newestEntries(left, 'code', MAX_CODES), ...newestEntries(left, 'session', MAX_SESSIONS)];
};

/** Compares with every code, so that the time it takes reveals nothing. */
const codeOf = (entries: readonly Entry[], code: string, now: number) =>
  entries.filter((entry) => entry.kind === 'code' && entry.until > now && matchesHash(code, entry.secret))[0];

const infoOf = ({ id, from, by, since, seen = since, agent }: Session): SessionInfo => ({
  id,
  from,
  since: new Date(since).toISOString(),
  seen: new Date(seen).toISOString(),
  ...(by && { name: by.name }),
  ...(agent !== undefined && agent !== '' && { agent }),
});

export function openSessions(folder: string): Sessions {
  const file = openJsonList(path.join(folder, 'sessions.json'), entryShape, {
    lost: 'the logins of the Board',
    next: `People must log in again, with ${viberCommand('board')} or /board.`,
  });
  const live = (now: number) => file.read().filter(({ until }) => until > now);
  const sessions = (now: number) => live(now).filter(({ kind }) => kind === 'session');

  return {
    issue(from, by, now) {
      const code = newSecret();
      const entry: Entry = {
        kind: 'code',
        id: newSecret().slice(0, 8),
        from,
        secret: hash(code),
        since: now,
        until: now + CODE_MS,
        ...(by && { by }),
      };
      file.change((all) => currentEntries([...all, entry], now));
      return code;
    },
    trade(code, agent, now) {
      // Guesses take no lock and cause no write.
      if (!codeOf(file.read(), code, now)) return undefined;
      let made: { session: Session; cookie: string; key: string } | undefined;
      file.change((all) => {
        const used = codeOf(all, code, now);
        if (!used) return all;
        const [secret, key] = [newSecret(), newSecret()];
        const session: Entry = {
          kind: 'session',
          id: newSecret().slice(0, 8),
          from: used.from,
          secret: hash(secret),
          key: hash(key),
          since: now,
          seen: now,
          until: now + IDLE_MS,
          agent: agent.slice(0, MAX_AGENT),
          ...(used.by && { by: used.by }),
        };
        made = { session, cookie: `${session.id}.${secret}`, key };
        return currentEntries([...all.filter((entry) => entry !== used), session], now);
      });
      return made;
    },
    find(cookie, now) {
      const [id, secret = ''] = cookie.split('.');
      const session = sessions(now).find((entry) => entry.id === id);
      return session && matchesHash(secret, session.secret) ? session : undefined;
    },
    get: (id, now) => sessions(now).find((entry) => entry.id === id),
    touch({ id, seen = 0 }, now) {
      if (now - seen < TOUCH_MS) return;
      const later = { seen: now, until: now + IDLE_MS };
      file.change((all) =>
        all.map((entry) => (entry.kind === 'session' && entry.id === id ? { ...entry, ...later } : entry)),
      );
    },
    list: (now) => sessions(now).map(infoOf),
    revoke(id) {
      let isGone = false;
      file.change((all) => {
        const left = all.filter((entry) => entry.kind !== 'session' || entry.id !== id);
        isGone = left.length < all.length;
        return isGone ? left : all;
      });
      return isGone;
    },
  };
}
