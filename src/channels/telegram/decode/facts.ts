/** Describes the content of a message that isn't text, one line per item. https://core.telegram.org/bots/api#message */
import { pollVotes } from '../../shared/poll.ts';
import { decimal, type Fields, fields, integer, list, oneLine, string } from '../../shared/read.ts';

/** A checklist has up to 30 items of 100 characters, and a poll 12 options of as many. */
const MAX_FACT = 5000;

type Describe = (body: Fields) => string | undefined;

/** Message fields and their descriptions. A venue is also under `location`, hence the order. */
const FACTS = new Map<string, Describe>([
  [
    'venue',
    (body) => `Venue: ${words(body, 'title')}, ${words(body, 'address')}${suffix(point(fields(body, 'location')))}`,
  ],
  ['location', location],
  ['contact', (body) => `Contact: ${personName(body)}, ${words(body, 'phone_number')}`],
  ['poll', poll],
  ['dice', (body) => `Dice ${words(body, 'emoji')}: ${integer(body, 'value') ?? '?'}`],
  ['sticker', (body) => `Sticker: ${words(body, 'emoji') || 'no emoji'}`],
  ['checklist', checklist],
  ['story', (body) => `Story of ${chatName(fields(body, 'chat') ?? {})}`],
  ['game', (body) => `Game: ${words(body, 'title')}`],
  ['invoice', invoice],
  ['giveaway', (body) => `Giveaway: ${prizeOf(body)}, ${integer(body, 'winner_count') ?? '?'} winners`],
  ['giveaway_winners', (body) => `Giveaway: ${prizeOf(body)}, won by ${each(body, 'winners', personName)}`],
  ['paid_media', (body) => `Paid media, ${integer(body, 'star_count') ?? '?'} Stars; bots cannot open it`],
]);

export function readFacts(message: Fields): string[] {
  const facts: string[] = [];
  for (const [key, describe] of FACTS) {
    const body = fields(message, key);
    if (!body || (key === 'location' && message.venue !== undefined)) continue;
    const fact = describe(body);
    if (fact !== undefined) facts.push(oneLine(fact, MAX_FACT));
  }
  return facts;
}

/** Returns the person's own first and last name; for display only. */
export function personName(user: Fields): string {
  const full = oneLine(`${string(user, 'first_name') ?? ''} ${string(user, 'last_name') ?? ''}`, 100);
  return full || oneLine(string(user, 'username') ?? '', 100) || String(integer(user, 'id') ?? 'unknown');
}

export function chatName(chat: Fields): string {
  return oneLine(string(chat, 'title') ?? '', 100) || personName(chat);
}

function words(body: Fields, key: string): string {
  return oneLine(string(body, key) ?? '');
}

function each(body: Fields, key: string, describe: (item: Fields) => string): string {
  return list(body, key).slice(0, 30).map(describe).join('; ');
}

/** Describes a poll. The counts are as of the update; before the first vote they are omitted. */
function poll(body: Fields): string {
  const total = integer(body, 'total_voter_count') ?? 0;
  const state = [total > 0 ? pollVotes(total) : '', body.is_closed === true ? 'closed' : ''].filter(Boolean);
  const told = state.length > 0 ? ` (${state.join(', ')})` : '';
  const right = Array.isArray(body.correct_option_ids) ? body.correct_option_ids : [body.correct_option_id];
  const options = list(body, 'options')
    .slice(0, 30)
    .map((one, at) => pollOption(one, total > 0) + (right.includes(at) ? ' (correct)' : ''));
  return `Poll${told}: ${words(body, 'question')} Options: ${options.join('; ')}`;
}

function pollOption(option: Fields, isCounted: boolean): string {
  const votes = integer(option, 'voter_count');
  return words(option, 'text') + (isCounted && votes !== undefined ? `: ${pollVotes(votes)}` : '');
}

function checklist(body: Fields): string {
  return `Checklist: ${words(body, 'title')}: ${each(body, 'tasks', checklistTask)}`;
}

function checklistTask(task: Fields): string {
  return `[${(integer(task, 'completion_date') ?? 0) > 0 ? 'x' : ' '}] ${words(task, 'text')}`;
}

/** Returns the checklist item or poll option that a message replies to. */
export function answeredItem(message: Fields, answered: Fields): string | undefined {
  const taskId = integer(message, 'reply_to_checklist_task_id');
  const task = list(fields(answered, 'checklist') ?? {}, 'tasks').find((one) => integer(one, 'id') === taskId);
  if (task) return checklistTask(task);
  const optionId = string(message, 'reply_to_poll_option_id');
  const options = list(fields(answered, 'poll') ?? {}, 'options');
  const option = options.find((one) => optionId !== undefined && string(one, 'persistent_id') === optionId);
  return option && pollOption(option, true);
}

/** The amount is a whole number of the currency's smallest unit. */
function invoice(body: Fields): string {
  const amount = `${integer(body, 'total_amount') ?? '?'} of the smallest unit of ${words(body, 'currency')}`;
  return `Invoice: ${words(body, 'title')}, ${words(body, 'description')}, ${amount}`;
}

const prizeOf = (body: Fields): string => {
  const stars = integer(body, 'prize_star_count');
  return words(body, 'prize_description') || (stars === undefined ? 'Telegram Premium' : `${stars} Stars`);
};

function location(body: Fields): string | undefined {
  const at = point(body);
  if (at === undefined) return undefined;
  return `${integer(body, 'live_period') === undefined ? 'Location' : 'Live location'}: ${at}`;
}

function point(body: Fields | undefined): string | undefined {
  const latitude = body && decimal(body, 'latitude');
  const longitude = body && decimal(body, 'longitude');
  return latitude === undefined || longitude === undefined ? undefined : `${latitude}, ${longitude}`;
}

function suffix(at: string | undefined): string {
  return at === undefined ? '' : ` (${at})`;
}
