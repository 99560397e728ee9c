/** Notifies one listener per home of what its stores have written. */
import type { Home } from '../home.ts';
import type { ArtifactRef } from '../types.ts';

export type Change =
  | { kind: 'plan'; taskId: string; hash: string }
  | { kind: 'artifact'; taskId: string; artifact: ArtifactRef }
  | { kind: 'suggestion'; viber: string; suggestion: { id: string; section?: string; text: string } }
  /** It isn't pending any more: it was remembered, refused, or dropped to make room. */
  | { kind: 'suggestion-decided'; viber: string; suggestion: string };

const listeners = new Map<string, (change: Change) => void>();

/** Sets the listener, which must not throw; returns a function that removes it. */
export function hearChanges(home: Home, listener: (change: Change) => void): () => void {
  listeners.set(home.root, listener);
  return () => void listeners.delete(home.root);
}

export const tellChange = (home: Home, change: Change): void => listeners.get(home.root)?.(change);
