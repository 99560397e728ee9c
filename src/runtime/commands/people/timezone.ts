/** /timezone: shows and sets a person's time zone; features then ask about things that follow the old one. */

import { UserError } from '../../../errors.ts';
import { readZone, systemTimezone } from '../../../lib/timezone.ts';
import { say } from '../../../messages/messages.ts';
import { withStamp } from '../as-shown.ts';
import type { Command, CommandReply, Invocation } from '../command.ts';

const MOVE = /^move (\S+)$/;

export const timezone: Command = {
  name: 'timezone',
  help: { group: 'here', does: 'does.timezone' },
  description: 'Your time zone (/timezone Europe/Berlin, or a city)',
  argument: { name: 'zone', description: 'Europe/Berlin, or a city', pattern: '^\\S{2,40}(?: \\S{1,40}){0,2}$' },
  action: 'chat',
  async run(context) {
    const { gw, principal, messages, args } = context;
    if (principal.role === 'guest') throw new UserError(say('commands.zoneNotYours'));
    const wanted = args.trim();
    const now = gw.people.zones.of(principal);
    const usual = gw.config.jobs.timezone ?? systemTimezone();
    if (wanted === '')
      return {
        text:
          now === undefined
            ? messages.text('commands.zoneUnknown', { zone: usual })
            : messages.text('commands.zoneIs', { zone: now }),
      };
    const { given, stamp } = withStamp(wanted);
    const [, from] = MOVE.exec(given) ?? [];
    if (from !== undefined) return move(context, from, stamp);
    const zone = readZone(wanted);
    if (zone === undefined) throw new UserError(say('commands.zoneUnread', { given: wanted.slice(0, 60) }));
    gw.people.zones.set(principal, zone);
    return (await left(context, now ?? usual, zone)) ?? { text: messages.text('commands.zoneSet', { zone }) };
  },
};

async function left(context: Invocation, before: string, zone: string): Promise<CommandReply | undefined> {
  if (before === zone) return undefined;
  for (const { zone: hook } of context.gw.features.on) {
    const asked = await hook?.left(context, before, zone);
    if (asked) return asked;
  }
  return undefined;
}

function move(context: Invocation, from: string, stamp: string | undefined): Promise<CommandReply> {
  const [hook] = context.gw.features.on.flatMap(({ zone }) => zone ?? []);
  if (!hook) throw new UserError(say('commands.zoneUnread', { given: `move ${from}`.slice(0, 60) }));
  return hook.move(context, from, stamp);
}
