/**
 * `viber mcp login`: a browser on this machine is redirected back; one elsewhere ends on a page that doesn't load,
 * and the person pastes its address here.
 */
import { once } from 'node:events';
import http from 'node:http';
import { createInterface } from 'node:readline';
import type { Config } from '../../../config.ts';
import { UserError } from '../../../errors.ts';
import { say } from '../../../messages/messages.ts';
import type { CliContext } from '../../../runtime/contract/cli.ts';
import { hashOf, LOGIN_MS, type Logins } from '../auth/logins.ts';
import { beginLogin, finishLogin, type OAuthServer } from '../auth/oauth.ts';
import { type BrowserReturn, readReturned } from '../auth/returned.ts';
import { maySignIn } from '../server.ts';
import { findServer, loginsIn } from './servers.ts';

const PATH = '/mcp/callback';
const MACHINE = 'machine';

/** @throws UserError */
export async function logInAtTerminal(name: string, servers: Config['mcp'], context: CliContext): Promise<void> {
  const { url, headers, oauth, trusted } = findServer(name, servers);
  if (url === undefined) throw new UserError(say('mcp.noAddress', { name }));
  if (!maySignIn({ url, trusted, ...(headers && { headers }) })) throw new UserError(say('mcp.hasKey', { name }));
  const server: OAuthServer = { name, url, headers, oauth };
  const logins = await loginsIn(context);
  const waiting = await listenForBrowser(portBefore(logins, server), context);
  const ended = AbortSignal.timeout(LOGIN_MS);
  const pasted = readPasted(context);
  try {
    const redirect = `http://127.0.0.1:${waiting.port}${PATH}`;
    const link = await beginLogin(server, { person: MACHINE, redirect }, { logins });
    const { print, messages } = context;
    print(messages.text('mcp.link', { name }));
    print(link.url.href);
    print(messages.text('cli.mcpPaste'));
    const late = once(ended, 'abort').then(() => undefined);
    const returned = await Promise.race([waiting.returned(link.state), pasted.returned(link.state), late]);
    const taken = returned && logins.take(({ state }) => state === hashOf(link.state));
    if (!taken) throw new UserError(say('cli.mcpLate', { name }));
    await finishLogin(server, taken.pending, returned, { logins });
  } finally {
    waiting.close();
    pasted.close();
  }
}

/** The port of an earlier login, since clients are registered with it. */
function portBefore(logins: Logins, { name, url }: OAuthServer): number {
  const redirect = URL.parse(logins.of(name, url)?.client?.redirect ?? '');
  return redirect?.pathname === PATH ? Number(redirect.port) : 0;
}

async function listenForBrowser(port: number, { messages }: CliContext) {
  const came = Promise.withResolvers<BrowserReturn>();
  let wanted: string | undefined;
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const returned = request.method === 'GET' && url.pathname === PATH ? readReturned(url.href) : undefined;
    const isIt = returned !== undefined && returned.state === wanted;
    const text = messages.text(isIt ? 'cli.mcpPage' : 'mcp.pageGone');
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' };
    response.writeHead(isIt ? 200 : 404, { ...headers, 'referrer-policy': 'no-referrer' }).end(text);
    if (isIt) came.resolve(returned);
  });
  const bind = (at: number) => {
    const bound = Promise.withResolvers<void>();
    server.once('error', bound.reject).listen(at, '127.0.0.1', bound.resolve);
    return bound.promise;
  };
  await bind(port).catch((error: unknown) => {
    if (port === 0) throw error;
    return bind(0);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    returned(state: string): Promise<BrowserReturn> {
      wanted = state;
      return came.promise;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Reads lines until one is the address. The end of the input doesn't end the login, since a browser may still return. */
function readPasted({ print, messages }: CliContext) {
  const lines = createInterface({ input: process.stdin });
  return {
    returned: (state: string) =>
      new Promise<BrowserReturn>((resolve) => {
        lines.on('line', (line) => {
          const returned = readReturned(line);
          if (returned?.state === state) resolve(returned);
          else if (line.trim() !== '') print(messages.text('cli.mcpOtherAddress'));
        });
      }),
    close() {
      lines.close();
      process.stdin.pause();
    },
  };
}
