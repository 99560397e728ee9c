/** Defines incoming and outgoing files. Part of the seam. */

/** A file that the platform still holds. Nothing is downloaded before the sender is authorised. */
export interface RemoteFile {
  /** Opaque to everything but the channel that created it. */
  id: string;
  /** The platform's key of the contents, the same in every message that holds them; absent if they may change. */
  key?: string;
  /** A name from outside: metadata only, never a path. */
  name: string;
  mimeType: string;
  /** The size in bytes that the platform declares; the download counts for itself. */
  size?: number;
  kind: 'photo' | 'document' | 'audio' | 'voice' | 'video' | 'animation' | 'sticker';
  /** The length of a recording that the platform declares, in seconds. */
  seconds?: number;
  /** The platform's own transcript of a recording, if it is complete. */
  transcript?: string;
}

/** Returns the sender's own files, then those of the quoted messages. */
export const filesAround = (message: {
  files: readonly RemoteFile[];
  quotes: readonly { files?: readonly RemoteFile[] }[];
}): RemoteFile[] => [...message.files, ...message.quotes.flatMap(({ files = [] }) => files)];

/** A fetched file. `remote`: what the platform said about the file only when it was fetched. */
export type Fetched = Attachment & { remote?: RemoteFile };

/** A file on our disk. */
export interface Attachment {
  path: string;
  name: string;
  mimeType: string;
  size: number;
  sha256: string;
  /** True for a spoken answer, shown as a voice message where the platform has those. */
  isVoice?: true;
}
