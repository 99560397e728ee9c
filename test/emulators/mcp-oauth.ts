/**
 * A protected tool server and its authorization server, each on its own port, as strict as real ones: OAuth 2.1 with
 * PKCE (RFC 7636), metadata (RFC 8414, RFC 9728), registration (RFC 7591), resource indicators (RFC 8707), the issuer
 * in answers (RFC 9207), and refresh tokens that rotate and are all revoked if one is used twice.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, readText, sendJson } from './base/http.ts';
import { inputSchema, mcpResult } from './mcp.ts';

export interface OAuthFaults {
  /** Changes the authorization server's metadata. */
  metadata?: (given: Record<string, unknown>) => Record<string, unknown>;
  /** Changes the protected server's metadata. */
  resource?: (given: Record<string, unknown>) => Record<string, unknown>;
  /** Redirects requests for the authorization server's metadata to this address. */
  metadataAt?: string;
  /** Changes the answer that the browser carries back. */
  answer?: (given: URLSearchParams) => void;
  /** The status of every answer to a token request. */
  tokenStatus?: number;
  /** Holds every token request until this resolves. */
  holdTokens?: Promise<void>;
  /** Refuses every access token. */
  refusesAll?: boolean;
}

export interface OAuthOptions {
  /** The issuer's path. */
  issuerPath?: string;
  /** Offers OpenID Connect's metadata instead. */
  oidc?: boolean;
  /** Clients expire after this many seconds. */
  clientSeconds?: number;
  /** Access tokens expire after this many seconds. */
  tokenSeconds?: number;
  /** Refuses clients that register themselves. */
  registers?: boolean;
  /** A client that somebody registered by hand. */
  client?: { id: string; secret: string };
  /** Omits the metadata's address from the challenge. */
  silent?: boolean;
  /** Where it listens; 127.0.0.1 by default. */
  host?: string;
}

interface Grant {
  client: string;
  scope: string;
  isRevoked: boolean;
  refresh: Set<string>;
}

interface Code {
  grant: Grant;
  redirect: string;
  challenge: string;
  isUsed: boolean;
}

export interface OAuthEmulator {
  /** The tool server's address. */
  url: string;
  issuer: string;
  faults: OAuthFaults;
  /** Token requests by grant type and outcome, such as `refresh_token 200`. */
  exchanges: string[];
  /** Registered clients. */
  registered: object[];
  /** The refused requests, each with the reason. */
  refusals: string[];
  /** The requested paths of both servers. */
  asked: string[];
  /** Acts as the browser of somebody who allows the access; returns the address at which it ends. */
  allow(link: string | URL): Promise<string>;
  /** Like `allow`, but the person refuses. */
  deny(link: string | URL): Promise<string>;
  /** Expires all access tokens. */
  expire(): void;
  /** The tokens that were issued, access and refresh. */
  issued: string[];
  close(): void;
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');
const secret = () => randomBytes(24).toString('base64url');

export async function startOAuth(options: OAuthOptions = {}): Promise<OAuthEmulator> {
  const { issuerPath = '', tokenSeconds = 3600, host = '127.0.0.1' } = options;
  const faults: OAuthFaults = {};
  const [tools, auth] = [
    await listen((...given) => serveTools(...given), { host }),
    await listen((...given) => serveAuth(...given), { host }),
  ];
  const url = `${tools.url}/mcp`;
  const issuer = auth.url + issuerPath;
  const clients = new Map<string, { redirects: string[]; secret?: string; until: number }>();
  if (options.client)
    clients.set(options.client.id, { redirects: [], secret: options.client.secret, until: Number.POSITIVE_INFINITY });
  const codes = new Map<string, Code>();
  const access = new Map<string, { grant: Grant; until: number }>();
  const refresh = new Map<string, Grant>();
  type Seen = Pick<OAuthEmulator, 'exchanges' | 'registered' | 'refusals' | 'asked' | 'issued'>;
  const seen: Seen = { exchanges: [], registered: [], refusals: [], asked: [], issued: [] };

  function refuse(response: ServerResponse, status: number, error: string, why: string) {
    seen.refusals.push(`${error}: ${why}`);
    sendJson(response, status, { error, error_description: why });
  }

  async function serveTools(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', tools.url);
    seen.asked.push(pathname);
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      const given = { resource: url, authorization_servers: [issuer], scopes_supported: ['read'] };
      return sendJson(response, 200, faults.resource?.(given) ?? given);
    }
    if (pathname !== '/mcp') return sendJson(response, 404, {});
    const [, bearer = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    const token = access.get(bearer);
    const isValid = token && token.until > Date.now() && !token.grant.isRevoked && !faults.refusesAll;
    const at = options.silent ? '' : `resource_metadata="${tools.url}/.well-known/oauth-protected-resource/mcp"`;
    if (!isValid) {
      response.setHeader(
        'www-authenticate',
        `Bearer ${[at, 'scope="read"', ...(bearer ? ['error="invalid_token"'] : [])].filter(Boolean).join(', ')}`,
      );
      return sendJson(response, 401, { error: 'invalid_token' });
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await readText(request));
    const needed = method === 'tools/call' && params.name === 'write' ? 'write' : 'read';
    if (!token.grant.scope.split(' ').includes(needed)) {
      response.setHeader('www-authenticate', `Bearer error="insufficient_scope", scope="${needed}", ${at}`);
      return sendJson(response, 403, { error: 'insufficient_scope' });
    }
    if (id === undefined) return void response.writeHead(202).end();
    const offered = ['read', 'write'].map((name) => ({ name, inputSchema }));
    const result = mcpResult(method, params, offered);
    const error = { code: -32601, message: 'no such method' };
    sendJson(response, 200, { jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
  }

  async function serveAuth(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? '/', auth.url);
    seen.asked.push(asked.pathname);
    const kind = options.oidc ? 'openid-configuration' : 'oauth-authorization-server';
    const places = [
      `/.well-known/${kind}${issuerPath}`,
      ...(options.oidc ? [`${issuerPath}/.well-known/${kind}`] : []),
    ];
    if (places.includes(asked.pathname)) {
      if (faults.metadataAt) return void response.writeHead(302, { location: faults.metadataAt }).end();
      return sendJson(response, 200, metadata());
    }
    if (asked.pathname === '/register' && request.method === 'POST')
      return register(JSON.parse(await readText(request)), response);
    if (asked.pathname === '/token' && request.method === 'POST') {
      await faults.holdTokens;
      return exchange(new URLSearchParams(await readText(request)), request.headers.authorization, response);
    }
    if (asked.pathname === '/authorize') return authorise(asked.searchParams, response);
    sendJson(response, 404, {});
  }

  function metadata(): Record<string, unknown> {
    // biome-ignore format: a row is a line
    const given = {
      issuer,
      authorization_endpoint: `${auth.url}/authorize`,
      token_endpoint: `${auth.url}/token`,
      ...(options.registers === false ? {} : { registration_endpoint: `${auth.url}/register` }),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      scopes_supported: ['read', 'write', 'offline_access'],
      authorization_response_iss_parameter_supported: true,
      ...(options.oidc && { jwks_uri: `${auth.url}/jwks`, subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['RS256'] }),
    };
    return faults.metadata?.(given) ?? given;
  }

  function register(
    given: { redirect_uris?: string[]; token_endpoint_auth_method?: string },
    response: ServerResponse,
  ) {
    const redirects = given.redirect_uris ?? [];
    const isFit =
      redirects.length > 0 && redirects.every((each) => /^https:|^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(each));
    if (!isFit) return refuse(response, 400, 'invalid_redirect_uri', redirects.join());
    const id = `client-${clients.size + 1}`;
    const seconds = options.clientSeconds;
    const until = seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1000;
    const isSecret = seconds !== undefined;
    clients.set(id, { redirects, until, ...(isSecret && { secret: secret() }) });
    seen.registered.push(given);
    const own = clients.get(id)?.secret;
    const ends = isSecret ? { client_secret: own, client_secret_expires_at: Math.floor(until / 1000) } : {};
    sendJson(response, 201, { ...given, client_id: id, ...ends });
  }

  function authorise(given: URLSearchParams, response: ServerResponse) {
    const [client, redirect] = [given.get('client_id') ?? '', given.get('redirect_uri') ?? ''];
    const known = clients.get(client);
    // Neither may be trusted before both are known, so nothing is redirected.
    if (!known || known.until < Date.now()) return refuse(response, 400, 'invalid_client', client);
    const isByHand = options.client?.id === client;
    if (!isByHand && !known.redirects.includes(redirect))
      return refuse(response, 400, 'invalid_redirect_uri', redirect);
    const wrong = wrongRequest(given);
    if (wrong) return refuse(response, 400, 'invalid_request', wrong);
    const answer = new URLSearchParams({ state: given.get('state') ?? '', iss: issuer });
    if (given.has('test_deny')) answer.set('error', 'access_denied');
    else {
      const code = secret();
      const grant = { client, scope: given.get('scope') ?? '', isRevoked: false, refresh: new Set<string>() };
      codes.set(code, { grant, redirect, challenge: given.get('code_challenge') ?? '', isUsed: false });
      answer.set('code', code);
    }
    faults.answer?.(answer);
    response.writeHead(302, { location: `${redirect}?${answer}` }).end();
  }

  function wrongRequest(given: URLSearchParams): string | undefined {
    if (given.get('response_type') !== 'code') return 'response_type';
    if (given.get('code_challenge_method') !== 'S256') return 'code_challenge_method';
    if (!/^[\w-]{43}$/.test(given.get('code_challenge') ?? '')) return 'code_challenge';
    if ((given.get('state') ?? '').length < 32) return 'state';
    if (given.get('resource') !== url) return 'resource';
    return undefined;
  }

  function exchange(given: URLSearchParams, header: string | undefined, response: ServerResponse) {
    const type = given.get('grant_type') ?? '';
    response.once('finish', () => seen.exchanges.push(`${type} ${response.statusCode}`));
    if (faults.tokenStatus) return sendJson(response, faults.tokenStatus, {});
    const [id = '', own = ''] = header
      ? Buffer.from(header.replace('Basic ', ''), 'base64').toString().split(':')
      : [given.get('client_id') ?? ''];
    const client = clients.get(id);
    if (!client || client.until < Date.now()) return refuse(response, 401, 'invalid_client', id);
    if ((client.secret ?? '') !== own) return refuse(response, 401, 'invalid_client', 'secret');
    if (given.get('resource') !== url) return refuse(response, 400, 'invalid_target', given.get('resource') ?? '');
    if (type === 'authorization_code') return byCode(given, id, response);
    if (type === 'refresh_token') return byRefresh(given.get('refresh_token') ?? '', id, response);
    return refuse(response, 400, 'unsupported_grant_type', type);
  }

  function byCode(given: URLSearchParams, client: string, response: ServerResponse) {
    const code = codes.get(given.get('code') ?? '');
    if (!code || code.grant.client !== client) return refuse(response, 400, 'invalid_grant', 'unknown code');
    if (code.isUsed) {
      code.grant.isRevoked = true;
      return refuse(response, 400, 'invalid_grant', 'code used twice');
    }
    code.isUsed = true;
    if (code.redirect !== given.get('redirect_uri')) return refuse(response, 400, 'invalid_grant', 'redirect_uri');
    if (hash(given.get('code_verifier') ?? '') !== code.challenge)
      return refuse(response, 400, 'invalid_grant', 'verifier');
    issue(code.grant, response);
  }

  function byRefresh(token: string, client: string, response: ServerResponse) {
    const grant = refresh.get(token);
    if (!grant || grant.client !== client || grant.isRevoked)
      return refuse(response, 400, 'invalid_grant', 'unknown refresh token');
    if (!grant.refresh.has(token)) {
      grant.isRevoked = true;
      return refuse(response, 400, 'invalid_grant', 'refresh token used twice');
    }
    grant.refresh.delete(token);
    issue(grant, response);
  }

  function issue(grant: Grant, response: ServerResponse) {
    const [token, next] = [secret(), secret()];
    access.set(token, { grant, until: Date.now() + tokenSeconds * 1000 });
    grant.refresh.add(next);
    refresh.set(next, grant);
    seen.issued.push(token, next);
    const granted = { access_token: token, token_type: 'Bearer', refresh_token: next, scope: grant.scope };
    sendJson(response, 200, { ...granted, expires_in: tokenSeconds });
  }

  async function browse(link: string | URL): Promise<string> {
    const response = await fetch(link, { redirect: 'manual' });
    await response.body?.cancel();
    const location = response.headers.get('location');
    if (location === null) throw new Error(`no redirect: HTTP ${response.status}, ${seen.refusals.at(-1)}`);
    return location;
  }

  return {
    ...{ url, issuer, faults, ...seen },
    allow: browse,
    deny: (link) => browse(`${link}&test_deny=1`),
    expire() {
      for (const token of access.values()) token.until = 0;
    },
    close() {
      for (const each of [tools, auth]) each.down();
    },
  };
}
