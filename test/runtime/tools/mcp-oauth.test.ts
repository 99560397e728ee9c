/** Logins at servers of tools, against an authorization server that is as strict as real ones. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hashOf, type Logins, openLogins } from '../../../src/features/mcp/auth/logins.ts';
import { beginLogin, finishLogin, type OAuthServer } from '../../../src/features/mcp/auth/oauth.ts';
import { disguiseFor } from '../../../src/features/mcp/auth/own-network.ts';
import { readReturned } from '../../../src/features/mcp/auth/returned.ts';
import { McpServers } from '../../../src/features/mcp/servers.ts';
import { silentLog } from '../../../src/log.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { type OAuthFaults, type OAuthOptions, startOAuth } from '../../emulators/mcp-oauth.ts';
import { toolScope } from '../../helpers/scope.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { quiet } from '../../kit/quiet.ts';

const BY = { person: 'alex', redirect: 'http://127.0.0.1:8787/board/mcp' };

async function open(options: OAuthOptions = {}, oauth?: OAuthServer['oauth']) {
  const emulator = await startOAuth(options);
  onTestFinished(() => emulator.close());
  const home = await openHome(tempFolder());
  const logins = openLogins(home.access);
  const server: OAuthServer = { name: 'linear', url: emulator.url, oauth };
  const place = { logins };
  const begin = (by = BY) => beginLogin(server, by, place);
  const finish = (address: string) => finishAt(address, server, logins);
  const logIn = async () => finish(await emulator.allow((await begin()).url));
  return { emulator, home, logins, server, begin, finish, logIn, connect: () => connect(home.root, server, logins) };
}

async function finishAt(address: string, server: OAuthServer, logins: Logins): Promise<void> {
  const returned = readReturned(address);
  if (!returned) throw new Error(`no answer: ${address}`);
  const taken = logins.take(({ state }) => state === hashOf(returned.state));
  if (!taken) throw new Error('not under way');
  await finishLogin(server, taken.pending, returned, { logins });
}

async function connect(root: string, { name, url, oauth }: OAuthServer, logins: Logins) {
  const home = await openHome(root);
  const scope = toolScope(home);
  const servers = { [name]: { url, trusted: true, ...(oauth && { oauth }) } };
  const mcp = new McpServers({ servers, log: silentLog(), oauth: { logins } });
  onTestFinished(() => mcp.close());
  const call = async (tool: string) => {
    const found = (await mcp.tools(scope)).find((each) => each.name === `${name}_${tool}`);
    if (!found) throw new Error(`no tool ${tool}: ${mcp.health()[0]?.problem}`);
    return found.execute({}, { signal: new AbortController().signal, callId: 'c1' });
  };
  const tools = async () => (await mcp.tools(scope)).map((each) => each.name);
  return { mcp, call, tools, problem: () => mcp.health()[0]?.problem };
}

test.each<[string, OAuthOptions]>([
  ['the usual metadata', {}],
  ['an issuer with a path', { issuerPath: '/tenant' }],
  ['metadata of OpenID Connect', { oidc: true, issuerPath: '/tenant' }],
  ['a challenge that names nothing', { silent: true }],
  // Not what the library takes for this machine: it stands for any address of one's own network.
  ['a server and its logins at a private address', { host: '127.0.0.2' }],
  ['a private address that its challenge does not name', { host: '127.0.0.2', silent: true }],
])('logs in with %s, and calls tools', async (_what, options) => {
  const { emulator, home, logIn, connect } = await open(options);
  await logIn();
  const { call } = await connect();
  expect(await call('read')).toEqual({ text: 'did read' });
  expect(emulator.refusals).toEqual([]);
  const file = path.join(home.access, 'mcp.json');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(file, 'utf8')).toContain(emulator.issued[0]);
});

test('says that a login is needed, asks nothing more of the server until there is one, and goes on with it', async () => {
  const { emulator, logIn, connect } = await open();
  const { tools, call, problem } = await connect();
  expect(await tools()).toEqual([]);
  expect(problem()).toBe('The server linear needs a login. An owner can send /mcp login linear');
  const asked = emulator.asked.length;
  await tools();
  expect(emulator.asked.length).toBe(asked);
  await logIn();
  expect(await call('read')).toEqual({ text: 'did read' });
});

test('asks for the scope of the challenge, and for a token that lasts', async () => {
  const { begin } = await open();
  const { url } = await begin();
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    scope: 'read offline_access',
    prompt: 'consent',
    code_challenge_method: 'S256',
    redirect_uri: BY.redirect,
  });
});

test('an answer is used once, in its time, and only for its own login', async () => {
  const { emulator, begin, finish, logins, server } = await open();
  const link = await begin();
  const address = await emulator.allow(link.url);
  await finish(address);
  await expect(finish(address)).rejects.toThrow('not under way');
  expect(emulator.exchanges).toEqual(['authorization_code 200']);
  // A second link replaces the first.
  const first = await begin();
  const second = await begin();
  await expect(finish(await emulator.allow(first.url))).rejects.toThrow('not under way');
  logins.change(server.name, server.url, (now) => ({
    record: { ...now, ...(now.pending && { pending: { ...now.pending, until: Date.now() - 1 } }) },
    result: undefined,
  }));
  await expect(finish(await emulator.allow(second.url))).rejects.toThrow('not under way');
  expect(emulator.exchanges).toHaveLength(1);
});

test('a code with another verifier is refused, and the login begins anew', async () => {
  const { emulator, begin, finish, logins, server } = await open();
  const link = await begin();
  const address = await emulator.allow(link.url);
  logins.change(server.name, server.url, (now) => ({
    record: { ...now, ...(now.pending && { pending: { ...now.pending, verifier: 'x'.repeat(43) } }) },
    result: undefined,
  }));
  await expect(finish(address)).rejects.toThrow("I can't log in at linear: verifier");
  expect(emulator.refusals).toEqual(['invalid_grant: verifier']);
  expect(logins.tokens(server.name, server.url)).toBeUndefined();
});

test.each<[string, (given: URLSearchParams) => void]>([
  ['another issuer', (given) => given.set('iss', 'https://evil.example')],
  ['no issuer, where the metadata promises one', (given) => given.delete('iss')],
])('an answer with %s goes nowhere', async (_what, answer) => {
  const { emulator, begin, finish } = await open();
  emulator.faults.answer = answer;
  await expect(finish(await emulator.allow((await begin()).url))).rejects.toThrow(
    "isn't from the server that linear names",
  );
  expect(emulator.exchanges).toEqual([]);
});

test('a refusal is said in its own word, one of another issuer is not shown', async () => {
  const { emulator, begin, finish } = await open();
  await expect(finish(await emulator.deny((await begin()).url))).rejects.toThrow(
    "didn't allow the login (access_denied)",
  );
  emulator.faults.answer = (given) => given.set('iss', 'https://evil.example');
  await expect(finish(await emulator.deny((await begin()).url))).rejects.toThrow("isn't from the server");
});

test('what is kept of a login at a private address is as the server named it', async () => {
  const { emulator, home, logIn } = await open({ host: '127.0.0.2' });
  await logIn();
  const kept = fs.readFileSync(path.join(home.access, 'mcp.json'), 'utf8');
  expect(kept).toContain(`${new URL(emulator.url).protocol}//127.0.0.2:`);
  expect(kept).not.toContain('own-network');
});

test('an address of one’s own network stands for what only such a server may name', async () => {
  const resolve = async (host: string) => [
    { address: host === 'here.example' ? '10.1.2.3' : '93.184.216.34', family: 4 },
  ];
  const shown = async (server: string, url: string) => (await disguiseFor(new URL(server), resolve)).show(url);
  for (const own of [
    'http://10.1.2.3/mcp',
    'https://tickets.internal/mcp',
    'https://here.example/mcp',
    'http://[fd00::1]/mcp',
  ])
    expect(await shown(own, 'http://192.168.7.7:81/token'), own).toMatch(
      /^http:\/\/[0-9a-f.]+\.own-network\.invalid\/token$/,
    );
  for (const other of ['https://there.example/mcp', 'https://93.184.216.34/mcp'])
    expect(await shown(other, 'http://192.168.7.7:81/token'), other).toBe('http://192.168.7.7:81/token');
  // Nobody's login is where clouds keep their machines' secrets.
  expect(await shown('http://10.1.2.3/mcp', 'http://169.254.169.254/token')).toBe('http://169.254.169.254/token');
});

test.each<[string, OAuthFaults, RegExp]>(
  // biome-ignore format: a row is a line
  [
    ['metadata of another issuer', { metadata: (given) => ({ ...given, issuer: 'https://evil.example' }) }, /does not match expected issuer/],
    ['metadata that moved to a private address', { metadataAt: 'http://169.254.169.254/latest/meta-data' }, /not allowed|may name/],
    ['metadata that moved into the network', { metadataAt: 'https://10.0.0.1/' }, /not allowed|may name/],
    ['an authorization server in the network', { resource: (given) => ({ ...given, authorization_servers: ['http://192.168.1.1'] }) }, /not allowed|may name/],
    ['a token endpoint in the network', { metadata: (given) => ({ ...given, token_endpoint: 'http://10.0.0.1/token' }) }, /not allowed|may name/],
    ['metadata for another resource', { resource: (given) => ({ ...given, resource: 'https://other.example/mcp' }) }, /does not match/],
    ['no PKCE', { metadata: (given) => ({ ...given, code_challenge_methods_supported: ['plain'] }) }, /code challenge method/],
  ],
)('%s is refused', async (_what, faults, why) => {
  const { emulator, begin, finish } = await open();
  Object.assign(emulator.faults, faults);
  const whole = async () => finish(await emulator.allow((await begin()).url));
  await expect(whole()).rejects.toThrow(why);
  expect(emulator.issued).toEqual([]);
});

test('a client is registered once for an address, and again when it ends', async () => {
  const { emulator, begin, logIn } = await open();
  await logIn();
  await logIn();
  expect(emulator.registered).toHaveLength(1);
  await begin({ ...BY, redirect: 'http://127.0.0.1:9999/board/mcp' });
  expect(emulator.registered).toHaveLength(2);
  const ending = await open({ clientSeconds: 60 });
  await ending.begin();
  await ending.begin();
  expect(ending.emulator.registered).toHaveLength(2);
});

test('a server without registration asks for a client in the settings, and takes it', async () => {
  const without = await open({ registers: false });
  await expect(without.begin()).rejects.toThrow('set mcp.linear.oauth.clientId');
  const emulator = await startOAuth({ registers: false, client: { id: 'by-hand', secret: 'very-secret' } });
  onTestFinished(() => emulator.close());
  const home = await openHome(tempFolder());
  const logins = openLogins(home.access);
  const oauth = { clientId: 'by-hand', clientSecret: 'very-secret', issuer: emulator.issuer };
  const server = { name: 'linear', url: emulator.url, oauth };
  const { url } = await beginLogin(server, BY, { logins });
  await finishAt(await emulator.allow(url), server, logins);
  const { call } = await connect(home.root, server, logins);
  expect(await call('read')).toEqual({ text: 'did read' });
  // The secret is only for the issuer that the settings name.
  const other = { ...server, oauth: { ...oauth, issuer: 'https://other.example' } };
  await expect(beginLogin(other, BY, { logins: openLogins(home.access) })).rejects.toThrow('does not match');
});

test('a token that ends is renewed once, however many calls run into it', async () => {
  const { emulator, logIn, connect } = await open();
  await logIn();
  const { call } = await connect();
  await call('read');
  emulator.expire();
  expect(await Promise.all([call('read'), call('read'), call('read')])).toEqual(Array(3).fill({ text: 'did read' }));
  expect(emulator.exchanges).toEqual(['authorization_code 200', 'refresh_token 200']);
});

test('two processes that renew at once share the new token', async () => {
  const { emulator, home, server, logIn, connect } = await open();
  await logIn();
  const one = await connect();
  const { promise, resolve } = Promise.withResolvers<void>();
  // Another process has a view of its own of the same file.
  const two = await connect2(home.root, server);
  await Promise.all([one.call('read'), two.call('read')]);
  emulator.expire();
  emulator.faults.holdTokens = promise;
  const both = Promise.all([one.call('read'), two.call('read')]);
  // One asks for a new token, and the other waits for it.
  await quiet({ except: /token/ });
  resolve();
  expect(await both).toEqual([{ text: 'did read' }, { text: 'did read' }]);
  expect(emulator.exchanges.filter((each) => each.startsWith('refresh'))).toEqual(['refresh_token 200']);
  expect(emulator.refusals).toEqual([]);
});

const connect2 = (root: string, server: OAuthServer) => connect(root, server, openLogins(path.join(root, 'access')));

test('a token that ends soon is renewed before it ends', async () => {
  const { emulator, logins, server, logIn, connect } = await open({ tokenSeconds: 30 });
  await logIn();
  const { call } = await connect();
  await call('read');
  expect(emulator.exchanges).toEqual(['authorization_code 200']);
  const expiresAt = Date.now() + 5_000;
  logins.change(server.name, server.url, (now) => ({ record: { ...now, expiresAt }, result: undefined }));
  expect(await call('read')).toEqual({ text: 'did read' });
  expect(emulator.exchanges).toEqual(['authorization_code 200', 'refresh_token 200']);
});

test('an authorization server that is away costs no login', async () => {
  const { emulator, logins, server, logIn, connect } = await open();
  await logIn();
  const { call } = await connect();
  await call('read');
  emulator.expire();
  emulator.faults.tokenStatus = 503;
  await expect(call('read')).rejects.toThrow("I can't reach linear right now");
  expect(logins.tokens(server.name, server.url)).toBeDefined();
  delete emulator.faults.tokenStatus;
  const again = await connect();
  expect(await again.call('read')).toEqual({ text: 'did read' });
});

test('a revoked login ends in one sentence with the next step, in the middle of a run too', async () => {
  const { emulator, logins, server, logIn, connect } = await open();
  await logIn();
  const { call, problem } = await connect();
  await call('read');
  emulator.faults.refusesAll = true;
  await expect(call('read')).rejects.toThrow('The server linear needs a login. An owner can send /mcp login linear');
  expect(logins.tokens(server.name, server.url)).toBeUndefined();
  expect(problem()).toContain('/mcp login linear');
  emulator.faults.refusesAll = false;
  await logIn();
  expect(await call('read')).toEqual({ text: 'did read' });
});

test('a call that needs more rights says so, and the next login asks for them', async () => {
  const { emulator, begin, finish, logIn, connect } = await open();
  await logIn();
  const { call } = await connect();
  await expect(call('write')).rejects.toThrow('allows this only after another login');
  expect(await call('read')).toEqual({ text: 'did read' });
  const { url } = await begin();
  expect(url.searchParams.get('scope')?.split(' ').sort()).toEqual(['offline_access', 'read', 'write']);
  await finish(await emulator.allow(url));
  expect(await call('write')).toEqual({ text: 'did write' });
});

test('a login counts only for the address that it was made for', async () => {
  const { emulator, home, logins, server, logIn } = await open();
  await logIn();
  const other = await startOAuth();
  onTestFinished(() => other.close());
  const moved = { ...server, url: other.url };
  const { tools, problem } = await connect(home.root, moved, logins);
  expect(await tools()).toEqual([]);
  expect(problem()).toContain('needs a login');
  expect(emulator.issued.some((token) => JSON.stringify(other).includes(token))).toBe(false);
});

test('what a person pastes is found in whatever the chat made of it', () => {
  const state = `viber-${'s'.repeat(43)}`;
  const address = `http://127.0.0.1:8787/board/mcp?state=${state}&iss=https%3A%2F%2Fas.example&code=c-1%2B2`;
  const found = { state, code: 'c-1+2', issuer: 'https://as.example' };
  for (const text of [
    address,
    `<${address}>`,
    `here: ${address} ok?`,
    address.replaceAll('&', '&amp;'),
    `?state=${state}&iss=https%3A%2F%2Fas.example&code=c-1%2B2`,
  ])
    expect(readReturned(text)).toEqual(found);
  for (const text of ['hello', '?state=other&code=1', `?state=${state}x&code=1`, 'a'.repeat(10_000)])
    expect(readReturned(text)).toBeUndefined();
});
