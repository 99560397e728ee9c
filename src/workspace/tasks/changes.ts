/** What the home's stores have written, told to whoever listens: one for each home. */
import type { Home } from '../home.ts';
import type { ArtifactRef } from '../types.ts';

export type Change =
  | { kind: 'plan'; taskId: string; hash: string }
  | { kind: 'artifact'; taskId: string; artifact: ArtifactRef }
  | { kind: 'suggestion'; viber: string; suggestion: { id: string; section?: string; text: string } }
  /** It waits no more: it was remembered, refused, or has made room. */
  | { kind: 'suggestion-decided'; viber: string; suggestion: string };

const listeners = new Map<string, (change: Change) => void>();

/** What it gives back ends it. The listener must not throw. */
export function hearChanges(home: Home, listener: (change: Change) => void): () => void {
  listeners.set(home.root, listener);
  return () => void listeners.delete(home.root);
}

export const tellChange = (home: Home, change: Change): void => listeners.get(home.root)?.(change);
