/** Builds the queue entry for a slot: the same on every machine. */
import type { OutboundTargets } from '../../access/outbound-targets.ts';
import type { People } from '../../access/people.ts';
import { type Principal, readIdentity } from '../../access/principal.ts';
import { type Address, formatAddress } from '../../channels/channel.ts';
import { UserError } from '../../errors.ts';
import type { Entry } from '../../runtime/contract/entry.ts';
import { nowhere, withAccount } from '../../runtime/conversations/asked-places.ts';
import { taskIdFor } from '../../workspace/tasks/index.ts';
import type { Job } from './job.ts';

export interface SlotFacts {
  principal: Principal;
  viber: string;
  sentAt: number;
  /** The addresses for its result, as text. */
  deliver: string[];
  /** Conversations for its questions. */
  asks: Address[];
  /** The language for reporting its failure. */
  language: string | undefined;
}

export function slotEntry(
  job: Job,
  slot: Date,
  { principal, viber, sentAt, deliver, asks, language }: SlotFacts,
): Entry {
  const { id, name, prompt, agent, project } = job;
  const due = slot.toISOString();
  const address = asks[0] ?? nowhere(id);
  return {
    message: {
      id: `job ${id} ${due}`,
      kind: 'message',
      address,
      text: prompt,
      files: [],
      quotes: [],
      sender: { user: principal.user, name, isBot: false },
      facts: [`The scheduled job ${JSON.stringify(name)}, due ${due}.`],
      messageId: '',
      isDirect: true,
      isMention: true,
      sentAt,
      ...(language !== undefined && { language }),
    },
    principal,
    viber,
    taskId: taskIdOf(id, slot),
    job: { id, name, slot: due, deliver, asks, own: agent, ...(project !== undefined && { project }) },
  };
}

/** Returns the same ID for the same slot, so that a resumed run finds its task. */
export const taskIdOf = (job: string, slot: Date): string => taskIdFor(slot, `${job} ${slot.toISOString()}`);

/** Returns the creator with their current rights. A file written by hand has the owner's. */
export function principalOf({ id, name, createdBy }: Job, people: People): Principal {
  if (createdBy === undefined) return { channel: 'job', account: 'jobs', user: id, role: 'owner', via: 'job', name };
  return people.resolve({ ...readIdentity(createdBy), account: '', name: createdBy, via: 'job' }).principal;
}

/** Adds the account if the channel is on, as in a task's list of conversations. */
export function placeText(written: Job['deliver'][number], targets: Pick<OutboundTargets, 'read'>): string {
  const text = formatAddress({ account: '', ...written });
  try {
    const address = targets.read(text);
    return address.account === '' ? text : withAccount(address);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return text;
  }
}
