/** Copies the files that programs name from the home, where they already are. */
import { UserError } from '../../errors.ts';
import { openKept } from '../../lib/files/below.ts';
import { createPlatformDownload, type Download } from './download.ts';

/** Returns the path of a file by its ref, or undefined if the file no longer exists. */
export type FileOf = (ref: string) => Promise<string | undefined>;

export const createStoredDownload = (fileOf: FileOf): Download =>
  createPlatformDownload({
    platform: 'the gateway',
    maxBytes: Number.MAX_SAFE_INTEGER,
    async begin({ file }) {
      const path = await fileOf(file.id);
      if (path === undefined) throw new UserError('it is not there any more');
      return (await openKept(path)).createReadStream();
    },
  });
