/**
 * A run on a guest's word has its own task's plan and files, and words: the tools whose file says so (`offered`). What would need a
 * person's consent is refused: a guest could give it to themselves.
 */
import { UserError } from '../../errors.ts';
import type { RuntimeTool } from '../contract/task.ts';

const REFUSED =
  'This is not done for people who are not on the list of this bot, and there is nobody to ask: do not try it again. Do without it, or say that its owner can let them in.';

/** What a tool refuses a guest, as its result. */
export const refusedToGuest = (): UserError => new UserError(REFUSED);

export function forGuest(tools: readonly RuntimeTool[]): RuntimeTool[] {
  return tools.map((tool) => {
    const { asksBefore } = tool;
    // A question in words is theirs to answer: it consents to nothing.
    if (!asksBefore || tool.isQuestion) return tool;
    return {
      ...tool,
      async asksBefore(input, callId) {
        if (await asksBefore(input, callId)) throw refusedToGuest();
        return false;
      },
    };
  });
}
