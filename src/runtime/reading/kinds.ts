/** Decides how each kind of file is read. Pure and cheap: it runs for every file. */
import type { FileKind } from '../contract/reading.ts';

/** Short films count as sound: people speak in round videos. */
const SOUND = /^(audio\/|video\/(mp4|webm|quicktime)$)/;
const SOUND_NAME = /\.(og[ga]|opus|mp3|m4a|wav|flac|amr|aac)$/i;
const DOCUMENT =
  /^application\/(pdf|zip|x-zip(-compressed)?|msword|vnd\.ms-(excel|powerpoint|word)(\..+)?|vnd\.openxmlformats-officedocument\..+|vnd\.oasis\.opendocument\..+|vnd\.apple\.(pages|numbers|keynote))$/i;
const DOCUMENT_NAME = /\.(do[ct][xm]?|xl[st][xmb]?|pp[ts][xm]?|pot[xm]?|od[tsp]|pages|numbers|pdf|zip)$/i;
const PAGE = /^(text\/html|application\/xhtml\+xml)$/;
const PAGE_NAME = /\.x?html?$/i;
/** Types that platforms give to unknown files; apps and systems have their own names for documents. */
const VAGUE = /^(application\/(octet-stream|binary|(x-|force-)?download|vnd\.ms-office|x-office.*|wps-.*|kswps)|)$/i;

export function fileKind({ type, name }: { name: string; type: string }): FileKind | undefined {
  const isVague = VAGUE.test(type);
  if (SOUND.test(type) || (isVague && SOUND_NAME.test(name))) return 'sound';
  if (DOCUMENT.test(type) || (isVague && DOCUMENT_NAME.test(name))) return 'document';
  return PAGE.test(type) || (isVague && PAGE_NAME.test(name)) ? 'page' : undefined;
}
