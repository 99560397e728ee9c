/** Uploads files: reads them from disk while they are sent, and closes them however the call ends. */
import type { ReadStream } from 'node:fs';
import { InputFile } from 'grammy/web';
import { openKept } from '../../../lib/files/below.ts';
import type { Attachment } from '../../channel.ts';
import { tidyLine } from '../../shared/read.ts';

export interface Uploads {
  /** Returns the object that grammY sends as the file; it is opened when its turn comes. */
  file(attachment: Attachment): InputFile;
  close(): void;
}

/** Creates the uploads of one call; what was read can't be sent again. */
export function createUploads(): Uploads {
  const open: ReadStream[] = [];
  let isClosed = false;
  return {
    file({ path, name }) {
      const bytes = {
        async *[Symbol.asyncIterator]() {
          const stream = (await openKept(path)).createReadStream();
          if (isClosed) stream.destroy();
          open.push(stream);
          yield* stream;
        },
      };
      return new InputFile(bytes, uploadName(name));
    },
    close() {
      isClosed = true;
      for (const stream of open) stream.destroy();
    },
  };
}

/** Cleans up a name, because it is unquoted in a header. */
function uploadName(name: string): string {
  const clean = tidyLine(name, 120).replace(/["\\/;:*?<>|]/g, '_');
  return clean.replace(/^\.+/, '') || 'file';
}
