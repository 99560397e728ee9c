/** Groups the files of a message. https://docs.slack.dev/reference/methods/files.getUploadURLExternal/ */
import type { Messages } from '../../../messages/messages.ts';
import type { Attachment } from '../../channel.ts';
import { tidyLine } from '../../shared/read.ts';

const PER_MESSAGE = 10;

/** Returns the files in groups of one message each, and a sentence for each file that Slack would refuse. */
export function groupFiles(
  files: readonly Attachment[],
  maxBytes: number,
  messages: Messages,
): { groups: Attachment[][]; refused: string[] } {
  const groups: Attachment[][] = [];
  const refused: string[] = [];
  for (const file of files) {
    const name = tidyLine(file.name, 80) || messages.text('live.aFile');
    if (file.size === 0) refused.push(messages.text('channels.fileEmpty', { file: name }));
    else if (file.size > maxBytes) {
      const about = { file: name, size: megabytes(file.size), platform: 'Slack', max: megabytes(maxBytes) };
      refused.push(messages.text('channels.fileTooLarge', about));
    } else if ((groups.at(-1)?.length ?? PER_MESSAGE) < PER_MESSAGE) groups.at(-1)?.push(file);
    else groups.push([file]);
  }
  return { groups, refused };
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / (1024 * 1024))} MB`;
}
