/**
 * Groups files into calls. Photos are what Telegram shows as pictures; everything else, SVG and HTML included, is a
 * document. An album holds photos or documents, never both. https://core.telegram.org/bots/api#sendphoto,
 * #sendmediagroup
 */
import type { Messages } from '../../../messages/messages.ts';
import type { Attachment } from '../../channel.ts';
import { sizeProblem } from '../../shared/outgoing-files.ts';

export interface FileGroup {
  kind: 'photo' | 'document' | 'voice';
  /** 1 to 10 files. */
  files: Attachment[];
}

const ALBUM = 10;
const PHOTO_BYTES = 10 * 1024 * 1024;
/** Types that Telegram shows as a voice message. */
const VOICE_TYPES = new Set(['audio/ogg', 'audio/mpeg', 'audio/mp4']);
const PHOTO_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp']);

/** Returns the files in groups of one call each, and a sentence for each file that Telegram would refuse. */
export function groupFiles(
  files: readonly Attachment[],
  maxBytes: number,
  messages: Messages,
): { groups: FileGroup[]; refused: string[] } {
  const groups: FileGroup[] = [];
  const refused: string[] = [];
  const photos: Attachment[] = [];
  const documents: Attachment[] = [];
  for (const file of files) {
    const problem = sizeProblem(file, shortName(file), { platform: 'Telegram', maxBytes, messages });
    if (problem !== undefined) refused.push(problem);
    else if (file.isVoice && VOICE_TYPES.has(file.mimeType)) groups.push({ kind: 'voice', files: [file] });
    else if (PHOTO_TYPES.has(file.mimeType) && file.size <= PHOTO_BYTES) photos.push(file);
    else documents.push(file);
  }
  for (const [kind, list] of [
    ['photo', photos],
    ['document', documents],
  ] as const) {
    let group: FileGroup | undefined;
    let bytes = 0;
    for (const file of list) {
      // One request carries the whole album, and its size is limited too.
      if (group === undefined || group.files.length === ALBUM || bytes + file.size > maxBytes) {
        group = { kind, files: [] };
        groups.push(group);
        bytes = 0;
      }
      group.files.push(file);
      bytes += file.size;
    }
  }
  return { groups, refused };
}

/** Returns a file's name on one line, at most 80 characters long. */
export function shortName(file: Attachment): string {
  const name = file.name
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return name.length > 80 ? `${name.slice(0, 79).toWellFormed()}…` : name || 'a file';
}
