/** Builds what replaces a part whose files Discord refuses. Pure. */
import { type Messages, say } from '../../../messages/messages.ts';
import type { Attachment } from '../../channel.ts';
import {
  asCode,
  type RefusalWords,
  type RefusedFile,
  refusalNotice,
  type WhyRefused,
} from '../../shared/refused-files.ts';
import type { DiscordError } from '../connect/api.ts';
import type { DiscordPart } from './parts.ts';
import type { Form } from './refusals.ts';

const TEXT = 2000;
const MISSING_PERMISSION = 50013;
/** The request, or a file in it, is too large. */
const SIZE = new Set([40005, 50045]);
/** Codes about the channel, the person or the message: text would be refused as well. */
const ABOUT_CHAT = new Set([10003, 10004, 10008, 10015, 10062, 30046, 50001, 50005, 50007, 50008, 50027, 50083]);
/** Codes 160002 to 160006 are about threads and replies. */
const THREADS = 160_000;

const WORDS: RefusalWords = {
  platform: 'Discord',
  get: '/viber get',
  reasons: {
    rights: (files) => say('channels.rightsDiscord', files),
  },
};

/** Returns why the files of a form were refused; undefined if it has none, or if something else is at fault. */
export function whyRefused({ files }: Form, { kind, code, status }: DiscordError): WhyRefused | undefined {
  if (files.length === 0) return undefined;
  if (kind === 'unreadable') return 'gone';
  if (kind !== 'refused') return undefined;
  if (status === 413 || (code !== undefined && SIZE.has(code))) return 'size';
  if (code === 0 || status === 401 || status === 404) return undefined;
  if (code === undefined) return status === 400 ? 'file' : undefined;
  if (code < 10_000 || code >= THREADS || ABOUT_CHAT.has(code)) return undefined;
  return code === MISSING_PERMISSION ? 'rights' : 'file';
}

export function noticeOf(refused: readonly RefusedFile[], messages: Messages): string {
  return refusalNotice(refused, WORDS, asCode, messages);
}

/** Returns the text and buttons of a part, with the notice at the end if it fits. */
export function onlyText(
  part: DiscordPart,
  notice: string,
  messages: Messages,
): { part: DiscordPart; hasNotice: boolean } | undefined {
  if (part.content === '' && part.rows.length === 0) return undefined;
  const all = [part.content, notice].filter((text) => text !== '').join('\n\n');
  const hasNotice = notice !== '' && all.length <= TEXT;
  return {
    part: { ...part, content: (hasNotice ? all : part.content) || messages.text('channels.moreChoices'), files: [] },
    hasNotice,
  };
}

export function onlyFile(_part: DiscordPart, file: Attachment): DiscordPart {
  return { content: '', files: [file], rows: [] };
}

export function noticeParts(notice: string): DiscordPart[] {
  return [{ content: notice.slice(0, TEXT).toWellFormed(), files: [], rows: [] }];
}
