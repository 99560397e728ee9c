/** Handles logins that owners begin in a chat: sends the link, and finishes the login when their browser returns. */
import { type Principal, principalText } from '../../../access/principal.ts';
import { inAddress, isPrivate, WILDCARD } from '../../../board/guard.ts';
import type { Address } from '../../../channels/channel.ts';
import { UserError } from '../../../errors.ts';
import { viberCommand } from '../../../lib/invocation.ts';
import { say, type Wording } from '../../../messages/messages.ts';
import { escapeMarkdown } from '../../../runtime/conversations/places.ts';
import { configOf, type Gateway } from '../../gateway.ts';
import { loginsOf, serversOf } from '../open.ts';
import { maySignIn } from '../server.ts';
import { hashOf, type Pending } from './logins.ts';
import { beginLogin, finishLogin, type OAuthServer } from './oauth.ts';
import type { BrowserReturn } from './returned.ts';

export const CALLBACK_PATH = '/board/mcp';

/** Nothing listens at this address, so the browser keeps showing it and the person can copy it. */
const NOWHERE = `http://127.0.0.1:19787${CALLBACK_PATH}`;

/** Returns the servers that use a login. */
export const loginServers = (gw: Gateway): OAuthServer[] =>
  Object.entries(configOf(gw).mcp).flatMap(([name, { url, headers, oauth }]) =>
    url !== undefined && maySignIn({ url, trusted: false, ...(headers && { headers }) })
      ? [{ name, url, headers, oauth }]
      : [],
  );

/** @throws UserError for a server that doesn't use a login */
export function loginServer(wanted: string, gw: Gateway): OAuthServer {
  const all = configOf(gw).mcp;
  const name = Object.keys(all).find((each) => each === wanted.trim().toLowerCase());
  const found = loginServers(gw).find((each) => each.name === name);
  if (found) return found;
  const command = viberCommand('mcp add NAME URL');
  if (name !== undefined) throw new UserError(say(all[name]?.url ? 'mcp.hasKey' : 'mcp.noAddress', { name }));
  const names = loginServers(gw).map((each) => each.name);
  const shown = escapeMarkdown(wanted.trim().slice(0, 60));
  throw new UserError(say('mcp.unknown', { name: shown, names: names.join(', ') || 'none', command }));
}

/** Returns the link that a person opens. @throws UserError */
export async function loginLink(
  server: OAuthServer,
  by: { principal: Principal; address?: Address },
  gw: Gateway,
): Promise<string> {
  const { principal, address } = by;
  const asking = { person: principalText(principal), ...(address && { address }), redirect: callbackAddress(gw) };
  return (await beginLogin(server, asking, { logins: await loginsOf(gw) })).url.href;
}

/** Prefers an address that the browser of any machine can reach. */
function callbackAddress(gw: Gateway): string {
  const served = gw.features.served();
  if (!served) return NOWHERE;
  const { host, port, origins } = served;
  const listed = origins.map((origin) => new URL(origin).origin).find((origin) => origin.startsWith('https://'));
  const local = `http://${WILDCARD.has(host) ? '127.0.0.1' : inAddress(host)}:${port}`;
  return (listed ?? (isPrivate(local) ? local : `http://127.0.0.1:${port}`)) + CALLBACK_PATH;
}

/** The result of a login; `name` is absent if no login is pending. */
export interface LoginEnd {
  name?: string;
  isDone: boolean;
  said: Wording;
}

/** Finishes the login that a browser has returned from, and tells the person who began it. */
export async function endByBrowser({ state, ...returned }: BrowserReturn, gw: Gateway): Promise<LoginEnd> {
  const logins = await loginsOf(gw);
  const taken = logins.take((pending) => pending.state === hashOf(state));
  if (!taken) return { isDone: false, said: say('mcp.gone') };
  const ended = await endLogin(taken, returned, gw);
  const { address, state: hash } = taken.pending;
  if (address) {
    const id = `mcp-${hash.slice(0, 24)}`;
    await gw.delivery.add({ id, address, text: gw.say(address).said(ended.said), files: [] }, id);
  }
  return ended;
}

/** Finishes the login whose address this person has pasted, by the reference that replaced it. */
export async function endByPerson(reference: string, principal: Principal, gw: Gateway): Promise<LoginEnd> {
  const logins = await loginsOf(gw);
  const person = principalText(principal);
  const isIt = (pending: Pending) =>
    reference.length >= 24 && pending.state.startsWith(reference) && pending.person === person && !!pending.returned;
  const taken = logins.take(isIt);
  if (!taken?.pending.returned) return { isDone: false, said: say('mcp.gone') };
  return endLogin(taken, taken.pending.returned, gw);
}

async function endLogin(
  { name, server: url, pending }: { name: string; server: string; pending: Pending },
  returned: NonNullable<Pending['returned']>,
  gw: Gateway,
): Promise<LoginEnd> {
  const server = loginServers(gw).find((each) => each.name === name && each.url === url);
  if (!server) return { isDone: false, said: say('mcp.gone') };
  try {
    await finishLogin(server, pending, returned, { logins: await loginsOf(gw) });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    gw.log.warn({ mcp: name, err: error }, 'a login has failed');
    return { name, isDone: false, said: error.said };
  }
  gw.log.info({ mcp: name }, 'logged in');
  const { state, tools, problem } = await (await serversOf(gw)).surveyOf(name);
  if (state !== 'connected' && problem !== undefined)
    return { name, isDone: false, said: say('common.asItIs', { text: problem }) };
  return { name, isDone: true, said: say('mcp.connected', { name, tools }) };
}
