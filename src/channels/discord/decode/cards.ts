/**
 * Reads what bots and webhooks write instead of text: embeds, and components with text in them. A person's embeds are
 * only link previews. https://discord.com/developers/docs/components/reference
 */
import { type Fields, fields, fieldsList, string } from '../../shared/read.ts';
import { fieldLine } from './facts.ts';
import { id } from './read.ts';

const MAX_CHARACTERS = 8000;
/** More components than Discord allows in a message. */
const MAX_COMPONENTS = 100;

export function readCards(message: Fields): string {
  const cards = fieldsList(message, 'embeds').slice(0, 10).map(card);
  return [...cards, components(message)]
    .filter((text) => text !== '')
    .join('\n\n')
    .slice(0, MAX_CHARACTERS);
}

function card(embed: Fields): string {
  const author = string(fields(embed, 'author') ?? {}, 'name');
  const lines = [author, string(embed, 'title'), string(embed, 'description'), string(embed, 'url')];
  for (const field of fieldsList(embed, 'fields').slice(0, 25))
    lines.push(`${fieldLine(field, 'name')}: ${fieldLine(field, 'value')}`);
  return lines.filter((line) => line?.trim()).join('\n');
}

/** Returns texts and picture descriptions in the order shown. */
function components(message: Fields): string {
  const lines = flattenComponents(message).map((part) =>
    (string(part, 'content') ?? string(part, 'description'))?.trim(),
  );
  return lines.filter(Boolean).join('\n');
}

/** Returns the uploaded files that components show. Discord may leave them out of the message's attachments. */
export function mediaOf(message: Fields): Fields[] {
  const shown = flattenComponents(message).map((part) => ({
    part,
    media: fields(part, 'media') ?? fields(part, 'file'),
  }));
  return shown.flatMap(({ part, media }) => {
    const key = media && id(media, 'attachment_id');
    if (!media || key === undefined) return [];
    const url = string(media, 'url') ?? '';
    const name = string(part, 'name') ?? (URL.canParse(url) ? new URL(url).pathname.split('/').at(-1) : undefined);
    return [{ ...media, id: key, filename: name, size: part.size }];
  });
}

/** Returns the components in the order shown; containers, sections and galleries are nested. */
function flattenComponents(message: Fields): Fields[] {
  const parts: Fields[] = [];
  const waiting = inside(message);
  for (let part = waiting.shift(); part && parts.length < MAX_COMPONENTS; part = waiting.shift()) {
    parts.push(part);
    waiting.unshift(...inside(part));
  }
  return parts;
}

function inside(part: Fields): Fields[] {
  const accessory = fields(part, 'accessory');
  const parts = [...fieldsList(part, 'components'), ...fieldsList(part, 'items'), ...(accessory ? [accessory] : [])];
  return parts.slice(0, MAX_COMPONENTS);
}
