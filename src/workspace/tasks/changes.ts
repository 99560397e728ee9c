/** Notifies one listener per home of what its stores have written, and of plans that people saved in an editor. */
import type { Home } from '../home.ts';
import type { ArtifactRef } from '../types.ts';

/** A plan that was saved in an editor, and went to a task that isn't shown, was merged, or replaced something. */
export interface PlanEdit {
  kind: 'edit';
  taskId: string;
  /** The file in the task's folder that keeps the replaced plan. */
  kept?: string;
  /** The save was merged with what had changed since it was opened. */
  isMerged?: true;
  /** The file in the viber's folder that keeps a save made from no known plan; `taskId` is then the current task. */
  aside?: string;
}

export type Change =
  | PlanEdit
  | { kind: 'plan'; taskId: string; hash: string }
  | { kind: 'artifact'; taskId: string; artifact: ArtifactRef }
  | { kind: 'suggestion'; viber: string; suggestion: { id: string; section?: string; text: string } }
  /** It isn't pending any more: it was remembered, refused, or dropped to make room. */
  | { kind: 'suggestion-decided'; viber: string; suggestion: string };

const listeners = new Map<string, (change: Change) => void>();

export function hearChanges(home: Home, listener: (change: Change) => void): () => void {
  listeners.set(home.root, listener);
  return () => void listeners.delete(home.root);
}

export const isHeard = (home: Home): boolean => listeners.has(home.root);

export const tellChange = (home: Home, change: Change): void => listeners.get(home.root)?.(change);
