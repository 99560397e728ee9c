/** Opens the servers and logins for the commands of `viber mcp`. */
import path from 'node:path';
import type { Config } from '../../../config.ts';
import { UserError } from '../../../errors.ts';
import { nearest } from '../../../lib/nearest.ts';
import { say } from '../../../messages/messages.ts';
import type { CliContext } from '../../../runtime/contract/cli.ts';
import { openHome } from '../../../workspace/home.ts';
import { openLogins } from '../auth/logins.ts';

export type Servers = Config['mcp'];

export async function loginsIn({ home }: CliContext) {
  await openHome(home);
  return openLogins(path.join(home, 'access'));
}

/** @throws UserError */
export function findServer(name: string, servers: Servers): Servers[string] {
  const found = servers[name];
  if (found) return found;
  const near = nearest(name, Object.keys(servers));
  throw new UserError(near ? say('cli.mcpNearly', { name, near }) : say('cli.mcpUnknown', { name }));
}
