/** Files that programs name are in the home already: they are copied from there. */
import { UserError } from '../../errors.ts';
import { openKept } from '../../lib/files/below.ts';
import { createDownload, type Download } from './download.ts';

/** The file that a message names by its ref; undefined when there is none any more. */
export type FileOf = (ref: string) => Promise<string | undefined>;

export const createStoredDownload = (fileOf: FileOf): Download =>
  createDownload({
    platform: 'the gateway',
    maxBytes: Number.MAX_SAFE_INTEGER,
    async begin({ file }) {
      const path = await fileOf(file.id);
      if (path === undefined) throw new UserError('it is not there any more');
      return (await openKept(path)).createReadStream();
    },
  });
