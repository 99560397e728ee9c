/** `set_timezone`: by whose clock the person lives, from now on. They confirm it. */
import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import type { Zones } from '../../access/zones.ts';
import { UserError } from '../../errors.ts';
import { readZone } from '../../lib/timezone.ts';
import { defineTool } from '../contract/tool-scope.ts';
import { zoneText } from './job-sentences.ts';

const input = z.object({ timezone: z.string().max(100).describe('IANA name, or a city') });

function zoneOf(text: string): string {
  const zone = readZone(text);
  if (zone === undefined)
    throw new UserError('That is no time zone: give a name such as Europe/Berlin, or a large city.');
  return zone;
}

export const setTimezone = (zones: Pick<Zones, 'of' | 'set'>, principal: Principal) =>
  defineTool({
    name: 'set_timezone',
    description: 'Set the time zone of this person, when they say where they are or live. They confirm it.',
    input,
    effect: 'idempotent',
    consent: 'each',
    asksBefore({ timezone }) {
      return zoneOf(timezone) !== zones.of(principal);
    },
    settled: ({ timezone }) => ({ timezone: zoneOf(timezone) }),
    asks: ({ timezone }, { messages }) => ({
      text: messages.text('consent.zoneFor', { zone: zoneText(zoneOf(timezone), messages) }),
    }),
    async execute({ timezone }) {
      const before = zones.of(principal);
      const zone = zoneOf(timezone);
      zones.set(principal, zone);
      const hint =
        'Jobs made before stay in their zone: where they have some, ask whether these should move, then change_scheduled_job with timezone.';
      return { timezone: zone, ...(before === undefined || before === zone ? {} : { before, hint }) };
    },
  });
