/**
 * Files of a Bot API server of our own in its local mode, which says where on this machine they are. The server says it, so it is
 * anybody's word: only what is below a configured folder is opened, part by part and never through a link.
 * https://core.telegram.org/bots/api#using-a-local-bot-api-server
 */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../errors.ts';
import { holdFolder, openFile } from '../../../lib/files/below.ts';

/** What such a server gives and takes: "up to 2000 MB". */
export const LOCAL_BYTES = 2000 * 1024 * 1024;

export interface LocalFile {
  size: number;
  /** Holds the file open until it was read or destroyed. */
  bytes: fs.ReadStream;
}

/** Undefined when it is not there any more. Throws UserError for what is not to be opened. */
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
