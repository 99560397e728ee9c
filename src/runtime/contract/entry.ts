/**
 * The entries of the spool: a message with everything that was decided when it arrived, so that a restart decides
 * nothing again.
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
  /**
   * Where owners can be asked. A question goes to all of these, since a place may turn out to be unreachable only when
   * it is too late. Absent in entries of earlier versions.
   */
  asks?: readonly Address[];
  own: OwnSettings;
}

/** A playbook to start, or to continue at its current step. */
export interface PlayOrder {
  /** Absent: the one that isn't finished yet. */
  name?: string;
  values?: readonly [name: string, value: string][];
}

/** How a message that arrives while its task is running is handled; `followup` waits for a turn of its own. */
export type InjectionMode = 'steer' | 'collect' | 'followup';

export interface Entry {
  message: InboundMessage;
  principal: Principal;
  viber: string;
  /** The task that the conversation was bound to when the message arrived. */
  taskId: string;
  /** The command that the message is, with its arguments; absent for a message to the model. */
  command?: { name: string; args: string };
  /**
   * How a message that arrives while its task is running is handled: it joins the run at once, is collected with others
   * into the next turn, or gets its own turn (absent). Only people of the task get anything but the last (promise 33).
   */
  mode?: Exclude<InjectionMode, 'followup'>;
  /** Set instead of a message: somebody has decided what a run was waiting for, so it resumes. */
  resume?: { approval: string; run: string };
  /** The command has moved the conversation to `taskId`. */
  moves?: true;
  /**
   * Set instead of a person's message: the conversation isn't bound to anything, and the answer goes where the job
   * says.
   */
  job?: JobOrder;
  play?: PlayOrder;
  skill?: string;
}

/** The facts of an entry that decide which feature handles or delivers it. */
export interface EntryFacts {
  readonly isJob: boolean;
  readonly isPlay: boolean;
}

/** Returns whether a feature's condition holds of an entry. */
export const isFor = (when: When<EntryFacts, [Entry]>, entry: Entry): boolean =>
  holds(when, { isJob: entry.job !== undefined, isPlay: entry.play !== undefined }, entry);

/** Facts about an event that stay valid over all tries to accept it. */
export interface Visit {
  /** The sender, if somebody else has authorised them already: the guard of the network. */
  as?: Principal;
  /** The result of counting the event towards its sender's limit. */
  rate?: LimitResult;
}

/** Returns the platform's name of the event, made unique by everything that identifies a conversation. */
export function dedupeId(message: { id: string; address: Address }, event = message.id): string {
  const { channel, account, workspace, chat } = message.address;
  return JSON.stringify([channel, account, workspace ?? null, chat, event]);
}

/** Returns the first 12 characters of a spool key: short enough to read aloud, long enough to be unique. */
export function traceOf(spoolKey: string): string {
  return spoolKey.slice(0, 12);
}

/** Returns its position among the messages of its chat, which several ingresses may store out of order. */
export function orderOf({ address, sequence }: InboundMessage): { orderKey?: OrderKey } {
  const { thread: _thread, ...chat } = address;
  return sequence === undefined ? {} : { orderKey: { source: conversationKey(chat), at: sequence } };
}

/**
 * Returns when an entry arrived, relative to those of all lanes. An entry that resumes a run carries the message that
 * was answered, but arrived later.
 */
export const arrivalOf = ({ seq, message }: { seq: number; message: Entry }): Arrival => ({
  seq,
  ...(message.resume ? {} : orderOf(message.message)),
});

/** Returns the run that a message belongs to: its own, or the one that it resumes. */
export const runOf = ({ id, message }: { id: string; message: Entry }): string => message.resume?.run ?? traceOf(id);

/**
 * Returns the person whose share an entry's work counts towards: a job's run counts for its creator, and a linked
 * person is one on all channels.
 */
export function shareOf({ principal }: Entry): Share {
  return { person: principalText(principal), isOwner: principal.role === 'owner' };
}

/** Returns the lane that a `/stop` ends; undefined for anything else. */
export const stoppedBy = ({ command, taskId }: Entry): string | undefined =>
  command?.name === 'stop' ? taskLane(command.args.trim() || taskId) : undefined;

/** Prefixes of the kinds of lanes. */
export const TASKS = 'task:';
export const COMMANDS = 'chat:';

/**
 * The number of commands that run at once. Commands are short; a few at a time keep one slow disk read from delaying
 * the others.
 */
export const COMMANDS_AT_ONCE = 4;

/**
 * Returns the limits of lanes. One of the runs and one of the commands are reserved for owners, unless there is only
 * one.
 */
export function laneLimits(runs: number, runsPerPerson: number): Record<string, FairLimits> {
  return {
    [TASKS]: { perPerson: runsPerPerson, others: Math.max(1, runs - 1) },
    [COMMANDS]: { perPerson: COMMANDS_AT_ONCE - 2, others: COMMANDS_AT_ONCE - 1 },
  };
}

/** Messages of one task are handled in order, whichever conversation they come from. */
export const taskLane = (taskId: string): string => `${TASKS}${taskId}`;

/** Commands keep their order within a conversation and never wait for its task. */
export const commandLane = (address: Address): string => `${COMMANDS}${conversationKey(address)}`;

/** Returns whether an answer quotes its message, as it does in a chat with others. */
export const isReply = (message: InboundMessage): boolean => !message.isDirect && message.interaction === undefined;
