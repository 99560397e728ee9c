/** Checks the files that we send, and names them for a platform. */
import type { Messages, Text } from '../../messages/messages.ts';
import type { Attachment } from '../channel.ts';
import { tidyLine } from './read.ts';

/** Returns a sentence about a file that the platform would refuse for its size; `name` is as people see it. */
export function sizeProblem(
  { size }: Attachment,
  name: string,
  { platform, maxBytes, messages }: { platform: string; maxBytes: number; messages: Messages },
): Text | undefined {
  if (size === 0) return messages.text('channels.fileEmpty', { file: name });
  if (size <= maxBytes) return undefined;
  const about = { file: name, size: megabytes(size), platform, max: megabytes(maxBytes) };
  return messages.text('channels.fileTooLarge', about);
}

function megabytes(bytes: number): string {
  const size = bytes / (1024 * 1024);
  return `${size < 10 ? size.toFixed(1).replace(/\.0$/, '') : Math.ceil(size)} MB`;
}

/** Returns a name from outside on one line, without characters of paths and headers. */
export function uploadName({ name }: { name: string }): string {
  const clean = tidyLine(name.toWellFormed(), 120).replace(/["\\/;:*?<>|]/g, '_');
  return clean.replace(/^\.+/, '') || 'file';
}
