/** Live progress: bus events to the conversations that follow a run. Best effort; answers never take this way. */
import { type Address, type AgentStreamEvent, type Channel, conversationKey } from '../channels/channel.ts';
import type { Bus } from './bus.ts';

export interface Live {
  /** Conversations that see this run's progress from now on. */
  follow(runId: string, addresses: readonly Address[]): void;
  /** Ends progress of a run everywhere and gives, by conversation key, the status messages answers may replace. */
  end(runId: string): Promise<Map<string, string>>;
}

export function createLive(bus: Bus, channelOf: (address: Address) => Channel | undefined): Live {
  const followers = new Map<string, readonly Address[]>();
  bus.subscribe((event: AgentStreamEvent) => {
    for (const address of followers.get(event.runId) ?? []) void channelOf(address)?.stream?.(event, address);
  });
  return {
    follow: (runId, addresses) => void followers.set(runId, addresses),
    async end(runId) {
      const placeholders = new Map<string, string>();
      const addresses = followers.get(runId) ?? [];
      followers.delete(runId);
      for (const address of addresses) {
        const id = await channelOf(address)?.endStream?.(runId, address);
        if (id !== undefined) placeholders.set(conversationKey(address), id);
      }
      return placeholders;
    },
  };
}
