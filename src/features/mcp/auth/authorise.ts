/**
 * Adds a server's token to its requests, and renews it before it expires. Several processes may renew: one claims
 * it, the others wait for its result, since a refresh token that is used twice can revoke them all.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { UserError } from '../../../errors.ts';
import { say } from '../../../messages/messages.ts';
import { joinScopes, readChallenge } from './challenge.ts';
import type { Tokens } from './logins.ts';
import { type OAuthPlace, type OAuthServer, renewTokens } from './oauth.ts';

/** How long before its expiry a token is renewed, in ms; at most a quarter of its lifetime. */
const EARLY_MS = 60_000;
const LOOK_MS = 100;

/** Thrown when a person has to log in. */
export class LoginNeeded extends UserError {
  override name = 'LoginNeeded';
}

/** Thrown when a person has to grant more scopes; other calls still work. */
class ScopeNeeded extends UserError {
  override name = 'ScopeNeeded';
}

/** Keeps a server's token valid. */
function keepTokens(server: OAuthServer, place: OAuthPlace) {
  const { name, url } = server;
  const { logins } = place;
  /** The running renewals of this process, by the token they replace. */
  const renewing = new Map<string, Promise<Tokens | undefined>>();

  function renew(used: Tokens): Promise<Tokens | undefined> {
    const running =
      renewing.get(used.access_token) ?? renewOnce(used).finally(() => renewing.delete(used.access_token));
    renewing.set(used.access_token, running);
    return running;
  }

  /** Returns undefined if a login is needed. @throws UserError while the authorization server is unreachable */
  async function renewOnce(used: Tokens): Promise<Tokens | undefined> {
    const by = randomUUID();
    for (;;) {
      const now = logins.tokens(name, url)?.tokens;
      if (!now || now.access_token !== used.access_token) return now;
      if (now.refresh_token === undefined) return undefined;
      if (logins.claim(name, url, by, now)) break;
      await pause(LOOK_MS);
    }
    try {
      const renewal = await renewTokens(server, used, place);
      if (renewal === 'away') throw new UserError(say('mcp.away', { name }));
      if (renewal === 'refused') {
        logins.dropTokens(name, url, used);
        return undefined;
      }
      logins.saveTokens(name, url, renewal.tokens);
      return renewal.tokens;
    } finally {
      logins.release(name, url, by);
    }
  }

  async function current(): Promise<Tokens | undefined> {
    const kept = logins.tokens(name, url);
    if (!kept || kept.tokens.refresh_token === undefined) return kept?.tokens;
    const early = Math.min(EARLY_MS, (kept.tokens.expires_in ?? Number.POSITIVE_INFINITY) * 250);
    if (kept.expiresAt - early > Date.now()) return kept.tokens;
    return renew(kept.tokens).catch((error: unknown) => {
      // It may still be valid for a moment.
      if (kept.expiresAt > Date.now()) return kept.tokens;
      throw error;
    });
  }

  return { renew, current };
}

/**
 * Returns a `fetch` for the requests to a server.
 * @throws LoginNeeded, ScopeNeeded, UserError while the authorization server is unreachable
 */
export function authorised(server: OAuthServer, place: OAuthPlace): typeof fetch {
  const { name, url } = server;
  const { logins } = place;
  const { renew, current } = keepTokens(server, place);
  return async (input, init) => {
    let tokens = await current();
    let response = await sendWith(input, init, tokens);
    if (response.status === 401 && tokens) {
      const next = await renew(tokens);
      if (next) {
        await response.body?.cancel();
        response = await sendWith(input, init, next);
        tokens = next;
      }
    }
    const { status, headers } = response;
    if (status !== 401 && status !== 403) return response;
    const { error, scope, metadata } = readChallenge(headers.get('www-authenticate'));
    const isMore = status === 403 && error === 'insufficient_scope';
    // A refusal that doesn't mention tokens may be about another header.
    if (!isMore && (status === 403 || (!tokens && !headers.has('www-authenticate')))) return response;
    await response.body?.cancel();
    if (tokens && !isMore) logins.dropTokens(name, url, tokens);
    const isOwn = metadata?.origin === new URL(url).origin;
    if (isMore || isOwn)
      logins.change(name, url, (now) => {
        const wanted = isMore ? joinScopes(now.wanted, scope) : now.wanted;
        return {
          record: { ...now, ...(wanted && { wanted }), ...(isOwn && { metadata: metadata.href }) },
          result: undefined,
        };
      });
    throw isMore ? new ScopeNeeded(say('mcp.moreNeeded', { name })) : new LoginNeeded(say('mcp.loginNeeded', { name }));
  };
}

function sendWith(input: Parameters<typeof fetch>[0], init: RequestInit | undefined, tokens: Tokens | undefined) {
  if (!tokens) return fetch(input, init);
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${tokens.access_token}`);
  return fetch(input, { ...init, headers });
}
