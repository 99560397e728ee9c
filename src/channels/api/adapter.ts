/**
 * Serves programs and the Board. Their messages enter through the HTTP server, which checks who they are. Answers to
 * them are in the session and are reported as events, so that sending a part again changes nothing.
 */
import {
  API,
  type Attachment,
  type Channel,
  type ChannelCallbacks,
  type ChannelStatus,
  type OutboundMessage,
  type PartLedger,
  type RemoteFile,
} from '../channel.ts';
import type { Download } from '../shared/download.ts';
import { createStoredDownload, type FileOf } from '../shared/stored.ts';

export interface ApiOptions {
  /** Called with a message that doesn't end a run. */
  onNotice: (message: OutboundMessage) => void;
  fileOf: FileOf;
}

export const createApiChannel = (options: ApiOptions): Channel => new Api(options);

class Api implements Channel {
  readonly id = API;
  readonly account = API;
  readonly isExact = true;
  readonly takesResults = true;
  readonly limits = {
    text: Number.MAX_SAFE_INTEGER,
    uploadBytes: Number.MAX_SAFE_INTEGER,
    downloadBytes: Number.MAX_SAFE_INTEGER,
  };
  readonly #onNotice: ApiOptions['onNotice'];
  readonly #download: Download;
  #status: ChannelStatus = { state: 'off' };

  constructor({ onNotice, fileOf }: ApiOptions) {
    this.#onNotice = onNotice;
    this.#download = createStoredDownload(fileOf);
  }

  status(): ChannelStatus {
    return this.#status;
  }

  async connect({ onStatus }: ChannelCallbacks): Promise<void> {
    this.#status = { state: 'connected' };
    onStatus();
  }

  async disconnect(): Promise<void> {
    this.#status = { state: 'off' };
  }

  async send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    await ledger.part(0, async () => {
      // The end of a run and a question are reported as events of their own.
      if (!message.result && message.ended === undefined) this.#onNotice(message);
      return message.id;
    });
  }

  download(file: RemoteFile, path: string, maxBytes: number, signal: AbortSignal): Promise<Attachment> {
    return this.#download(file, path, maxBytes, signal);
  }
}
