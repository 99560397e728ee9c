/** Uploads files: reads them from disk while they are sent, and closes them however the call ends. */
import type { ReadStream } from 'node:fs';
import { InputFile } from 'grammy/web';
import { openKept } from '../../../lib/files/below.ts';
import type { Attachment } from '../../channel.ts';
import { uploadName } from '../../shared/outgoing-files.ts';

export type Uploads = ReturnType<typeof createUploads>;

/** Creates the uploads of one call; what was read can't be sent again. */
export function createUploads() {
  const open: ReadStream[] = [];
  let isClosed = false;
  return {
    /** Returns the object that grammY sends as the file; it is opened when its turn comes. */
    file({ path, name }: Attachment): InputFile {
      const bytes = {
        async *[Symbol.asyncIterator]() {
          const stream = (await openKept(path)).createReadStream();
          if (isClosed) stream.destroy();
          open.push(stream);
          yield* stream;
        },
      };
      return new InputFile(bytes, uploadName({ name }));
    },
    close() {
      isClosed = true;
      for (const stream of open) stream.destroy();
    },
  };
}
