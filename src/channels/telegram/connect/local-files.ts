/**
 * Opens files of our own Bot API server in local mode, which names their path on this machine. Its word isn't trusted:
 * only paths below a configured folder are opened, component by component and never through a link.
 * https://core.telegram.org/bots/api#using-a-local-bot-api-server
 */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../errors.ts';
import { holdFolder, openFile } from '../../../lib/files/below.ts';

/** The most such a server downloads and uploads: "up to 2000 MB". */
export const LOCAL_BYTES = 2000 * 1024 * 1024;

export interface LocalFile {
  size: number;
  /** Keeps the file open until it was read or destroyed. */
  bytes: fs.ReadStream;
}

/** Opens a file; returns undefined if it no longer exists. @throws UserError for a path that must not be opened. */
export function openLocal(file: string, folders: readonly string[]): LocalFile | undefined {
  const isPlain = path.normalize(file) === file && !file.includes('\0');
  const root = isPlain ? folders.find((folder) => file.startsWith(folder.replace(/\/*$/, '/'))) : undefined;
  if (root === undefined)
    throw new UserError(
      'The Bot API server keeps this file where I may not read: its folder has to be named in channels.telegram.localFiles.',
    );
  const names = path.relative(root, file).split(path.sep);
  const folder = holdFolder(root, names.slice(0, -1));
  if (!folder) return undefined;
  try {
    const held = openFile(folder, names);
    if (!held) return undefined;
    if (!held.stat.isFile()) {
      fs.closeSync(held.fd);
      throw new UserError('What the Bot API server names is no file.');
    }
    return { size: held.stat.size, bytes: fs.createReadStream('', { fd: held.fd, start: 0 }) };
  } finally {
    folder.close();
  }
}
