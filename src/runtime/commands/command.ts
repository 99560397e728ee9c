/** The types of commands for this gateway, and checks that several commands make. */
import { type Action, authoriseAction } from '../../access/authorise.ts';
import type { Principal } from '../../access/principal.ts';
import type { InboundMessage } from '../../channels/channel.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { CommandOf, InvocationOf } from '../contract/command.ts';
import type { Gateway } from '../run/gateway.ts';

export type { CommandReply, EntryAddition } from '../contract/command.ts';

export type Command = CommandOf<Gateway>;
export type Invocation = InvocationOf<Gateway>;

export const mayUse = (principal: Principal, action: Action, task: TaskRecord | undefined): boolean =>
  authoriseAction(principal, action, task?.people ?? []);

/** Only this person sees the answer, wherever they asked. */
export const isPrivate = ({ interaction }: InboundMessage): boolean => interaction !== undefined;

/** The ID of a task, or the end of one: a word with a digit in it. */
export const TASK_ID = '^(?=\\S*\\d)[\\w-]+$';
