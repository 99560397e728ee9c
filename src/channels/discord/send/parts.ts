/** Splits our message into parts that Discord accepts: texts, files and buttons. Pure except for loading the parser. */
import { type Messages, messagesFor } from '../../../messages/messages.ts';
import type { Attachment, Button, ChannelLimits, OutboundMessage } from '../../channel.ts';
import { sizeProblem, uploadName } from '../../shared/outgoing-files.ts';
import { tidyLine } from '../../shared/read.ts';
import type { UploadFile } from '../connect/api.ts';
import { NO_MENTIONS, SUPPRESS_EMBEDS } from './defaults.ts';
import { renderDiscord } from './render.ts';

export interface DiscordPart {
  /** The text; '' if there are files. */
  content: string;
  files: Attachment[];
  rows: Button[][];
}

const MAX_FILES = 10;
/** The most bytes per call, so that it ends in time on a slow line. */
const MAX_BYTES = 25 * 1024 * 1024;
const ROW = 5;
const MAX_ROWS = 5;
const MAX_LABEL = 80;

/** Returns the same parts for the same message, at least one. Files and buttons go with the last text. */
export async function planParts(message: OutboundMessage, limits: ChannelLimits): Promise<DiscordPart[]> {
  const messages = messagesFor(message);
  const { groups, refused } = groupFiles(message.files, limits.uploadBytes, messages);
  const text = [message.text, ...refused].filter((part) => part.trim() !== '').join('\n\n');
  const texts = await renderDiscord(text);
  const rowGroups = chunk(splitRows(message.buttons ?? []), MAX_ROWS);
  const parts: DiscordPart[] = texts.map((content) => ({ content, files: [], rows: [] }));
  const first = Math.max(0, parts.length - 1);
  for (let index = 0; index < Math.max(groups.length, rowGroups.length, 1); index++) {
    const part = parts[first + index] ?? { content: '', files: [], rows: [] };
    parts[first + index] = part;
    part.files = groups[index] ?? [];
    part.rows = rowGroups[index] ?? [];
    if (part.content === '' && part.files.length === 0)
      part.content = part.rows.length > 0 ? messages.text('channels.moreChoices') : messages.text('channels.noText');
  }
  return parts;
}

/** Returns a part's JSON; `attachments` numbers the files as `uploads` does. */
export function partBody(part: DiscordPart): object {
  return {
    content: part.content,
    allowed_mentions: NO_MENTIONS,
    flags: SUPPRESS_EMBEDS,
    components: componentsOf(part.rows),
    ...(part.files.length > 0 && {
      attachments: part.files.map((file, index) => ({ id: index, filename: uploadName(file) })),
    }),
  };
}

export function componentsOf(rows: readonly Button[][]): object[] {
  return rows.map((row) => ({ type: 1, components: row.map(buttonComponent) }));
}

export function uploads(part: DiscordPart): UploadFile[] {
  return part.files.map((file) => ({ path: file.path, mimeType: file.mimeType, uploadName: uploadName(file) }));
}

function buttonComponent({ id, label }: Button): object {
  return { type: 2, style: 2, label: tidyLine(label, MAX_LABEL) || '…', custom_id: id };
}

function splitRows(rows: readonly Button[][]): Button[][] {
  return rows.flatMap((row) => chunk(row, ROW));
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}

/** Returns the files in groups of one call each, and a sentence for each file that Discord would refuse. */
function groupFiles(
  files: readonly Attachment[],
  maxBytes: number,
  messages: Messages,
): { groups: Attachment[][]; refused: string[] } {
  const groups: Attachment[][] = [];
  const refused: string[] = [];
  let bytes = 0;
  for (const file of files) {
    const problem = sizeProblem(file, tidyLine(file.name, 80), { platform: 'Discord', maxBytes, messages });
    if (problem !== undefined) {
      refused.push(problem);
      continue;
    }
    const last = groups.at(-1);
    if (last && last.length < MAX_FILES && bytes + file.size <= MAX_BYTES) {
      last.push(file);
      bytes += file.size;
    } else {
      groups.push([file]);
      bytes = file.size;
    }
  }
  return { groups, refused };
}
