/** What stands in the spool: a message with everything that was decided at the door, so that a restart decides nothing again. */
import type { Taken } from '../../access/limits.ts';
import { type Principal, principalText } from '../../access/principal.ts';
import { type Address, conversationKey, type InboundMessage } from '../../channels/channel.ts';
import type { Arrival, FairLimits, OrderKey, Share } from '../../engine/engine.ts';
import type { OwnSettings } from './settings.ts';

/** A scheduled job's run: nobody wrote it, its prompt is the message. */
export interface JobOrder {
  /** The name of its file. */
  id: string;
  name: string;
  /** ISO 8601: the time it was due. */
  slot: string;
  /** Where the result goes, as text with account; [] where its prompt sends it by itself, or nowhere. */
  deliver: readonly string[];
  /**
   * Where owners can be asked: a question goes to all of these, since whether one of them can be reached is known only once it
   * is too late. Absent in entries of earlier versions.
   */
  asks?: readonly Address[];
  /** What the job says of the agent that works on it. */
  own: OwnSettings;
}

/** A playbook to be played, or gone on with where it stands. */
export interface PlayOrder {
  /** Absent: the one that is not done yet. */
  name?: string;
  /** What its placeholders stand for. */
  values?: readonly [name: string, value: string][];
}

/** What may become of a message that finds its task at work: `followup` waits for a turn of its own. */
export type InjectionMode = 'steer' | 'collect' | 'followup';

export interface Entry {
  message: InboundMessage;
  principal: Principal;
  viber: string;
  /** The task the conversation was bound to when the message arrived. */
  taskId: string;
  /** What the message continues, for `/status` and answers: `run` goes to the model, `command` to the table. */
  command?: { name: string; args: string };
  /**
   * What becomes of a message that finds its task at work: it joins the run at once, is collected with others into
   * the next turn, or has a turn of its own (absent). Only people of the task get anything but the last (promise 33).
   */
  mode?: Exclude<InjectionMode, 'followup'>;
  /** No message: somebody has decided what a run was waiting for, and it goes on. */
  resume?: { approval: string; run: string };
  /** The command has moved the conversation to `taskId`. */
  moves?: true;
  /** No person's message: its conversation is bound to nothing, and its answer goes where the job says. */
  job?: JobOrder;
  /** The message begins or continues a playbook. */
  play?: PlayOrder;
  /** The message calls a skill by its name. */
  skill?: string;
}

/** What is known of an event over all tries to take it in. */
export interface Visit {
  /** For whom it is, where somebody else has let them in: the guard of the network. */
  as?: Principal;
  /** What came of counting it towards its sender's limit. */
  rate?: Taken;
}

/** What the platform calls the event, unique over everything that makes a conversation. */
export function dedupeId(message: Pick<InboundMessage, 'id' | 'address'>, event = message.id): string {
  const { channel, account, workspace, chat } = message.address;
  return JSON.stringify([channel, account, workspace ?? null, chat, event]);
}

/** The first 12 characters of a spool key: short enough to read aloud, long enough to be unique. */
export function traceOf(spoolKey: string): string {
  return spoolKey.slice(0, 12);
}

/** Its place among the messages of its chat, which several ingresses may store out of order. */
export function orderOf({ address, sequence }: InboundMessage): { orderKey?: OrderKey } {
  const { thread: _thread, ...chat } = address;
  return sequence === undefined ? {} : { orderKey: { source: conversationKey(chat), at: sequence } };
}

/** When it came, beside others of all lanes. What goes on with a decision bears the message that was answered, and came later than that. */
export const arrivalOf = ({ seq, message }: { seq: number; message: Entry }): Arrival => ({
  ...{ seq, ...(message.resume ? {} : orderOf(message.message)) },
});

/** The run a message belongs to: its own, or the one that goes on with it. */
export const runOf = ({ id, message }: { id: string; message: Entry }): string => message.resume?.run ?? traceOf(id);

/** Whose work an entry is: the run of a job is its creator's, a linked person is one over all channels. */
export function shareOf({ principal }: Entry): Share {
  return { person: principalText(principal), isOwner: principal.role === 'owner' };
}

/** The lane whose work a `/stop` ends; undefined for anything else. */
export const stoppedBy = ({ command, taskId }: Entry): string | undefined =>
  command?.name === 'stop' ? taskLane(command.args.trim() || taskId) : undefined;

/** Kinds of lanes. */
export const TASKS = 'task:';
export const COMMANDS = 'chat:';

/** Commands are short; a few at a time keep one slow disk read from holding up the others. */
export const COMMANDS_AT_ONCE = 4;

/** One of the runs, and one of the commands, is kept for owners; where there is only one of them it is everybody's. */
export function laneLimits(runs: number, runsPerPerson: number): Record<string, FairLimits> {
  return {
    [TASKS]: { perPerson: runsPerPerson, others: Math.max(1, runs - 1) },
    [COMMANDS]: { perPerson: COMMANDS_AT_ONCE - 2, others: COMMANDS_AT_ONCE - 1 },
  };
}

/** Messages of one task are worked on in order, from whichever conversation they come. */
export const taskLane = (taskId: string): string => `${TASKS}${taskId}`;

/** Commands keep their order within a conversation and never wait for its task. */
export const commandLane = (address: Address): string => `${COMMANDS}${conversationKey(address)}`;
