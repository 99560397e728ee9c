/** MCP servers: those with an address can be added here, local programs only on the machine. */
import { z } from 'zod';
import { requireFresh } from '../../board/fresh.ts';
import { RequestError } from '../../board/respond.ts';
import { secretRemoval } from '../../config/secret-setting.ts';
import { valueAt } from '../../config/validate.ts';
import { say } from '../../messages/messages.ts';
import type { BoardAt, Caller } from '../../runtime/contract/board.ts';
import type { Gateway } from '../gateway.ts';
import { changeSetup, isOutside, refuseReference } from './change.ts';

export const serverBody = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,23}$/),
  url: z
    .string()
    .max(500)
    .regex(/^https:\/\/[^\s\p{Cc}]+$/u),
  /** Sent as `Authorization: Bearer`. Without it, people log in. */
  token: z
    .string()
    .regex(/^[!-~]{1,500}$/)
    .optional(),
});

export async function addToolServer(
  { name, url, token }: z.output<typeof serverBody>,
  caller: Caller,
  at: BoardAt,
  gw: Gateway,
): Promise<object> {
  requireFresh(caller);
  refuseReference('url', url);
  if (token !== undefined) refuseReference('token', token);
  const variable = `MCP_${name}_AUTHORIZATION`.toUpperCase().replace(/[^A-Z0-9]/g, '_');
  const headers = token === undefined ? {} : { headers: { Authorization: `Bearer \${${variable}}` } };
  await changeSetup(caller, at, gw, async ({ data }) => {
    if (valueAt(data, ['mcp', name]) !== undefined)
      throw new RequestError(409, 'taken', say('boardSetup.serverTaken', { name }), 'name');
    return {
      settings: [{ path: ['mcp', name], value: { url, ...headers } }],
      secrets: token === undefined ? {} : { [variable]: token },
    };
  });
  return { name };
}

export async function dropToolServer(name: string, caller: Caller, at: BoardAt, gw: Gateway): Promise<object> {
  requireFresh(caller);
  await changeSetup(caller, at, gw, async ({ data }) => {
    if (valueAt(data, ['mcp', name]) === undefined)
      throw new RequestError(404, 'not_found', say('requests.nothingHere'));
    return secretRemoval(['mcp', name], data, isOutside(gw));
  });
  return { name };
}
