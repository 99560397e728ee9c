/**
 * Entries of the spool: messages with everything that was decided at their arrival, so that a restart decides nothing
 * again.
 */
import type { LimitResult } from '../../access/limits.ts';
import { type Principal, principalText } from '../../access/principal.ts';
import { type Address, conversationKey, type InboundMessage } from '../../channels/channel.ts';
import type { Arrival, FairLimits, OrderKey, Share } from '../../engine/engine.ts';
import type { OwnSettings } from './settings.ts';
import { holds, type When } from './when.ts';

/** A run of a scheduled job. Nobody wrote its message: the text is the job's prompt. */
export interface JobOrder {
  /** The name of its file. */
  id: string;
  name: string;
  /** The time when it was due, ISO 8601. */
  slot: string;
  /** Addresses of the result, as text with account; empty if its prompt sends the result, or nobody gets it. */
  deliver: readonly string[];
  /** Places where owners are asked, all at once: one may turn out to be unreachable when it is too late. */
  asks?: readonly Address[];
  own: OwnSettings;
  /** The name or path of the project that it works in. */
  project?: string;
}

export interface PlayOrder {
  /** Absent: the one that isn't finished. */
  name?: string;
  values?: readonly [name: string, value: string][];
}

/** Says what happens to a message while its task is running; `followup` waits for a turn of its own. */
export type InjectionMode = 'steer' | 'collect' | 'followup';

export interface Entry {
  message: InboundMessage;
  principal: Principal;
  viber: string;
  taskId: string;
  /** Absent for a message to the model. */
  command?: { name: string; args: string };
  /** Absent: a turn of its own. Only people of the task get anything else (promise 33). */
  mode?: Exclude<InjectionMode, 'followup'>;
  /** Instead of a message: somebody has decided what a run was waiting for. */
  resume?: { approval: string; run: string };
  /** The command has moved the conversation to `taskId`. */
  moves?: true;
  /** Instead of a person's message: no conversation is bound, and the answer goes where the job says. */
  job?: JobOrder;
  play?: PlayOrder;
  skill?: string;
}

export interface EntryFacts {
  readonly isJob: boolean;
  readonly isPlay: boolean;
}

export const isFor = (when: When<EntryFacts, [Entry]>, entry: Entry): boolean =>
  holds(when, { isJob: entry.job !== undefined, isPlay: entry.play !== undefined }, entry);

/** Facts about an event that stay valid over all tries to accept it. */
export interface Visit {
  as?: Principal;
  rate?: LimitResult;
}

/** The platform's name of the event, unique among all conversations. */
export function dedupeId(message: { id: string; address: Address }, event = message.id): string {
  const { channel, account, workspace, chat } = message.address;
  return JSON.stringify([channel, account, workspace ?? null, chat, event]);
}

/** Short enough to read aloud, long enough to be unique. */
export function traceOf(spoolKey: string): string {
  return spoolKey.slice(0, 12);
}

/** Its position among the messages of its chat, which several ingresses may store out of order. */
export function orderOf({ address, sequence }: InboundMessage): { orderKey?: OrderKey } {
  const { thread: _thread, ...chat } = address;
  return sequence === undefined ? {} : { orderKey: { source: conversationKey(chat), at: sequence } };
}

/** An entry that resumes a run carries the message that was answered, but arrived later. */
export const arrivalOf = ({ seq, message }: { seq: number; message: Entry }): Arrival => ({
  seq,
  ...(message.resume ? {} : orderOf(message.message)),
});

export const runOf = ({ id, message }: { id: string; message: Entry }): string => message.resume?.run ?? traceOf(id);

/** A job's run counts for its creator, and a linked person is one on all channels. */
export function shareOf({ principal }: Entry): Share {
  return { person: principalText(principal), isOwner: principal.role === 'owner' };
}

/** The lane that a `/stop` ends. */
export const stoppedBy = ({ command, taskId }: Entry): string | undefined =>
  command?.name === 'stop' ? taskLane(command.args.trim() || taskId) : undefined;

export const TASKS = 'task:';
export const COMMANDS = 'chat:';

/** Commands are short; a few at a time keep one slow disk read from delaying the others. */
export const COMMANDS_AT_ONCE = 4;

/** One of the runs and one of the commands are reserved for owners, unless there is only one. */
export function laneLimits(runs: number, runsPerPerson: number): Record<string, FairLimits> {
  return {
    [TASKS]: { perPerson: runsPerPerson, others: Math.max(1, runs - 1) },
    [COMMANDS]: { perPerson: COMMANDS_AT_ONCE - 2, others: COMMANDS_AT_ONCE - 1 },
  };
}

/** Messages of a task keep their order, whichever conversation they come from. */
export const taskLane = (taskId: string): string => `${TASKS}${taskId}`;

/** Commands keep their order within a conversation and never wait for its task. */
export const commandLane = (address: Address): string => `${COMMANDS}${conversationKey(address)}`;

/** An answer quotes its message in a chat with others. */
export const isReply = (message: InboundMessage): boolean => !message.isDirect && message.interaction === undefined;
