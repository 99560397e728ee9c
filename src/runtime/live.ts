/** Live progress: bus events to the conversations that follow a run. Best effort; answers never take this way. */
import { type Address, type AgentStreamEvent, type Channel, conversationKey } from '../channels/channel.ts';
import type { Bus } from './bus.ts';

export interface Live {
  /** Conversations that see this run's progress from now on. */
  follow(runId: string, addresses: readonly Address[]): void;
  /**
   * Ends progress of a run everywhere. In `answered` the status message may be replaced by the answer: gives its ids by
   * conversation key. Elsewhere it is taken away.
   */
  end(runId: string, answered: readonly Address[]): Promise<Map<string, string>>;
}

export function createLive(bus: Bus, channelOf: (address: Address) => Channel | undefined): Live {
  const followers = new Map<string, readonly Address[]>();
  bus.subscribe((event: AgentStreamEvent) => {
    for (const address of followers.get(event.runId) ?? []) void channelOf(address)?.stream?.(event, address);
  });
  return {
    follow: (runId, addresses) => void followers.set(runId, addresses),
    async end(runId, answered) {
      const placeholders = new Map<string, string>();
      const isAnswered = new Set(answered.map(conversationKey));
      const addresses = followers.get(runId) ?? [];
      followers.delete(runId);
      for (const address of addresses) {
        const key = conversationKey(address);
        const ended = channelOf(address)?.endStream?.(runId, address, isAnswered.has(key));
        // Nobody waits for a status message to disappear.
        const id = isAnswered.has(key) ? await ended : undefined;
        if (id !== undefined) placeholders.set(key, id);
      }
      return placeholders;
    },
  };
}
