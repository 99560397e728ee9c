/** Files on their way in and out, as the seam has them. */

/** A file the platform still holds. Nothing is downloaded before the sender is authorised. */
export interface RemoteFile {
  /** Opaque to everyone but the channel that made it. */
  id: string;
  /** What the platform calls its contents in every message that holds them; absent where they may change. */
  key?: string;
  /** From outside: metadata only, never a path. */
  name: string;
  mimeType: string;
  /** Bytes as the platform declares them; the download counts for itself. */
  size?: number;
  kind: 'photo' | 'document' | 'audio' | 'voice' | 'video' | 'animation' | 'sticker';
  /** How long a recording is, as the platform declares it. */
  seconds?: number;
  /** What is said in it, where the platform has written that down itself, and all of it. */
  transcript?: string;
}

/** The sender's own, then those of what is quoted. */
export const filesAround = (message: {
  files: readonly RemoteFile[];
  quotes: readonly { files?: readonly RemoteFile[] }[];
}): RemoteFile[] => [...message.files, ...message.quotes.flatMap(({ files = [] }) => files)];

/** A file that was fetched; `remote`: what its platform has told of it only then. */
export type Fetched = Attachment & { remote?: RemoteFile };

/** A file on our disk. */
export interface Attachment {
  path: string;
  name: string;
  mimeType: string;
  size: number;
  sha256: string;
  /** An answer that is spoken: shown as a voice message where the platform has those. */
  isVoice?: true;
}
