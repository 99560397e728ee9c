/**
 * `viber pair`: lists, approves and denies requests to be let in. Works while the gateway runs, which watches the file.
 */
import path from 'node:path';
import { openPairing } from '../access/pairing.ts';
import { loadConfig } from '../config.ts';
import { UserError } from '../errors.ts';
import { say } from '../messages/messages.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';

export async function run({ args, home, config: file, env, json, print, messages }: CliContext): Promise<number> {
  const { config } = await loadConfig({ file, home, env });
  const { openHome } = await import('../workspace/home.ts');
  await openHome(home);
  const pairing = openPairing(
    path.join(home, 'access'),
    config.people.some((person) => person.role === 'owner'),
    true,
  );
  const [verb, code = '', role] = args;
  const now = Date.now();
  if (verb === 'list') {
    const pending = pairing
      .pending(now)
      .map(({ code, identity, name, createdAt }) => ({ code, identity, name, createdAt }));
    if (json) print(JSON.stringify({ pending, paired: pairing.paired() }));
    else {
      for (const { code, identity, name } of pending) print(`${code}  ${identity}  ${name}`);
      if (pending.length === 0) print(messages.text('cli.noRequests'));
      for (const { identity, name, role } of pairing.paired())
        print(messages.text('cli.pairedOne', { identity, name, role }));
    }
    return EXIT.ok;
  }
  if (verb === 'approve' && role !== undefined && role !== 'owner' && role !== 'member')
    throw new UserError(say('cli.wrongRole', { role }));
  if (verb === 'deny') {
    const denied = pairing.deny(code, now);
    const { name, identity } = denied;
    print(json ? JSON.stringify({ denied: identity }) : messages.text('cli.denied', { name, identity }));
    return EXIT.ok;
  }
  // Write access to the home is enough to decide who owns it.
  const { paired } = pairing.approve(code, now, role === 'owner' || role === 'member' ? role : undefined);
  print(
    json
      ? JSON.stringify({ approved: paired.identity, role: paired.role })
      : messages.text('cli.approved', { name: paired.name, identity: paired.identity, role: paired.role }),
  );
  return EXIT.ok;
}
