/** `update_plan`: the whole plan, as Markdown or as steps. A hand edit the model has not seen wins. */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { parsePlan, planProgress, readPlan, writePlan } from '../../workspace/plan/plan.ts';
import { planSchema } from '../contract/protocol.ts';
import { defineTool, type ToolScope } from '../contract/tool-scope.ts';
import { refusal, usualPlan } from '../reply/plan-forms.ts';

const input = z.preprocess(
  usualPlan,
  z.object({ plan: z.union([z.string(), planSchema], { error: ({ input: given }) => refusal(given) }) }),
);

export const updatePlan = (scope: ToolScope) => {
  const { home, taskId } = scope;
  // A plan that came to be after the model was shown none is a hand edit too: '' is no text's hash.
  // It is known once the context is read, and that is after the tools are made.
  let base: string | undefined;
  return defineTool({
    name: 'update_plan',
    description:
      "Set this task's plan: Markdown with ## Goal and ## Plan (- [ ] steps), or goal and steps. Give all steps each time.",
    input,
    effect: 'idempotent',
    // Whoever said yes has seen the plan that stood then.
    shows: async () => (await readPlan(home, taskId))?.hash ?? '',
    asks: (_input, { messages }) => ({ text: messages.text('consent.changePlan') }),
    async execute({ plan: given }) {
      if (typeof given === 'string' && given.trim() === '') throw new UserError('The plan is empty.');
      const write = await writePlan(home, taskId, given, { baseHash: base ?? scope.planBase ?? '' });
      if (!write.written) {
        const { proposal, current } = write;
        // Now the model has seen it: its next plan is made from this one.
        base = hashText(current);
        scope.onPlan({ status: 'conflict', proposal, current });
        return {
          status: 'conflict',
          message: 'Somebody edited the plan. Merge your change into theirs and call again.',
          current,
        };
      }
      const { text, hash } = write;
      base = hash;
      const written = parsePlan(text);
      scope.onPlan({ status: 'written', text, hash, plan: written });
      return { status: 'written', ...planProgress(written) };
    },
  });
};
