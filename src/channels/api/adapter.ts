/**
 * Serves programs and the Board. Their messages enter through the HTTP server, which checks who they are. Answers to
 * them are in the session and are reported as events, so that sending a part again changes nothing.
 */
import { API, type Channel, type ChannelStatus, type OutboundMessage } from '../channel.ts';
import { createStoredDownload, type FileOf, UNLIMITED } from '../shared/stored.ts';

interface ApiOptions {
  /** Called with a message that doesn't end a run. */
  onNotice: (message: OutboundMessage) => void;
  fileOf: FileOf;
}

export function createApiChannel({ onNotice, fileOf }: ApiOptions): Channel {
  let status: ChannelStatus = { state: 'off' };
  return {
    id: API,
    account: API,
    isExact: true,
    takesResults: true,
    limits: UNLIMITED,
    status: () => status,
    async connect({ onStatus }) {
      status = { state: 'connected' };
      onStatus();
    },
    async disconnect() {
      status = { state: 'off' };
    },
    async send(message, ledger) {
      await ledger.part(0, async () => {
        // The end of a run and a question are reported as events of their own.
        if (!message.result && message.ended === undefined) onNotice(message);
        return message.id;
      });
    },
    download: createStoredDownload(fileOf),
  };
}
