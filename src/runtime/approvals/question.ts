/** The words and buttons with which a person is asked: for consent to a call, about a plan, or what the model wants to know. */
import type { Json } from '../../workspace/types.ts';
import type { ApprovalRequest } from '../contract/approval.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { fenced, shownInput, visible } from '../reply/show.ts';
import type { AskUser } from '../tools/ask-user.ts';

export const CONSENT_MINUTES = 10;
export const QUESTION_MINUTES = 30;

export interface Question {
  /** Markdown. */
  text: string;
  /** What is too long for a message, whole: sent along as a file. */
  file?: { name: string; text: string };
  buttons: ButtonAction[][];
}

/** Characters and lines that are shown in the message itself. */
const MAX_INLINE = 1_200;
const MAX_LINES = 40;
const MAX_LABEL = 40;
const MAX_ROWS = 5;

/** The hidden command behind the buttons; its first argument is the request's id. */
export const APPROVE = 'approve';

const button = (label: string, id: string, verb: string): ButtonAction => ({
  label: label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…`.toWellFormed() : label,
  command: APPROVE,
  args: `${id} ${verb}`,
});

const isLong = (text: string): boolean => text.length > MAX_INLINE || text.split('\n').length > MAX_LINES;

/**
 * @param note What follows from it, in plain words.
 * @param script What will run with these arguments.
 * @param mayRepeat Whether people may let it run from now on without a question.
 */
export function askForConsent(
  { id, tool, input, scope }: ApprovalRequest,
  note = '',
  script = '',
  mayRepeat = true,
): Question {
  const shown = shownInput(input);
  const code = visible(script.trimEnd());
  const limits = `${note === '' ? '' : `${visible(note)}\n\n`}Only this runs, and once. Without an answer within ${CONSENT_MINUTES} minutes it does not.`;
  const buttons = [
    [button('Approve', id, 'yes'), button('Deny', id, 'no')],
    ...(mayRepeat ? [[button('Always for this task', id, 'always')]] : []),
  ];
  const what = `May I run \`${tool}\`${scope === '' ? '' : ` (${scope})`} with this?`;
  const parts = [fenced(shown, 'json'), ...(code === '' ? [] : [fenced(code, 'sh')])];
  if (!isLong(parts.join('\n'))) return { text: [what, ...parts, limits].join('\n\n'), buttons };
  const all = [tool, shown, ...(code === '' ? [] : ['', code])].join('\n');
  return {
    text: `${what}\n\n${isLong(shown) ? outline(input) : fenced(shown, 'json')}\n\nThe whole of it${code === '' ? '' : ', with the script,'} is in the attached file. ${limits}`,
    file: { name: `${tool}.txt`, text: `${all}\n` },
    buttons,
  };
}

/** One below the other; side by side when they are more than a platform takes as rows. */
function rowsOf(buttons: ButtonAction[]): ButtonAction[][] {
  const width = buttons.length > MAX_ROWS ? 2 : 1;
  return buttons.flatMap((_, at) => (at % width === 0 ? [buttons.slice(at, at + width)] : []));
}

/** The arguments' names and how long they are; short ones as they are. */
function outline(input: Json): string {
  const fields = typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  const lines = fields.slice(0, 12).map(([name, value]) => {
    const shown = shownInput(value);
    return `${visible(name).slice(0, 60)}: ${shown.length > 120 ? `${shown.length} characters` : shown.replaceAll('\n', ' ')}`;
  });
  return fenced(lines.join('\n') || `${shownInput(input).length} characters`);
}

export function askAboutPlan({ id }: ApprovalRequest, plan: string, file: string): Question {
  const shown = visible(plan.trim());
  const how = `Approve it, or write what should be different. You may also edit \`${file}\` and then approve: your plan counts.`;
  const buttons = [[button('Approve', id, 'yes'), button('Edit', id, 'edit'), button('Reject', id, 'no')]];
  if (!isLong(shown)) return { text: `This is my plan; nothing has been done yet.\n\n${shown}\n\n${how}`, buttons };
  return {
    text: `My plan is in the attached file; nothing has been done yet. ${how}`,
    file: { name: 'implementation_plan.md', text: plan },
    buttons,
  };
}

export function askPerson({ id }: ApprovalRequest, { question, options = [], recommended }: AskUser): Question {
  const marked = options.map((option, index) => {
    const plain = visible(option.trim());
    return index === recommended ? `${plain} (recommended)` : plain;
  });
  const list = marked.map((option, index) => `${index + 1}. ${option}`).join('\n');
  const preferred = recommended === undefined ? undefined : options[recommended];
  const how = options.length > 0 ? 'Press a button or answer in your own words.' : 'Answer in your own words.';
  const after =
    preferred === undefined
      ? 'I wait for it.'
      : `If I hear nothing within ${QUESTION_MINUTES} minutes, I go on with: ${visible(preferred.trim())}`;
  return {
    text: [visible(question.trim()), list, `${how} ${after}`].filter(Boolean).join('\n\n'),
    buttons: rowsOf(marked.map((option, index) => button(option, id, String(index + 1)))),
  };
}
