/**
 * Reads what bots and webhooks write instead of text: embeds, and components with text in them. A person's embeds are
 * only link previews. https://discord.com/developers/docs/components/reference
 */
import { type Fields, fields, list, string } from '../../shared/read.ts';
import { words } from './facts.ts';

const MAX_CHARACTERS = 8000;
/** More components than Discord allows in a message. */
const MAX_COMPONENTS = 100;

export function readCards(message: Fields): string {
  const cards = list(message, 'embeds').slice(0, 10).map(card);
  return [...cards, components(message)]
    .filter((text) => text !== '')
    .join('\n\n')
    .slice(0, MAX_CHARACTERS);
}

function card(embed: Fields): string {
  const author = string(fields(embed, 'author') ?? {}, 'name');
  const lines = [author, string(embed, 'title'), string(embed, 'description'), string(embed, 'url')];
  for (const field of list(embed, 'fields').slice(0, 25))
    lines.push(`${words(field, 'name')}: ${words(field, 'value')}`);
  return lines.filter((line) => line?.trim()).join('\n');
}

/** Returns texts and picture descriptions in the order shown; containers, sections and galleries are nested. */
function components(message: Fields): string {
  const lines: string[] = [];
  const waiting = inside(message);
  for (let seen = 0; seen < MAX_COMPONENTS; seen++) {
    const part = waiting.shift();
    if (!part) break;
    const line = (string(part, 'content') ?? string(part, 'description'))?.trim();
    if (line) lines.push(line);
    waiting.unshift(...inside(part));
  }
  return lines.join('\n');
}

function inside(part: Fields): Fields[] {
  const accessory = fields(part, 'accessory');
  const parts = [...list(part, 'components'), ...list(part, 'items'), ...(accessory ? [accessory] : [])];
  return parts.slice(0, MAX_COMPONENTS);
}
