/** Holds the status of a channel's connection. Reports each change, and logs each problem once. */
import type { Logger } from '../../log.ts';
import type { ChannelStatus } from '../channel.ts';

export interface ChannelState {
  get(): ChannelStatus;
  set(next: ChannelStatus): void;
}

export function createChannelState(channel: string, log: Logger, onChange: () => void): ChannelState {
  let status: ChannelStatus = { state: 'off' };
  return {
    get: () => status,
    set(next) {
      if (next.state === status.state && next.detail === status.detail) return;
      if (next.detail !== undefined) log.warn({ channel, state: next.state }, next.detail);
      status = next;
      onChange();
    },
  };
}
