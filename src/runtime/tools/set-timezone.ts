/** `set_timezone`: changes the person's time zone, which they confirm. */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { readZone } from '../../lib/timezone.ts';
import { zoneText } from '../../messages/schedules.ts';
import { defineTool } from '../contract/tool.ts';
import { inConversation } from './offered.ts';
import type { ToolRun } from './run.ts';

const input = z.object({ timezone: z.string().max(100).describe('IANA name, or a city') });

function zoneOf(text: string): string {
  const zone = readZone(text);
  if (zone === undefined)
    throw new UserError("That isn't a time zone: give a name such as Europe/Berlin, or a large city.");
  return zone;
}

export const setTimezone = defineTool({
  name: 'set_timezone',
  describe: 'Set the time zone of this person, when they say where they are or live. They confirm it.',
  input,
  effect: 'idempotent',
  consent: 'each',
  doing: 'doing.clock',
  ability: {
    line: 'clock',
    words: 'go by their clock, told before their words: "tomorrow at 9" is theirs; set_timezone changes it',
  },
  offered: inConversation,
  ownWords: true,
  arranges: true,
  asksBefore({ timezone }, { order, gw }: ToolRun) {
    return zoneOf(timezone) !== gw.people.zones.of(order.principal);
  },
  settled: ({ timezone }) => ({ timezone: zoneOf(timezone) }),
  asks: ({ timezone }, _run, { messages }) => ({
    text: messages.text('consent.zoneFor', { zone: zoneText(zoneOf(timezone), messages) }),
  }),
  async execute({ timezone }, { order: { principal }, gw }) {
    const { zones } = gw.people;
    const before = zones.of(principal);
    const zone = zoneOf(timezone);
    zones.set(principal, zone);
    const hint =
      'Jobs made before stay in their zone: where they have some, ask whether these should move, then change their timezone.';
    return { timezone: zone, ...(before === undefined || before === zone ? {} : { before, hint }) };
  },
});
