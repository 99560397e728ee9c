/**
 * Logs in at a server with OAuth 2.1: the library discovers, registers and exchanges; this decides what it may reach,
 * what is stored, and what an answer must match.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
import { randomBytes } from 'node:crypto';
import type { OAuthClientProvider } from '@ai-sdk/mcp';
import { z } from 'zod';
import type { Address } from '../../../channels/channel.ts';
import { UserError } from '../../../errors.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Resolve } from '../../../lib/public-address.ts';
import { say } from '../../../messages/messages.ts';
import { joinScopes, readChallenge } from './challenge.ts';
import {
  type ClientFields,
  hashOf,
  LOGIN_MS,
  type Logins,
  type Pending,
  type Place,
  readClient,
  readTokens,
  type Tokens,
} from './logins.ts';
import { disguiseFor, revealIn } from './own-network.ts';
import { ReachError, reachFor } from './reach.ts';
import { newState } from './returned.ts';

/** The configuration of a server that uses a login. */
export interface OAuthServer {
  name: string;
  url: string;
  headers?: Readonly<Record<string, string>> | undefined;
  oauth?:
    | {
        clientId?: string | undefined;
        clientSecret?: string | undefined;
        issuer?: string | undefined;
        scopes?: readonly string[] | undefined;
      }
    | undefined;
}

export interface OAuthPlace {
  logins: Logins;
  resolve?: Resolve;
}

export interface LoginLink {
  url: URL;
  state: string;
}

/** Fields of an authorization server's metadata that the library doesn't read. */
const metadata = z.looseObject({
  scopes_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
type Metadata = z.output<typeof metadata>;

export interface LoginStart {
  /** The person who asks for the link. */
  person: string;
  /** The address that the browser is redirected to. */
  redirect: string;
  /** The chat that receives the result; absent if the person sees it anyway. */
  address?: Address | undefined;
}

/** Findings that a login records as it proceeds. */
interface Discovery {
  metadata: Metadata;
  /** The server or its authorization server was unreachable, so a failure says nothing about the login. */
  isAway: boolean;
}

const IS_METADATA =
  /\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/|$)|\/\.well-known\/openid-configuration$/;

function watchRequests(send: typeof fetch, seen: Discovery): typeof fetch {
  return async (input, init) => {
    try {
      const response = await send(input, init);
      if (response.status >= 500 || response.status === 429) seen.isAway = true;
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      if (response.ok && IS_METADATA.test(pathname)) {
        const { data } = metadata.safeParse(parseJson(await response.clone().text()));
        if (data) seen.metadata = data;
      }
      return response;
    } catch (error) {
      if (!(error instanceof ReachError)) seen.isAway = true;
      throw error;
    }
  };
}

/**
 * Begins a login, and returns the link that a person opens in a browser.
 * @param by the person who asks, and the address that the browser is redirected to
 * @throws UserError if no login is possible at the server
 */
export async function beginLogin(server: OAuthServer, by: LoginStart, place: OAuthPlace): Promise<LoginLink> {
  const { name, url } = server;
  const challenge = await askForChallenge(server);
  const kept = place.logins.of(name, url);
  const known = challenge.metadata?.href ?? kept?.metadata;
  const scope = joinScopes(challenge.scope ?? server.oauth?.scopes?.join(' '), kept?.tokens?.scope, kept?.wanted);
  const asked = { ...by, scope, metadata: known };
  try {
    return await requestLink(server, asked, place, kept?.client);
  } catch (error) {
    // The server has moved to another authorization server, or that one has forgotten us.
    if (!kept?.client || error instanceof UserError) throw unfit(error, name);
    return requestLink(server, asked, place, undefined).catch((again: unknown) => {
      throw unfit(again, name);
    });
  }
}

/** Sends a request without a token, to read the server's challenge. */
async function askForChallenge({ name, url, headers }: OAuthServer): Promise<ReturnType<typeof readChallenge>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'openviber', version: '1' } };
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
    redirect: 'error',
    signal: AbortSignal.timeout(20_000),
  }).catch((error: unknown) => {
    throw new UserError(say('mcp.away', { name }), { cause: error });
  });
  await response.body?.cancel();
  if (response.ok) throw new UserError(say('mcp.noLoginNeeded', { name }));
  return readChallenge(response.headers.get('www-authenticate'));
}

interface LinkRequest extends LoginStart {
  scope: string | undefined;
  metadata: string | undefined;
}

async function requestLink(
  server: OAuthServer,
  { person, redirect, address, scope, metadata: known }: LinkRequest,
  { logins, resolve }: OAuthPlace,
  kept: (ClientFields & { redirect: string }) | undefined,
): Promise<LoginLink> {
  const { name, url } = server;
  const { auth } = await import('@ai-sdk/mcp');
  const { show, reveal, revealLink, around } = await disguiseFor(new URL(url), resolve);
  const state = newState(randomBytes(32));
  const seen: Discovery = { metadata: {}, isAway: false };
  const made: { client?: ClientFields; place?: Place; verifier?: string; link?: URL } = {};
  const provider: OAuthClientProvider = {
    ...providerOf(server, redirect),
    tokens: () => undefined,
    clientInformation: () => show(configuredClient(server) ?? made.client ?? usable(kept, redirect)),
    saveClientInformation: (client) => {
      made.client = reveal(readClient(client));
    },
    isClientInformationDynamicallyRegistered: () => made.client !== undefined,
    saveAuthorizationServerInformation: (found) => {
      made.place = reveal(found);
    },
    state: () => state,
    saveCodeVerifier: (verifier) => {
      made.verifier = verifier;
    },
    redirectToAuthorization: (link) => {
      made.link = revealLink(link);
    },
  };
  const fetchFn = around(watchRequests(reachFor(new URL(url), resolve), seen));
  const options = { serverUrl: show(url), fetchFn };
  await auth(provider, {
    ...options,
    ...(scope !== undefined && { scope }),
    ...(known !== undefined && { resourceMetadataUrl: new URL(show(known)) }),
  });
  const { place, verifier, link } = made;
  const client = configuredClient(server) ?? made.client ?? usable(kept, redirect);
  if (!place || verifier === undefined || !link || !client)
    throw new UserError(say('mcp.cantLogIn', { name, why: '' }));
  askForRenewal(link, seen.metadata);
  const pending: Pending = {
    state: hashOf(state),
    verifier,
    person,
    redirect,
    until: Date.now() + LOGIN_MS,
    place,
    client,
    ...(address && { address }),
    namesIssuer: seen.metadata.authorization_response_iss_parameter_supported === true,
    ...(known !== undefined && { metadata: known }),
  };
  logins.change(name, url, (now) => ({
    record: {
      ...now,
      ...(made.client && { client: { ...made.client, redirect } }),
      ...(known !== undefined && { metadata: known }),
      pending,
    },
    result: undefined,
  }));
  return { url: link, state };
}

/** Some servers issue a refresh token only if this scope is asked for. */
function askForRenewal({ searchParams }: URL, { scopes_supported: scopes = [] }: Metadata): void {
  if (!scopes.includes('offline_access')) return;
  searchParams.set('scope', joinScopes(searchParams.get('scope') ?? undefined, 'offline_access') ?? '');
  searchParams.set('prompt', 'consent');
}

/**
 * Finishes a login with the result that the browser brings. The login was removed from the store, so it is used once.
 * @throws UserError
 */
export async function finishLogin(
  server: OAuthServer,
  pending: Pending,
  { code, issuer, error }: NonNullable<Pending['returned']>,
  { logins, resolve }: OAuthPlace,
): Promise<void> {
  const { name, url } = server;
  // An answer from another server isn't shown, and its code isn't sent anywhere.
  if (issuer === undefined ? pending.namesIssuer : issuer !== pending.place.issuer)
    throw new UserError(say('mcp.otherIssuer', { name }));
  if (error !== undefined)
    throw new UserError(say('mcp.refused', { name, why: error.replace(/[^\w-]/g, ' ').slice(0, 60) }));
  if (code === undefined) throw new UserError(say('mcp.noCode', { name }));
  const { auth } = await import('@ai-sdk/mcp');
  const { show, reveal, around } = await disguiseFor(new URL(url), resolve);
  const seen: Discovery = { metadata: {}, isAway: false };
  let given: Tokens | undefined;
  const provider: OAuthClientProvider = {
    ...providerOf(server, pending.redirect),
    tokens: () => undefined,
    clientInformation: () => show(pending.client),
    authorizationServerInformation: () => show(bindingOf(pending.place)),
    codeVerifier: () => pending.verifier,
    saveTokens: (tokens) => {
      given = reveal(readTokens(tokens));
    },
  };
  try {
    await auth(provider, {
      serverUrl: show(url),
      authorizationCode: code,
      ...(issuer !== undefined && { callbackIssuer: show(issuer) }),
      ...(pending.metadata !== undefined && { resourceMetadataUrl: new URL(show(pending.metadata)) }),
      fetchFn: around(watchRequests(reachFor(new URL(url), resolve), seen)),
    });
  } catch (cause) {
    throw seen.isAway ? new UserError(say('mcp.away', { name }), { cause }) : unfit(cause, name);
  }
  if (!given) throw new UserError(say('mcp.cantLogIn', { name, why: '' }));
  logins.saveTokens(name, url, given);
}

/** `away`: the same tokens may work later. */
export type Renewal = { tokens: Tokens } | 'away' | 'refused';

/** Exchanges a refresh token. The caller has claimed the renewal. */
export async function renewTokens(
  server: OAuthServer,
  used: Tokens,
  { logins, resolve }: OAuthPlace,
): Promise<Renewal> {
  const { auth } = await import('@ai-sdk/mcp');
  const kept = logins.of(server.name, server.url);
  const client = configuredClient(server) ?? kept?.client;
  if (!client || used.refresh_token === undefined) return 'refused';
  const { show, reveal, around } = await disguiseFor(new URL(server.url), resolve);
  const seen: Discovery = { metadata: {}, isAway: false };
  let given: Tokens | undefined;
  const provider: OAuthClientProvider = {
    ...providerOf(server, kept?.client?.redirect ?? 'http://127.0.0.1/'),
    tokens: () => show(used),
    clientInformation: () => show(client),
    saveTokens: (tokens) => {
      given = reveal(readTokens(tokens));
    },
  };
  try {
    await auth(provider, {
      serverUrl: show(server.url),
      ...(kept?.metadata !== undefined && { resourceMetadataUrl: new URL(show(kept.metadata)) }),
      fetchFn: around(watchRequests(reachFor(new URL(server.url), resolve), seen)),
    });
  } catch (error) {
    // A login can't begin here, so every failure except one of the network means that a person has to log in.
    if (!(error instanceof Error)) throw error;
  }
  if (given) return { tokens: { ...given, ...(given.scope === undefined && used.scope && { scope: used.scope }) } };
  return seen.isAway ? 'away' : 'refused';
}

function providerOf({ oauth }: OAuthServer, redirect: string) {
  const scope = oauth?.scopes?.join(' ');
  const refuseStep = () => {
    throw new Error('this is not a login');
  };
  return {
    redirectUrl: redirect,
    clientMetadata: {
      client_name: 'OpenViber',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope && { scope }),
    },
    codeVerifier: refuseStep as () => string,
    saveTokens: refuseStep as () => void,
    saveCodeVerifier: refuseStep as () => void,
    redirectToAuthorization: refuseStep as () => void,
  };
}

function configuredClient({ oauth }: OAuthServer): ClientFields | undefined {
  if (oauth?.clientId === undefined) return undefined;
  const { clientId, clientSecret, issuer } = oauth;
  return { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }), ...(issuer && { issuer }) };
}

const bindingOf = ({ issuer, ...place }: Place) => ({ ...place, ...(issuer !== undefined && { issuer }) });

/** A client is valid for the address that it was registered with, until it expires (RFC 7591; 0: never). */
function usable(kept: (ClientFields & { redirect: string }) | undefined, redirect: string): ClientFields | undefined {
  const ends = kept?.client_secret_expires_at ?? 0;
  if (kept?.redirect !== redirect || (ends !== 0 && ends * 1000 < Date.now() + LOGIN_MS)) return undefined;
  const { redirect: _to, ...client } = kept;
  return client;
}

/** Explains why the login at a server failed, in the server's own words if it gave any. */
function unfit(error: unknown, name: string): UserError {
  if (error instanceof UserError) return error;
  const why = error instanceof Error ? revealIn(error.message).replace(/\s+/g, ' ').slice(0, 200) : '';
  if (/does not support dynamic client registration/.test(why))
    return new UserError(say('mcp.noRegistration', { name }), { cause: error });
  return new UserError(say('mcp.cantLogIn', { name, why }), { cause: error });
}
