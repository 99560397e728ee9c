/**
 * Stores the logins at servers: clients, tokens and pending logins, in `access/mcp.json` (0600), which no
 * backup contains unless secrets were asked for. A login is valid only for the address it was made for. Every change is
 * made on the current file, so that processes never undo each other's.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { isAddress } from '../../../access/principal.ts';
import { type JsonMap, openJsonMap } from '../../../access/records.ts';
import type { Address } from '../../../channels/channel.ts';
import { addSecret } from '../../../log.ts';

/** How long a link can be used, in ms. */
export const LOGIN_MS = 10 * 60_000;
/** How long a process may take to renew, in ms, before another one takes over. */
const RENEWING_MS = 45_000;

const bound = {
  issuer: z.string().optional(),
  authorization_server: z.string().optional(),
  token_endpoint: z.string().optional(),
};
const tokens = z.object({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  expires_in: z.number().optional(),
  ...bound,
});
const client = z.object({
  client_id: z.string(),
  client_secret: z.string().optional(),
  client_secret_expires_at: z.number().optional(),
  ...bound,
});
const place = z.object({
  issuer: z.string().optional(),
  authorizationServerUrl: z.string(),
  tokenEndpoint: z.string(),
});
const pending = z.object({
  /** A hash: the state itself is only in the link. */
  state: z.string(),
  verifier: z.string(),
  /** The person who asked for the link. */
  person: z.string(),
  redirect: z.string(),
  /** The chat that receives the result; absent if the person sees it anyway. */
  address: z.custom<Address>(isAddress).optional(),
  until: z.number(),
  place,
  client,
  /** The server says that its answers name their issuer. */
  namesIssuer: z.boolean(),
  metadata: z.string().optional(),
  /** The address that a person has pasted, until the command that uses it takes it. */
  returned: z
    .object({ code: z.string().optional(), issuer: z.string().optional(), error: z.string().optional() })
    .optional(),
});
const record = z.object({
  /** The server's address. */
  server: z.string(),
  client: client.extend({ redirect: z.string() }).optional(),
  tokens: tokens.optional(),
  /** When the access token expires, in ms since the epoch. */
  expiresAt: z.number().optional(),
  /** Scopes that the server has asked for, which the next login asks for too. */
  wanted: z.string().optional(),
  /** The address of the server's metadata, as the server gives it. */
  metadata: z.string().optional(),
  renewing: z.object({ by: z.string(), until: z.number() }).optional(),
  pending: pending.optional(),
});

export type Tokens = z.output<typeof tokens>;
export type ClientFields = z.output<typeof client>;
export type Place = z.output<typeof place>;
export type Pending = z.output<typeof pending>;
export type LoginRecord = z.output<typeof record>;

export const hashOf = (state: string): string => createHash('sha256').update(state).digest('hex');

export const readTokens = (given: unknown): Tokens => tokens.parse(given);
export const readClient = (given: unknown): ClientFields => client.parse(given);

type LoginFile = JsonMap<LoginRecord>;

export type Logins = ReturnType<typeof openLogins>;

export function openLogins(access: string) {
  const file = openJsonMap(path.join(access, 'mcp.json'), record, {
    lost: 'a login at a server of tools',
    next: 'Log in again.',
  });

  const of = (name: string, server: string): LoginRecord | undefined => {
    const found = file.read().get(name);
    return found?.server === server ? found : undefined;
  };

  /** Changes the record of a server; `undefined` removes it. Returns what `next` returns. */
  function change<T>(name: string, server: string, next: (now: LoginRecord) => { record: LoginRecord; result: T }): T {
    let result: { is: T } | undefined;
    file.change((all) => {
      const now = all.get(name);
      const made = next(now?.server === server ? now : { server });
      all.set(name, made.record);
      result = { is: made.result };
    });
    if (!result) throw new Error('the change was not made');
    return result.is;
  }

  return {
    of,
    change,

    /** Returns the tokens of a server; undefined if it is called without one. */
    tokens(name: string, server: string): { tokens: Tokens; expiresAt: number } | undefined {
      const { tokens: kept, expiresAt = Number.POSITIVE_INFINITY } = of(name, server) ?? {};
      if (!kept) return undefined;
      hideTokens(kept);
      return { tokens: kept, expiresAt };
    },

    saveTokens(name: string, server: string, given: Tokens): void {
      hideTokens(given);
      change(name, server, (now) => ({ record: withTokens(now, given), result: undefined }));
    },

    /** Removes the tokens, unless another process has replaced them. */
    dropTokens(name: string, server: string, used: Tokens): void {
      change(name, server, (now) => {
        const { tokens: kept, expiresAt: _at, ...rest } = now;
        const isSame = kept?.access_token === used.access_token && kept.refresh_token === used.refresh_token;
        return { record: isSame ? rest : now, result: undefined };
      });
    },

    /** Claims the renewal; returns false while another caller has it. A claim ends on saving, on release, or after a while. */
    claim(name: string, server: string, by: string, used: Tokens): boolean {
      return change(name, server, (now) => {
        const isTaken = now.renewing !== undefined && now.renewing.until > Date.now();
        if (isTaken || now.tokens?.access_token !== used.access_token) return { record: now, result: false };
        return { record: { ...now, renewing: { by, until: Date.now() + RENEWING_MS } }, result: true };
      });
    },

    release(name: string, server: string, by: string): void {
      change(name, server, (now) => {
        const { renewing, ...rest } = now;
        return { record: renewing?.by === by ? rest : now, result: undefined };
      });
    },

    ...attemptsIn(file),

    remove(name: string): boolean {
      if (!file.read().has(name)) return false;
      file.change((all) => void all.delete(name));
      return true;
    },
  };
}

function withTokens({ renewing: _by, expiresAt: _at, wanted, ...rest }: LoginRecord, given: Tokens): LoginRecord {
  const { expires_in: seconds } = given;
  return {
    ...rest,
    ...(wanted !== undefined && !covers(given.scope, wanted) && { wanted }),
    tokens: given,
    ...(seconds !== undefined && { expiresAt: Date.now() + seconds * 1000 }),
  };
}

/** Returns the pending logins. */
function attemptsIn(file: LoginFile) {
  return {
    /**
     * Stores the result of the login with this state, as a browser brings it; returns a reference, which is no secret.
     * Returns undefined if that login isn't pending.
     */
    keepReturned(state: string, returned: NonNullable<Pending['returned']>): string | undefined {
      const hash = hashOf(state);
      let reference: string | undefined;
      if (![...file.read().values()].some((one) => one.pending?.state === hash)) return undefined;
      if (returned.code !== undefined) addSecret(returned.code);
      file.change((all) => {
        for (const [name, one] of all) {
          if (one.pending?.state !== hash || one.pending.until < Date.now()) continue;
          all.set(name, { ...one, pending: { ...one.pending, returned } });
          reference = hash.slice(0, 24);
        }
      });
      return reference;
    },

    /** Removes the pending login that `is` matches and returns it, so that each is used once. */
    take(is: (pending: Pending) => boolean): { name: string; server: string; pending: Pending } | undefined {
      let taken: { name: string; server: string; pending: Pending } | undefined;
      if (![...file.read().values()].some((one) => one.pending && is(one.pending))) return undefined;
      file.change((all) => {
        for (const [name, { pending: found, ...rest }] of all) {
          if (!found || !is(found)) continue;
          all.set(name, rest);
          if (found.until > Date.now()) taken = { name, server: rest.server, pending: found };
        }
      });
      return taken;
    },
  };
}

function hideTokens({ access_token, refresh_token }: Tokens): void {
  addSecret(access_token);
  addSecret(refresh_token);
}

const covers = (granted: string | undefined, wanted: string): boolean =>
  granted === undefined || wanted.split(' ').every((scope) => granted.split(' ').includes(scope));
