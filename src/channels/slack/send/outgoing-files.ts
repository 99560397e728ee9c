/** Which files go into one message. https://docs.slack.dev/reference/methods/files.getUploadURLExternal/ */
import type { Attachment } from '../../channel.ts';
import { oneLine } from '../../shared/read.ts';

const PER_MESSAGE = 10;

/** The files in groups of one message each, and a sentence for each file that Slack would not take. */
export function groupFiles(
  files: readonly Attachment[],
  maxBytes: number,
): { groups: Attachment[][]; refused: string[] } {
  const groups: Attachment[][] = [];
  const refused: string[] = [];
  for (const file of files) {
    const name = oneLine(file.name, 80) || 'a file';
    if (file.size === 0) refused.push(`Not attached: ${name} is empty.`);
    else if (file.size > maxBytes)
      refused.push(
        `Not attached: ${name} is ${megabytes(file.size)}; Slack takes files of up to ${megabytes(maxBytes)}.`,
      );
    else if ((groups.at(-1)?.length ?? PER_MESSAGE) < PER_MESSAGE) groups.at(-1)?.push(file);
    else groups.push([file]);
  }
  return { groups, refused };
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / (1024 * 1024))} MB`;
}
