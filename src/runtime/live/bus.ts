/** The internal event bus: sends what agents do to every channel that shows it. Best effort; nothing depends on it. */
import type { AgentStreamEvent } from '../../channels/channel.ts';

export type BusListener = (event: AgentStreamEvent) => void;

export interface Bus {
  emit(event: AgentStreamEvent): void;
  /** Returns a function that ends the subscription. */
  subscribe(listener: BusListener): () => void;
}

export function createBus(onError: (error: unknown) => void): Bus {
  const listeners = new Set<BusListener>();
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
