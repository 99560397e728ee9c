/**
 * Publishes changes of the home's stores as news, in every process, since another process may serve the page than the
 * one that writes.
 */
import type { News } from '../runtime/contract/news.ts';
import { type Change, hearChanges } from '../workspace/tasks/index.ts';
import type { AppGateway } from './contract.ts';

/** Returns a function that ends it. */
export const tellChanges = ({ home, tasks }: AppGateway): (() => void) =>
  hearChanges(home, (change) => tasks.news.emit(newsOf(change)));

function newsOf(change: Change): News {
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
