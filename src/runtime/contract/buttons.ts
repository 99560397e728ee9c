/** What a button does, and what its press decides. */
import type { BareAnswer } from '../../messages/bare-answers.ts';
import type { Text } from '../../messages/messages.ts';
import { DEFAULT_VIBER } from '../../workspace/home.ts';

/** `command` runs as if typed; `say` is taken as a message. `decides`: see `Button`. `means`: a bare yes or no that is typed presses it. */
export type ButtonAction = { label: Text; decides?: string; means?: BareAnswer } & (
  | { command: string; args: string }
  | { say: string }
);

/** How the messages that ask a question are found once it is decided. */
export const questionId = {
  approval: (id: string): string => `approval:${id}`,
  /** The same words may be suggested to several vibers. */
  suggestion: (id: string, viber: string): string => `suggestion:${viber === DEFAULT_VIBER ? '' : `${viber}/`}${id}`,
  /** An offer to add or update skills, or the removal of one. */
  skills: (id: string): string => `skills:${id}`,
  plan: (taskId: string, key: string): string => `plan:${taskId}:${key}`,
  pairing: (code: string): string => `pairing:${code.trim().toUpperCase()}`,
};
