/** The platform's files: those uploaded or sent, under file IDs that a bot may use again. */
import { createHash } from 'node:crypto';
import type { Upload } from '../base/multipart.ts';

/** The largest file a bot may fetch. */
export const DOWNLOAD_LIMIT = 20 * 1024 * 1024;

export type RemoteKind = 'photo' | 'document' | 'audio' | 'voice' | 'video' | 'video_note' | 'animation' | 'sticker';

export interface StoredFile {
  id: string;
  uniqueId: string;
  kind: RemoteKind;
  name: string;
  mimeType: string;
  /** The size in bytes as declared to the bot. */
  size: number;
  sha256: string;
  head: Buffer;
  bytes: Buffer | undefined;
  /** The path of the download, relative to `/file/bot<token>/`. */
  path: string;
}

export interface FileStore {
  /** `size` is the declared size; `id` is an ID that the test chooses. */
  add(kind: RemoteKind, upload: Upload, facts?: { size?: number | undefined; id?: string }): StoredFile;
  /** Returns a file by its ID; undefined if there is none. */
  get(id: string): StoredFile | undefined;
  byPath(path: string): StoredFile | undefined;
  count(): number;
}

const FOLDERS: Record<RemoteKind, string> = {
  photo: 'photos',
  document: 'documents',
  audio: 'music',
  voice: 'voice',
  video: 'videos',
  video_note: 'video_notes',
  animation: 'animations',
  sticker: 'stickers',
};

/** Creates a file of a person or a test from its bytes. */
export function uploadOf(name: string, bytes: Buffer, mimeType: string): Upload {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, mimeType, size: bytes.length, sha256, head: bytes.subarray(0, 65_536), bytes };
}

export function createFileStore(keepFiles: boolean): FileStore {
  const files = new Map<string, StoredFile>();
  const paths = new Map<string, StoredFile>();
  let count = 0;
  return {
    add(kind, upload, facts = {}) {
      count += 1;
      const extension = /\.[A-Za-z0-9]{1,8}$/.exec(upload.name)?.[0] ?? '';
      const file: StoredFile = {
        id: facts.id ?? `BQACAgIAAx${Buffer.from(`${kind}:${count}`).toString('base64url')}`,
        uniqueId: `AgAD${count.toString(36).padStart(8, '0')}`,
        kind,
        name: upload.name,
        mimeType: upload.mimeType,
        size: facts.size ?? upload.size,
        sha256: upload.sha256,
        head: upload.head,
        bytes: upload.bytes,
        path: `${FOLDERS[kind]}/file_${count}${extension}`,
      };
      if (!keepFiles && !file.bytes) file.head = Buffer.alloc(0);
      files.set(file.id, file);
      paths.set(file.path, file);
      return file;
    },
    get: (id) => files.get(id),
    byPath: (path) => paths.get(path),
    count: () => count,
  };
}
