/** Converts the text and entities of a call to what is shown, with the server's cleanup and limits. */
import type { LinkPreviewOptions, Message, MessageEntity } from '@grammyjs/types';
import { keepEntities, withDetected } from './entities.ts';
import { badRequest } from './errors.ts';
import { json, list, type Params, text } from './params.ts';

export interface FormattedText {
  text: string;
  entities: MessageEntity[];
  dropped: number;
}

/** Removes carriage returns, replaces other control characters by spaces, and trims both ends; entities move along. */
function clean(raw: FormattedText): FormattedText {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the server replaces
  const spaced = raw.text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ');
  const removed: number[] = [];
  for (let at = spaced.indexOf('\r'); at !== -1; at = spaced.indexOf('\r', at + 1)) removed.push(at);
  const joined = removed.length ? spaced.replaceAll('\r', '') : spaced;
  const trimmed = joined.trimEnd();
  const firstEntity = raw.entities[0]?.offset ?? trimmed.length;
  let lead = 0;
  while (lead < firstEntity && (trimmed[lead] === ' ' || trimmed[lead] === '\n')) lead += 1;
  const shown = trimmed.slice(lead);
  if (shown === raw.text) return raw;
  const move = (at: number) => {
    const gone = removed.length ? removed.filter((position) => position < at).length : 0;
    return Math.min(Math.max(at - gone - lead, 0), shown.length);
  };
  const entities = raw.entities.flatMap((entity) => {
    const offset = move(entity.offset);
    const length = move(entity.offset + entity.length) - offset;
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  return { text: shown, entities, dropped: raw.dropped };
}

/** Returns the formatted text of a call; `field` is `text` or `caption`. Throws ApiError 400. */
export function formattedText(params: Params, field: 'text' | 'caption', limit: number): FormattedText {
  const raw = text(params, field) ?? '';
  // We send entities; text that a server would parse is never sent.
  if (text(params, 'parse_mode')) throw badRequest('unsupported parse_mode');
  const sent = list<MessageEntity>(params, field === 'text' ? 'entities' : 'caption_entities');
  const shown = clean({ text: raw, ...keepEntities(sent ?? [], raw) });
  if (shown.text.length > limit)
    throw badRequest(field === 'text' ? 'message is too long' : 'message caption is too long');
  return { ...shown, entities: withDetected(shown.text, shown.entities) };
}

/** Returns the fields of a text message, and how many entities were left out. Refuses empty text. */
export function messageText(params: Params): { content: Partial<Message>; dropped: number } {
  const { text: shown, entities, dropped } = formattedText(params, 'text', 4096);
  if (shown === '') throw badRequest('message text is empty');
  const preview = json<LinkPreviewOptions>(params, 'link_preview_options');
  const content = {
    text: shown,
    ...(entities.length > 0 && { entities }),
    ...(preview && { link_preview_options: preview }),
  };
  return { content, dropped };
}
