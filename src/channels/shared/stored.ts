/** Shares what channels of this machine have in common: no limits, and files that are already in the home. */
import { UserError } from '../../errors.ts';
import { openKept } from '../../lib/files/below.ts';
import type { ChannelLimits } from '../channel.ts';
import { createPlatformDownload, type Download } from './download.ts';

export const UNLIMITED: ChannelLimits = {
  text: Number.MAX_SAFE_INTEGER,
  uploadBytes: Number.MAX_SAFE_INTEGER,
  downloadBytes: Number.MAX_SAFE_INTEGER,
};

/** Returns the path of a file by its ref, or undefined if the file no longer exists. */
export type FileOf = (ref: string) => Promise<string | undefined>;

export const createStoredDownload = (fileOf: FileOf): Download =>
  createPlatformDownload({
    platform: 'the gateway',
    maxBytes: UNLIMITED.downloadBytes,
    async begin({ file }) {
      const path = await fileOf(file.id);
      if (path === undefined) throw new UserError('the file no longer exists');
      return (await openKept(path)).createReadStream();
    },
  });
