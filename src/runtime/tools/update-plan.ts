/** `update_plan`: sets the whole plan, as Markdown or as steps. A hand edit that the model has not seen wins. */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { openTask, parsePlan, planProgress } from '../../workspace/tasks/index.ts';
import { planSchema } from '../contract/protocol.ts';
import { defineTool } from '../contract/tool.ts';
import { explainPlanForms, usualPlan } from '../reply/plan-forms.ts';
import { perRun } from './bind.ts';
import { unlessAsked } from './offered.ts';
import type { CoreRun } from './run.ts';

const input = z.preprocess(
  usualPlan,
  z.object({ plan: z.union([z.string(), planSchema], { error: ({ input: given }) => explainPlanForms(given) }) }),
);

/** The plan that the model last wrote or saw in this run; before that, `planBase` counts. */
const seen = perRun((_run: CoreRun): { base?: string } => ({}));

export const updatePlan = defineTool({
  name: 'update_plan',
  describe:
    "Set this task's plan: Markdown with ## Goal and ## Plan (- [ ] steps), or goal and steps. Give all steps each time.",
  input,
  effect: 'idempotent',
  doing: 'doing.plan',
  rule: "Work of several steps: call update_plan first, then keep each step's status true.",
  ability: { line: 'work', words: 'plan work and keep its steps (update_plan)' },
  offered: unlessAsked,
  ownWords: true,
  isAside: true,
  // The person who consented has seen the plan of that time.
  shows: async (_input, { scope: { home, taskId } }: CoreRun) => (await openTask(home, taskId).plan.read())?.hash ?? '',
  asks: (_input, _run, { messages }) => ({ text: messages.text('consent.changePlan') }),
  async execute({ plan: given }, run) {
    const { scope } = run;
    const { home, taskId } = scope;
    const known = seen(run);
    if (typeof given === 'string' && given.trim() === '') throw new UserError('The plan is empty.');
    // If the model was shown no plan, a plan created since is also a hand edit: '' is no text's hash.
    const write = await openTask(home, taskId).plan.write(given, { baseHash: known.base ?? scope.planBase ?? '' });
    if (!write.written) {
      const { proposal, current } = write;
      // Now the model has seen it, and bases its next plan on it.
      known.base = hashText(current);
      scope.onPlan({ status: 'conflict', proposal, current });
      return {
        status: 'conflict',
        message: 'Somebody edited the plan. Merge your change into theirs and call again.',
        current,
      };
    }
    const { text, hash } = write;
    known.base = hash;
    const written = parsePlan(text);
    scope.onPlan({ status: 'written', text, hash, plan: written });
    return { status: 'written', ...planProgress(written) };
  },
});
