/**
 * Converts a file to the form in which a model sees it. The bytes decide its type. A picture that no provider accepts
 * is redrawn if possible, else only named: sending it anyway makes the provider refuse the whole request.
 */
import type { FileHandle } from 'node:fs/promises';
import { errorCode } from '../../errors.ts';
import { openKept } from '../../lib/files/below.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { UnseenFile } from '../contract/agent.ts';
import type { Prompt } from '../contract/model.ts';
import type { InputFile } from '../contract/task.ts';
import { type Redrawing, redrawn } from '../reading/pictures.ts';
import { lookAtOther, lookAtPicture, type Picture } from './picture.ts';

export type UserPart = Extract<Prompt[number], { role: 'user' }>['content'][number];

export interface ShownFile {
  part: UserPart;
  /** Set when a person must know that the file wasn't shown. */
  unseen?: UnseenFile;
}

/**
 * Limits for one file, in bytes. Base64 adds a third: Groq takes 4 MB of it in a request
 * (console.groq.com/docs/vision), Anthropic 5 MB for a picture of at most 8,000 pixels per edge, and PDFs of 100 pages
 * (platform.claude.com/docs/en/build-with-claude/vision and pdf-support); OpenAI and Google take PDFs of 50 MB, Google
 * of 1,000 pages.
 */
const MAX_PICTURE = 3_000_000;
const MAX_PDF = 5_000_000;
/** Anthropic's limits. */
const MAX_EDGE = 8_000;
const MAX_PAGES = 100;
/** The longer edge of a redrawn picture: models see no more detail. */
const DRAWN_EDGE = 1_200;
/** The most pixels that fit in a process's memory for redrawing. */
const MAX_PIXELS = 50_000_000;
/** The largest file that is read, in bytes. */
const MAX_READ = 25_000_000;

const DRAWABLE = /^image\/(?:png|jpeg|gif|webp)$/;
/** Every provider accepts these; Google and xAI refuse GIF, and xAI refuses WebP. */
const TAKEN = /^image\/(?:png|jpeg|webp)$/;
const CANDIDATE = /^(?:image\/(?!svg)|application\/(?:pdf|octet-stream)$)/;

export const mayBeShown = ({ mimeType }: InputFile): boolean => CANDIDATE.test(mimeType);

/**
 * Returns undefined for a file that is neither a picture nor a PDF.
 * @param room bytes left for the files of the request
 */
export async function showFile(
  file: InputFile,
  room: { bytes: number },
  signal: AbortSignal,
): Promise<ShownFile | undefined> {
  const shown = fileLabel(file);
  const note = (why: string): UserPart => ({ type: 'text', text: `[${shown} ${why}]` });
  const unseen = (why: string, said: Wording, isPages = false): ShownFile => ({
    part: note(why),
    unseen: { name: shown, why: said, ...(isPages && { isPages }) },
  });
  let handle: FileHandle | undefined;
  try {
    handle = await openKept(file.path);
    // Undefined if the file is larger.
    const bytes = (await handle.stat()).size > MAX_READ ? undefined : await handle.readFile();
    if (!bytes) return unseen('is too large to be shown to you', say('answers.unseenLarge'));
    const size = bytes.length;
    const picture = lookAtPicture(bytes) ?? (file.mimeType.startsWith('image/') ? lookAtOther(bytes) : undefined);
    const isVague = !/^image\/(?:png|jpeg|gif|webp)$|pdf$/.test(file.mimeType);
    if (!picture && isVague && !file.mimeType.startsWith('image/')) return undefined;
    const form = formOf(picture, size, file.mimeType);
    if ('said' in form) return unseen(form.why, form.said, picture?.type === 'application/pdf');
    const content = form.draw ? await redrawn(handle, form.draw, signal) : bytes;
    // A picture that can't be redrawn is sent unchanged, unless we know that providers refuse it.
    if (!content && form.isNeeded) return unseen('cannot be shown to you', say('answers.unseenLarge'));
    const data = content ?? bytes;
    if (data.length > room.bytes) return { part: note('is too large to be shown to you') };
    room.bytes -= data.length;
    const mediaType = content && form.draw ? 'image/png' : (picture?.type ?? file.mimeType);
    return { part: { type: 'file', data: { type: 'data', data }, mediaType, filename: file.name } };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return { part: note('is no longer there') };
  } finally {
    await handle?.close();
  }
}

const fileLabel = ({ name }: InputFile): string => name.replace(/[\r\n\]]/g, ' ');

type Form = { why: string; said: Wording } | { draw?: Redrawing; isNeeded?: boolean };

function formOf(picture: Picture | undefined, size: number, claimed: string): Form {
  if (size === 0) return { why: 'is empty', said: say('answers.unseenEmpty') };
  const large = { why: 'is too large to be shown to you', said: say('answers.unseenLarge') };
  if (!picture) return size > (claimed === 'application/pdf' ? MAX_PDF : MAX_PICTURE) ? large : {};
  const { type, width, height, isAnimated, turn, pages = 0, isLocked } = picture;
  if (type === 'application/pdf') {
    if (isLocked) return { why: 'is protected with a password', said: say('answers.unseenLocked') };
    if (pages > MAX_PAGES)
      return { why: `has ${pages} pages: they are not shown to you`, said: say('answers.unseenPages', { n: pages }) };
    return size > MAX_PDF ? large : {};
  }
  if (!DRAWABLE.test(type)) {
    const format = (type.split('/')[1] ?? '').replace(/^vnd\.adobe\./, '').toUpperCase();
    return { why: `is a ${format} file, which cannot be shown to you`, said: say('answers.unseenFormat', { format }) };
  }
  // A truncated picture has no known size; the provider decides whether to accept it.
  if (width === undefined || height === undefined) return size > MAX_PICTURE ? large : {};
  const isRefused = size > MAX_PICTURE || Math.max(width, height) > MAX_EDGE;
  if (!isRefused && !isAnimated && TAKEN.test(type)) return {};
  if (width * height > MAX_PIXELS || width * height === 0) return large;
  const scale = isRefused
    ? Math.min(1, DRAWN_EDGE / Math.max(width, height))
    : Math.min(1, 2_000 / Math.max(width, height));
  const drawn = (edge: number) => Math.max(1, Math.round(edge * scale));
  const edges = { width: drawn(width), height: drawn(height) };
  return { draw: { type, ...edges, ...(turn !== undefined && { turn }) }, isNeeded: isRefused };
}
