/**
 * Describes the content of a message that isn't text, one line per item.
 * https://discord.com/developers/docs/resources/message
 */

import { pollVotes } from '../../shared/poll.ts';
import { type Fields, fields, fieldsList, integer, string, tidyLine } from '../../shared/read.ts';
import { hasFlag } from './read.ts';

const VOICE_MESSAGE = 1 << 13;

export function readFacts(message: Fields): string[] {
  const facts = [
    ...fieldsList(message, 'sticker_items').map(
      (sticker) => `Sticker: ${fieldLine(sticker, 'name') || 'without a name'}`,
    ),
    ...poll(message),
    ...pollResult(message),
    ...voice(message),
  ];
  return facts.slice(0, 20).map((fact) => tidyLine(fact, 2000));
}

export function isVoice(message: Fields): boolean {
  return hasFlag(message, VOICE_MESSAGE);
}

function poll(message: Fields): string[] {
  const body = fields(message, 'poll');
  if (!body) return [];
  const answers = fieldsList(body, 'answers').slice(0, 30);
  const results = fields(body, 'results');
  const options = answers.map((answer) => media(fields(answer, 'poll_media')) + votesFor(answer, results));
  const many = body.allow_multiselect === true ? ' (several may be chosen)' : '';
  const closed = results?.is_finalized === true ? ' (closed)' : '';
  return [`Poll${closed}: ${media(fields(body, 'question'))}${many} Options: ${options.join('; ')}`];
}

/** Returns an answer's votes. Discord omits answers that nobody chose; without results the counts are unknown. */
function votesFor(answer: Fields, results: Fields | undefined): string {
  if (!results) return '';
  const answerId = integer(answer, 'answer_id');
  const counted = fieldsList(results, 'answer_counts').find((one) => integer(one, 'id') === answerId);
  return `: ${pollVotes((counted && integer(counted, 'count')) ?? 0)}`;
}

/** Reads Discord's own notice of a poll's end, which is an embed. */
function pollResult(message: Fields): string[] {
  const embed = fieldsList(message, 'embeds').find(({ type }) => type === 'poll_result');
  if (!embed) return [];
  const values = new Map(
    fieldsList(embed, 'fields').map((field) => [string(field, 'name') ?? '', fieldLine(field, 'value')]),
  );
  const total = values.get('total_votes') ?? '0';
  const winner = values.get('victor_answer_text');
  const won = winner ? `; most votes: ${winner} (${values.get('victor_answer_votes') ?? '?'})` : '';
  return [`Poll result: ${values.get('poll_question_text') ?? ''} ${total} votes in all${won}`];
}

function media(part: Fields | undefined): string {
  if (!part) return '';
  const emoji = string(fields(part, 'emoji') ?? {}, 'name') ?? '';
  return `${emoji} ${fieldLine(part, 'text')}`.trim();
}

function voice(message: Fields): string[] {
  if (!isVoice(message)) return [];
  const [sound] = fieldsList(message, 'attachments');
  const seconds = sound?.duration_secs;
  const length = typeof seconds === 'number' && Number.isFinite(seconds) ? `, ${Math.round(seconds)} s` : '';
  return [`Voice message${length}`];
}

/** Returns a field on one line; '' if it is missing. */
export function fieldLine(body: Fields, key: string): string {
  const number = integer(body, key);
  return tidyLine(string(body, key) ?? (number === undefined ? '' : String(number)));
}
