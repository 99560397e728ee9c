/** What a message says without words: one line of text for each thing. https://discord.com/developers/docs/resources/message */
import { type Fields, fields, integer, list, oneLine, string } from '../../shared/read.ts';
import { hasFlag } from './read.ts';

const VOICE_MESSAGE = 1 << 13;

export function readFacts(message: Fields): string[] {
  const facts = [
    ...list(message, 'sticker_items').map((sticker) => `Sticker: ${words(sticker, 'name') || 'without a name'}`),
    ...poll(message),
    ...voice(message),
  ];
  return facts.slice(0, 20).map((fact) => oneLine(fact, 1000));
}

export function isVoice(message: Fields): boolean {
  return hasFlag(message, VOICE_MESSAGE);
}

function poll(message: Fields): string[] {
  const body = fields(message, 'poll');
  if (!body) return [];
  const answers = list(body, 'answers').slice(0, 30);
  const options = answers.map((answer) => media(fields(answer, 'poll_media')));
  const many = body.allow_multiselect === true ? ' (several may be chosen)' : '';
  return [`Poll: ${media(fields(body, 'question'))}${many} Options: ${options.join('; ')}`];
}

function media(part: Fields | undefined): string {
  if (!part) return '';
  const emoji = string(fields(part, 'emoji') ?? {}, 'name') ?? '';
  return `${emoji} ${words(part, 'text')}`.trim();
}

function voice(message: Fields): string[] {
  if (!isVoice(message)) return [];
  const [sound] = list(message, 'attachments');
  const seconds = sound?.duration_secs;
  const length = typeof seconds === 'number' && Number.isFinite(seconds) ? `, ${Math.round(seconds)} s` : '';
  return [`Voice message${length}`];
}

/** On one line; '' where there are none. */
export function words(body: Fields, key: string): string {
  const number = integer(body, key);
  return oneLine(string(body, key) ?? (number === undefined ? '' : String(number)));
}
