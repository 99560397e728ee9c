/** By what each kind of file is read. Pure, and cheap: it is asked of every file. */
import type { FileKind, ReadableFile } from '../contract/reading.ts';

/** A short film is heard: round videos are said, not shown. */
const SOUND = /^(audio\/|video\/(mp4|webm|quicktime)$)/;
const SOUND_NAME = /\.(og[ga]|opus|mp3|m4a|wav|flac|amr|aac)$/i;
const DOCUMENT =
  /^application\/(pdf|zip|x-zip(-compressed)?|msword|vnd\.ms-(excel|powerpoint|word)(\..+)?|vnd\.openxmlformats-officedocument\..+|vnd\.oasis\.opendocument\..+|vnd\.apple\.(pages|numbers|keynote))$/i;
const DOCUMENT_NAME = /\.(do[ct][xm]?|xl[st][xmb]?|pp[ts][xm]?|pot[xm]?|od[tsp]|pages|numbers|pdf|zip)$/i;
const PAGE = /^(text\/html|application\/xhtml\+xml)$/;
const PAGE_NAME = /\.x?html?$/i;
/** What platforms call a file they know nothing of; apps and systems have names of their own for documents. */
const VAGUE = /^(application\/(octet-stream|binary|(x-|force-)?download|vnd\.ms-office|x-office.*|wps-.*|kswps)|)$/i;

export function kindOf({ type, name }: Pick<ReadableFile, 'name' | 'type'>): FileKind | undefined {
  const isVague = VAGUE.test(type);
  if (SOUND.test(type) || (isVague && SOUND_NAME.test(name))) return 'sound';
  if (DOCUMENT.test(type) || (isVague && DOCUMENT_NAME.test(name))) return 'document';
  return PAGE.test(type) || (isVague && PAGE_NAME.test(name)) ? 'page' : undefined;
}
