/**
 * Sends events to every listener: what agents do, to the channels that show it, and news, to the Board and programs.
 * Best effort: nothing depends on it, and without listeners it only checks an empty set.
 */
import type { AgentStreamEvent } from '../../channels/channel.ts';

export interface Bus<Event = AgentStreamEvent> {
  /** Never throws, so that callers continue their work. */
  emit(event: Event): void;
  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: Event) => void): () => void;
}

export function createBus<Event = AgentStreamEvent>(onError: (error: unknown) => void): Bus<Event> {
  const listeners = new Set<(event: Event) => void>();
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          onError(error);
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
