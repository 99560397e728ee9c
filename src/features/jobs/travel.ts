/** Asks travellers whether their jobs should move to the new time zone. */
import { UserError } from '../../errors.ts';
import { say, sentences } from '../../messages/messages.ts';
import { zoneText } from '../../messages/schedules.ts';
import { askedAgain, shownStamp, stamped } from '../../runtime/commands/as-shown.ts';
import type { CommandReply, Invocation } from '../../runtime/commands/command.ts';
import type { ButtonAction } from '../../runtime/contract/buttons.ts';
import type { JobView } from '../../runtime/contract/job-service.ts';
import { jobsOf } from './on-demand.ts';

/** Returns undefined if no job uses the old zone. */
export async function askToMove(context: Invocation, from: string, to: string): Promise<CommandReply | undefined> {
  const left = await jobsAt(context, from);
  return left.length === 0 ? undefined : question(context, { from, to, left });
}

function question({ messages }: Invocation, { from, to, left }: { from: string; to: string; left: JobView[] }) {
  const text = messages.text('commands.zoneSet', { zone: to });
  const args = stamped(`move ${from}`, shownOf(to, left));
  const move: ButtonAction = { label: messages.text('commands.moveThem'), command: 'timezone', args };
  const stay = messages.text('commands.jobsStay', { n: left.length, zone: zoneText(from, messages) });
  return { text: sentences(text, stay), buttons: [[move]] };
}

/** Returns the person's jobs in a zone that will run again. */
async function jobsAt({ gw, principal }: Invocation, zone: string): Promise<JobView[]> {
  if (principal.role !== 'owner') return [];
  const all = (await jobsOf(gw).service())?.list() ?? [];
  return all.filter(
    (job) => job.createdBy !== undefined && job.timezone === zone && (job.state === 'on' || job.state === 'paused'),
  );
}

/** Returns the values that the question covers: the new zone and the jobs. */
const shownOf = (zone: string, jobs: readonly JobView[]) => [zone, ...jobs.map(({ id }) => id)];

export async function moveJobs(context: Invocation, from: string, shown: string | undefined): Promise<CommandReply> {
  const { gw, principal, messages } = context;
  const service = await jobsOf(gw).service();
  const to = gw.people.zones.of(principal);
  if (!service || to === undefined) throw new UserError(say('commands.zoneNotYours'));
  const left = await jobsAt(context, from);
  if (shown !== shownStamp(shownOf(to, left))) {
    const asked = left.length > 0 ? question(context, { from, to, left }) : undefined;
    return askedAgain(asked ?? { text: messages.text('commands.zoneSet', { zone: to }) }, messages);
  }
  for (const { id } of left) await service.change(id, { timezone: to }, principal);
  return { text: messages.text('commands.jobsMoved', { n: left.length, zone: zoneText(to, messages) }) };
}
