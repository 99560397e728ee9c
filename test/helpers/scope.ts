/** What the tools of one run may touch. */
import type { ToolScope } from '../../src/runtime/contract/tool-scope.ts';
import type { Home } from '../../src/workspace/home.ts';

/** Returns the scope of a task of the usual viber, whose tools report to nobody. */
export function toolScope(home: Home, more: Partial<ToolScope> = {}): ToolScope {
  return {
    ...{ home, viber: 'default', taskId: '20260101-aaaaa', runId: 'r1', planBase: undefined },
    ...{ onPlan: () => undefined, onArtifact: () => undefined, autoAcceptMemory: false, provenance: 'test' },
    ...more,
  };
}
