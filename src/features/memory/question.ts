/** Asks whether to remember something: owners get buttons, others read that an owner is being asked. */

import { lines, type Messages, type Text, words } from '../../messages/messages.ts';
import { type ButtonAction, questionId } from '../../runtime/contract/buttons.ts';
import type { Entry } from '../../runtime/contract/entry.ts';
import type { Below } from '../../runtime/contract/feature.ts';
import type { Suggestion } from '../../runtime/contract/memory.ts';
import type { Answer } from '../../runtime/contract/outcome.ts';
import { spellInvisible } from '../../runtime/reply/show.ts';

/** The number of suggestions in one message; /memory shows the others. */
const MAX_ASKED = 5;

/**
 * Returns one row of buttons.
 * @param viber whose memory it is for, regardless of the conversation in which a button is pressed
 * @param n its number if a message has several
 */
export function suggestionButtons(
  suggestion: Suggestion,
  messages: Messages,
  viber: string,
  n?: number,
): ButtonAction[] {
  const of = (label: Text) => (n === undefined ? label : words(`${label} ${n}`));
  const name = `${viber}/${suggestion.id}`;
  const decides = questionId.suggestion(suggestion.id, viber);
  return [
    { label: of(messages.text('memory.accept')), command: 'memory', args: `accept ${name}`, decides, means: 'yes' },
    { label: of(messages.text('memory.edit')), command: 'memory', args: `edit ${name}`, decides },
    { label: of(messages.text('memory.reject')), command: 'memory', args: `reject ${name}`, decides, means: 'no' },
  ];
}

/** Quotes one suggestion: exactly what will be written, and where. */
export function shownSuggestion({ section, text, replaces }: Suggestion, messages: Messages, n?: number): Text {
  const number = n === undefined ? '' : `${n}. `;
  const asked =
    section === undefined
      ? messages.text('memory.mayI')
      : messages.text('memory.mayIOf', { section: shownMemory(section) });
  const old =
    replaces === undefined
      ? ''
      : `\n> ${messages.text('memory.inPlaceOf', { old: shownMemory(replaces) }).replaceAll('\n', '\n> ')}`;
  const shown = shownMemory(text).split('\n');
  if (shown.length === 1) return words(`> ${number}${asked} ${shown[0]}${old}`);
  return words(`${[`> ${number}${asked}`, ...shown].join('\n> ')}${old}`);
}

/** Shows the text as in the file: formatting marks are visible and have no effect, and a link can't hide its target. */
export const shownMemory = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line.startsWith('- ') ? `- ${codeSpan(line.slice(2))}` : codeSpan(line)))
    .join('\n');

function codeSpan(text: string): string {
  // Joiners and the emoji variation selector are parts of characters.
  const shown = text
    .split(/(\u200c|\u200d|\ufe0f)/)
    .map((part, i) => (i % 2 === 1 ? part : spellInvisible(part)))
    .join('');
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return longest === 0 ? `${marks}${shown}${marks}` : `${marks} ${shown} ${marks}`;
}

/** Numbers several suggestions. Each keeps its number across messages. */
function numbersOf(asked: readonly Suggestion[]): number[] {
  if (asked.length < 2) return [];
  const own = asked.flatMap(({ n }) => n ?? []);
  return new Set(own).size === asked.length ? own : asked.map((_suggestion, at) => at + 1);
}

export function askOwner(suggestions: readonly Suggestion[], messages: Messages, viber: string): Below {
  const asked = suggestions.slice(0, MAX_ASKED);
  const more = suggestions.length - asked.length;
  const numbers = numbersOf(asked);
  return {
    text: lines(
      ...asked.map((suggestion, at) => shownSuggestion(suggestion, messages, numbers[at])),
      ...(more > 0 ? [words(`> ${messages.text('memory.moreWait', { n: more })}`)] : []),
    ),
    buttons: asked.map((suggestion, at) => suggestionButtons(suggestion, messages, viber, numbers[at])),
  };
}

/** Returns a button that undoes one change of this viber's memory, or the last one. */
export const undoButton = (messages: Messages, viber: string, change = ''): ButtonAction[][] => [
  [{ label: messages.text('memory.undo'), command: 'memory', args: `undo ${viber}/${change}` }],
];

const tellOther = (count: number, messages: Messages): Text =>
  words(`> ${messages.text('memory.askingOwner', { n: count })}`);

export function belowAnswer(
  { principal, job, viber }: Entry,
  { asks = [] }: Answer,
  messages: Messages,
): Below | undefined {
  if (asks.length === 0 || job) return undefined;
  return principal.role === 'owner'
    ? askOwner(asks, messages, viber)
    : { text: tellOther(asks.length, messages), buttons: [] };
}
