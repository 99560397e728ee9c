/**
 * The tools of a run on a guest's word: its own task's plan and files, and words. Everything else is withheld, so that a new tool
 * is no guest's until it is named here. What would need a person's consent is refused: a guest could give it to themselves.
 */
import { UserError } from '../../errors.ts';
import type { RuntimeTool } from '../contract/task.ts';

const OFFERED: readonly string[] = [
  ...['update_plan', 'create_artifact', 'attach_artifact', 'read_file', 'write_file', 'list_files', 'ask_user'],
  ...['chart', 'web-fetch'],
];

const REFUSED =
  'This is not done for people who are not on the list of this bot, and there is nobody to ask: do not try it again. Do without it, or say that its owner can let them in.';

/** What a tool refuses a guest, as its result. */
export const refusedToGuest = (): UserError => new UserError(REFUSED);

export function forGuest(tools: readonly RuntimeTool[]): RuntimeTool[] {
  return tools
    .filter(({ name }) => OFFERED.includes(name))
    .map((tool) => {
      const { asksBefore } = tool;
      // A question in words is theirs to answer: it consents to nothing.
      if (!asksBefore || tool.name === 'ask_user') return tool;
      return {
        ...tool,
        async asksBefore(input, callId) {
          if (await asksBefore(input, callId)) throw refusedToGuest();
          return false;
        },
      };
    });
}
