/**
 * Opens files of our own Bot API server in local mode, which names their path on this machine. Its word isn't trusted:
 * only paths below a configured folder are opened, component by component and never through a link.
 * https://core.telegram.org/bots/api#using-a-local-bot-api-server
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode, UserError } from '../../../errors.ts';
import { holdFolder, openFile, PathRefused } from '../../../lib/files/below.ts';

/** The most such a server downloads and uploads: "up to 2000 MB". */
export const LOCAL_BYTES = 2000 * 1024 * 1024;

const ELSEWHERE =
  "The Bot API server keeps this file in a folder that I can't read. Add the folder to channels.telegram.localFiles.";
const NO_FOLDER = 'The folder in channels.telegram.localFiles does not exist on this machine.';
const NOT_ALLOWED =
  "My user may not read the Bot API server's files. Give it read access to the folder in channels.telegram.localFiles.";
const NO_FILE = "The Bot API server named a file that I can't read.";

/** Returns the folder as it begins the path of a file in it. */
const asFolder = (folder: string): string => `${path.normalize(folder)}/`.replace(/\/+$/, '/');

/**
 * Opens a file, which stays open until its bytes were read or destroyed; returns undefined if it no longer exists. No
 * error names the path, because the bot's token is part of it.
 * @throws UserError for a path that must not be opened
 */
export function openLocal(file: string, folders: readonly string[]): ReturnType<typeof openInside> {
  try {
    return openInside(file, folders);
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
    const isDenied = /^E(ACCES|PERM)$/.test(errorCode(error.cause) ?? '');
    throw new UserError(isDenied ? NOT_ALLOWED : NO_FILE);
  }
}

function openInside(file: string, folders: readonly string[]): { size: number; bytes: fs.ReadStream } | undefined {
  const isPlain = path.normalize(file) === file && !file.endsWith('/') && !file.includes('\0');
  const root = isPlain ? folders.map(asFolder).find((folder) => file.startsWith(folder)) : undefined;
  if (root === undefined) throw new UserError(ELSEWHERE);
  const names = path.relative(root, file).split(path.sep);
  const folder = holdFolder(root, names.slice(0, -1));
  if (!folder && !fs.existsSync(root)) throw new UserError(NO_FOLDER);
  if (!folder) return undefined;
  try {
    const held = openFile(folder, names);
    if (!held) return undefined;
    if (!held.stat.isFile()) {
      fs.closeSync(held.fd);
      throw new UserError(NO_FILE);
    }
    return { size: held.stat.size, bytes: fs.createReadStream('', { fd: held.fd, start: 0 }) };
  } finally {
    folder.close();
  }
}
