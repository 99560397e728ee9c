/** Pending approvals of this person: loaded once, and again when one is added or decided. */

import type { Approval } from '../../../client/shapes.ts';
import { of, useResource } from '../net/resource.ts';

interface Waiting {
  all: readonly Approval[];
  refresh(): Promise<void>;
}

/** A stop, and the end of a run, withdraw its questions. */
const CONCERNS = of('approval:asked', 'approval:decided', 'task:completed', 'task:error', 'task:state');

export function useWaiting(): Waiting {
  const { data, refresh } = useResource<{ approvals: readonly Approval[] }>('/api/approvals', CONCERNS);
  return { all: data.value?.approvals ?? [], refresh };
}
