/** /timezone: by whose clock a person lives. Those who travel are asked whether their jobs move along. */

import { UserError } from '../../../errors.ts';
import { readZone, systemTimezone } from '../../../lib/timezone.ts';
import { say, sentences } from '../../../messages/messages.ts';
import type { ButtonAction } from '../../contract/buttons.ts';
import type { JobView } from '../../contract/job-service.ts';
import { zoneText } from '../../tools/job-sentences.ts';
import { askedAgain, stamped, stampOf, withStamp } from '../as-shown.ts';
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
    if (from !== undefined) return moveJobs(context, from, stamp);
    const zone = readZone(wanted);
    if (zone === undefined) throw new UserError(say('commands.zoneUnread', { given: wanted.slice(0, 60) }));
    const before = now ?? usual;
    gw.people.zones.set(principal, zone);
    return changed(context, before, zone);
  },
};

async function changed(context: Invocation, before: string, zone: string): Promise<CommandReply> {
  const { messages } = context;
  const text = messages.text('commands.zoneSet', { zone });
  const left = before === zone ? [] : await jobsAt(context, before);
  if (left.length === 0) return { text };
  const old = zoneText(before, messages);
  const args = stamped(`move ${before}`, shownOf(zone, left));
  const move: ButtonAction = { label: messages.text('commands.moveThem'), command: 'timezone', args };
  const question = messages.text('commands.jobsStay', { n: left.length, zone: old });
  return { text: sentences(text, question), buttons: [[move]] };
}

/** Their own jobs that go by a zone, with a further time to come. */
async function jobsAt({ gw, principal }: Invocation, zone: string) {
  if (principal.role !== 'owner') return [];
  const all = (await gw.features.jobs.service())?.list() ?? [];
  return all.filter(
    (job) => job.createdBy !== undefined && job.timezone === zone && (job.state === 'on' || job.state === 'paused'),
  );
}

/** What the question is about: where they go, and which they are. */
const shownOf = (zone: string, jobs: readonly JobView[]) => [zone, ...jobs.map(({ id }) => id)];

async function moveJobs(context: Invocation, from: string, seen: string | undefined): Promise<CommandReply> {
  const { gw, principal, messages } = context;
  const service = await context.gw.features.jobs.service();
  const zone = gw.people.zones.of(principal);
  if (!service || zone === undefined) throw new UserError(say('commands.zoneNotYours'));
  const moved = await jobsAt(context, from);
  if (seen !== stampOf(shownOf(zone, moved))) return askedAgain(await changed(context, from, zone), messages);
  for (const { id } of moved) await service.change(id, { timezone: zone }, principal);
  return { text: messages.text('commands.jobsMoved', { n: moved.length, zone: zoneText(zone, messages) }) };
}
