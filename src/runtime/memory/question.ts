/** The question whether something may be remembered: to an owner with buttons, to anybody else that an owner is asked. */
import type { Suggestion } from '../../workspace/memory/suggestions.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { visible } from '../reply/show.ts';

/** What stands in a chat at once; /memory shows the rest. */
const MAX_ASKED = 5;

export interface MemoryQuestion {
  /** Markdown. */
  text: string;
  buttons: ButtonAction[][];
}

/** How a suggestion is named in a command: with its viber where that is not the conversation's own. */
const nameOf = (suggestion: Suggestion, viber?: string): string =>
  viber === undefined ? suggestion.id : `${viber}/${suggestion.id}`;

/** One row. `viber`: whose memory it is for, where the place of the question does not tell. */
export const suggestionButtons = (suggestion: Suggestion, viber?: string): ButtonAction[] => [
  { label: 'Accept', command: 'memory', args: `accept ${nameOf(suggestion, viber)}` },
  { label: 'Edit', command: 'memory', args: `edit ${nameOf(suggestion, viber)}` },
  { label: 'Reject', command: 'memory', args: `reject ${nameOf(suggestion, viber)}` },
];

/** The words of one suggestion as a quotation: exactly what will be written, and where. */
export function shownSuggestion({ section, text }: Suggestion): string {
  const where = section === undefined ? '' : ` (${shownMemory(section)})`;
  const lines = shownMemory(text).split('\n');
  if (lines.length === 1) return `> May I remember this?${where} ${lines[0]}`;
  return [`> May I remember this?${where}`, ...lines].join('\n> ');
}

/** As it stands in the file: its marks are shown and mean nothing, a link does not hide where it leads. */
export const shownMemory = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line.startsWith('- ') ? `- ${codeSpan(line.slice(2))}` : codeSpan(line)))
    .join('\n');

function codeSpan(text: string): string {
  // Joiners and the emoji's selector are part of letters.
  const shown = text
    .split(/(\u200c|\u200d|\ufe0f)/)
    .map((part, i) => (i % 2 === 1 ? part : visible(part)))
    .join('');
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return longest === 0 ? `${marks}${shown}${marks}` : `${marks} ${shown} ${marks}`;
}

/** For an owner. */
export function askOwner(suggestions: readonly Suggestion[], viber?: string): MemoryQuestion {
  const asked = suggestions.slice(0, MAX_ASKED);
  const more = suggestions.length - asked.length;
  return {
    text: [...asked.map(shownSuggestion), ...(more > 0 ? [`> ${more} more wait behind these: /memory.`] : [])].join(
      '\n',
    ),
    buttons: asked.map((suggestion) => suggestionButtons(suggestion, viber)),
  };
}

/** For somebody who may not decide. */
export const tellOther = (count: number): string =>
  count === 1
    ? '> I will ask the owner whether I may remember something of this.'
    : `> I will ask the owner whether I may remember ${count} things of this.`;
