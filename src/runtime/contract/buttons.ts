/** The action of a button, and the question that its press decides. */
import type { BareAnswer } from '../../messages/bare-answers.ts';
import type { Text } from '../../messages/messages.ts';
import { DEFAULT_VIBER } from '../../workspace/home.ts';

/** `command` runs as if typed; `say` counts as a message. `means`: typing a bare yes or no presses the button. */
export type ButtonAction = { label: Text; decides?: string; means?: BareAnswer } & (
  | { command: string; args: string }
  | { say: string }
);

/** IDs of questions, by which the messages that ask them are found once they are decided. */
export const questionId = {
  approval: (id: string): string => `approval:${id}`,
  /** Contains the viber, because several vibers may suggest the same words. */
  suggestion: (id: string, viber: string): string => `suggestion:${viber === DEFAULT_VIBER ? '' : `${viber}/`}${id}`,
  /** An offer to add or update skills, or to remove one. */
  skills: (id: string): string => `skills:${id}`,
  plan: (taskId: string, key: string): string => `plan:${taskId}:${key}`,
  pairing: (code: string): string => `pairing:${code.trim().toUpperCase()}`,
};
