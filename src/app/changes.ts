/**
 * Publishes changes in the home's stores as news in every process, because the one that serves the page may not be the
 * one that writes. Tells people about plans that they saved in an editor.
 */
import { planView } from '../runtime/commands/tasks/plan.ts';
import type { News } from '../runtime/contract/news.ts';
import { type Change, hearChanges } from '../workspace/tasks/index.ts';
import type { AppGateway } from './contract.ts';
import { tellPlanEdit } from './plans.ts';

/** Returns a function that stops this. */
export const tellChanges = (gw: AppGateway): (() => void) =>
  hearChanges(gw.home, (change) => {
    if (change.kind === 'edit') return tellPlanEdit(change, gw);
    const { taskId } = change.kind === 'plan' ? change : {};
    if (taskId !== undefined) gw.tasks.shownPlans.changed(taskId, (messages) => planView(taskId, messages, gw));
    gw.tasks.news.emit(newsOf(change));
  });

function newsOf(change: Exclude<Change, { kind: 'edit' }>): News {
  switch (change.kind) {
    case 'plan':
      return { type: 'plan:changed', taskId: change.taskId, hash: change.hash };
    case 'artifact':
      return { type: 'artifact:created', taskId: change.taskId, artifact: change.artifact };
    case 'suggestion':
      return { type: 'memory:suggested', viber: change.viber, suggestion: change.suggestion };
    case 'suggestion-decided':
      return { type: 'memory:decided', viber: change.viber, suggestion: change.suggestion };
  }
}
