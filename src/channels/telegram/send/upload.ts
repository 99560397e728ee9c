/** Files on their way out: read from disk while they are sent, and closed whatever becomes of the call. */
import { createReadStream, type ReadStream } from 'node:fs';
import { InputFile } from 'grammy/web';
import type { Attachment } from '../../channel.ts';
import { oneLine } from '../../shared/read.ts';

export interface Uploads {
  /** What grammY sends in place of the file; opened when its turn comes. */
  file(attachment: Attachment): InputFile;
  close(): void;
}

/** For one call: what was read cannot be sent again. */
export function createUploads(): Uploads {
  const open: ReadStream[] = [];
  return {
    file({ path, name }) {
      const bytes = {
        [Symbol.asyncIterator]() {
          const stream = createReadStream(path);
          open.push(stream);
          return stream[Symbol.asyncIterator]();
        },
      };
      return new InputFile(bytes, uploadName(name));
    },
    close() {
      for (const stream of open) stream.destroy();
    },
  };
}

/** The name stands unquoted in a header. */
function uploadName(name: string): string {
  const clean = oneLine(name, 120).replace(/["\\/;:*?<>|]/g, '_');
  return clean.replace(/^\.+/, '') || 'file';
}
