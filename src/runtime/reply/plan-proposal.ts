/**
 * Shows the viber's plan beside the current one, with a button for each. The decision applies to exactly what was
 * shown.
 */
import { lines, type Messages, type Text } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask, parsePlan } from '../../workspace/tasks/index.ts';
import { type ButtonAction, questionId } from '../contract/buttons.ts';
import { planRows } from './plan-rows.ts';

export async function askAboutProposal(
  { home, id, run }: { home: Home; id: string; run: string },
  proposed: { text: string; current: string },
  messages: Messages,
): Promise<{ text: Text; buttons: ButtonAction[][] }> {
  const key = await openTask(home, id).plan.propose(run, proposed);
  const decides = questionId.plan(id, key);
  const button = (verb: 'apply' | 'keep'): ButtonAction => ({
    label: messages.text(`plans.${verb}`),
    command: 'plan',
    args: `${id} ${verb} ${key}`,
    decides,
  });
  const mine = lines(messages.text('answers.planMine'), '', planRows(parsePlan(proposed.text), messages));
  const yours = planRows(parsePlan(proposed.current), messages);
  const text = yours === '' ? mine : lines(messages.text('answers.planConflict'), '', yours, '', mine);
  return { text, buttons: [[button('apply'), button('keep')]] };
}
