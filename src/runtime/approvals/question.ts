/** The texts and buttons of questions to people: for consent to a call, about a plan, or a question of the model. */
import type { BareAnswer } from '../../messages/bare-answers.ts';
import { lines, type Messages, sentences, type Text, words } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import type { ApprovalRequest } from '../contract/approval.ts';
import { type ButtonAction, questionId } from '../contract/buttons.ts';
import type { Sentence } from '../contract/sentence.ts';
import { callKind, type RuntimeTool } from '../contract/task.ts';
import { fenced, spellInvisible } from '../reply/show.ts';
import type { AskUser } from '../tools/ask-user.ts';
import { coveredText } from './covers.ts';
import { argumentFields, fieldList, isSimple, phrasingIn, plainValue } from './phrasing.ts';

const CONSENT_MINUTES = 10;
/** Reminders get longer, because the person may be away when they are asked. */
const JOB_MINUTES = 12 * 60;
export const QUESTION_MINUTES = 30;

/** Returns how long a question about a call of this tool stays open. */
export const consentMinutes = (tool: string): number => (isJob(tool) ? JOB_MINUTES : CONSENT_MINUTES);

const isJob = (tool: string): boolean => tool.endsWith('_scheduled_job');

/** Formats the time as `10 minutes` or `12 hours`. */
export function openFor(tool: string, messages: Messages): Text {
  const minutes = consentMinutes(tool);
  const isHours = minutes % 60 === 0;
  return messages.text(isHours ? 'failures.hours' : 'failures.minutes', { n: isHours ? minutes / 60 : minutes });
}

export interface Question {
  /** Markdown. */
  text: string;
  /** Full details, folded or behind a button. Markdown. */
  details?: string;
  /** The complete text, sent as a file if it is too long for a message. */
  file?: { name: string; text: string };
  buttons: ButtonAction[][];
}

/** Limits for text in the message itself, in characters and lines. */
const MAX_INLINE = 1_200;
const MAX_LINES = 40;
const MAX_LABEL = 40;
const MAX_ROWS = 5;

/** The hidden command behind the buttons; its first argument is the request's ID. */
export const APPROVE = 'approve';

const MEANS: Readonly<Record<string, BareAnswer>> = { yes: 'yes', no: 'no' };

const consentButton = (label: Text, id: string, verb: string): ButtonAction => ({
  label: label.length > MAX_LABEL ? words(`${label.slice(0, MAX_LABEL - 1)}…`.toWellFormed()) : label,
  command: APPROVE,
  args: `${id} ${verb}`,
  decides: questionId.approval(id),
  ...(MEANS[verb] && { means: MEANS[verb] }),
});

const isLong = (text: string): boolean => text.length > MAX_INLINE || text.split('\n').length > MAX_LINES;

export interface Consenting {
  messages: Messages;
  /** The tool's own sentence; absent: its name and the fields. */
  sentence?: Sentence | undefined;
  /** The consequences of the call, in plain words. */
  note?: string;
  script?: string;
  /** Whether people may let it run without a question from now on. */
  mayRepeat?: boolean;
}

export const detailsButton = (id: string, messages: Messages): ButtonAction =>
  consentButton(messages.text('consent.details'), id, 'details');

export function askForConsent({ id, tool, input, scope }: ApprovalRequest, asking: Consenting): Question {
  const { messages, note = '', script = '', mayRepeat = true } = asking;
  const sentence = asking.sentence ?? fallback(tool, input, messages);
  const code = spellInvisible(script.trimEnd());
  const limits = messages.text(isJob(tool) ? 'consent.limitsJob' : 'consent.limits', { time: openFor(tool, messages) });
  const covers =
    mayRepeat && scope !== ''
      ? messages.text('consent.covers', { what: coveredText({ tool, kind: scope }, messages, plainValue) })
      : '';
  const notes = [spellInvisible(note), covers].filter(Boolean);
  const parts = [wholeFields(input), ...(code === '' ? [] : [fenced(code, 'sh')]), ...notes].filter(Boolean);
  const buttons = [
    [
      consentButton(sentence.yes ?? messages.text('common.yes'), id, 'yes'),
      ...(sentence.asksWhen ? [consentButton(messages.text('consent.anotherTime'), id, 'when')] : []),
      consentButton(messages.text('common.no'), id, 'no'),
    ],
    ...(mayRepeat ? [[consentButton(messages.text('consent.always'), id, 'always')]] : []),
  ];
  if (!isLong(parts.join('\n'))) return { text: sentence.text, details: [...parts, limits].join('\n\n'), buttons };
  const all = [note, ...argumentFields(input).map(([name, value]) => `${name}:\n${indented(value)}`), script].filter(
    Boolean,
  );
  const short = [fieldList(input), ...notes].filter(Boolean);
  return {
    text: sentence.text,
    details: [...short, messages.text('consent.inFile'), limits].join('\n\n'),
    file: { name: 'details.txt', text: `${spellInvisible(all.join('\n\n'))}\n` },
    buttons,
  };
}

/** Phrases a tool without a sentence of its own: its name, and its arguments below. */
function fallback(tool: string, input: Json, messages: Messages): Sentence {
  const name = phrasingIn(messages).plain(tool.replace(/[_-]+/g, ' '), 80);
  const list = fieldList(input);
  const text = messages.text('consent.useTool', { tool: name });
  return { text: list === '' ? text : lines(text, '', words(list)) };
}

/** Formats each field with its whole value, so that nothing in one can pass for another. */
function wholeFields(input: Json): string {
  return argumentFields(input)
    .map(([name, value]) =>
      isSimple(value)
        ? `- ${plainValue(name, 60)}: ${plainValue(value)}`
        : `- ${plainValue(name, 60)}:\n${indented(fenced(spellInvisible(value)))}`,
    )
    .join('\n');
}

const indented = (text: string): string => text.replace(/^/gm, '  ');

/** Stacks the buttons; puts two in a row if a platform couldn't show that many rows. */
function stackButtons(buttons: ButtonAction[]): ButtonAction[][] {
  const width = buttons.length > MAX_ROWS ? 2 : 1;
  return buttons.flatMap((_, at) => (at % width === 0 ? [buttons.slice(at, at + width)] : []));
}

/** Headings and placeholders of the template, which are removed to show only the plan's own words. */
const TEMPLATE = /^(?:#{1,2} (?:Current Task|Goal|Plan|Context|Blockers)|None currently)[ \t]*$/gim;

const withoutTemplate = (plan: string): string =>
  plan
    .replace(TEMPLATE, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

export function askAboutPlan({ id }: ApprovalRequest, plan: string, messages: Messages): Question {
  const shown = spellInvisible(withoutTemplate(plan));
  const how = messages.text('questions.planHow');
  const buttons = [
    [
      consentButton(messages.text('questions.approve'), id, 'yes'),
      consentButton(messages.text('questions.edit'), id, 'edit'),
      consentButton(messages.text('questions.reject'), id, 'no'),
    ],
  ];
  if (!isLong(shown)) return { text: lines(messages.text('questions.plan'), '', words(shown), '', how), buttons };
  return {
    text: sentences(messages.text('questions.planInFile'), how),
    file: { name: 'implementation_plan.md', text: plan },
    buttons,
  };
}

export function askPerson(
  { id }: ApprovalRequest,
  { question, options = [], recommended }: AskUser,
  messages: Messages,
): Question {
  const marked = options.map((given, index) => {
    const option = words(spellInvisible(given.trim()));
    return index === recommended ? messages.text('questions.recommended', { option }) : option;
  });
  const list = marked.map((option, index) => `${index + 1}. ${option}`).join('\n');
  const preferred = recommended === undefined ? undefined : options[recommended];
  const how = messages.text(options.length > 0 ? 'questions.pressOrWrite' : 'questions.write');
  const answer = spellInvisible((preferred ?? '').trim());
  const after =
    preferred === undefined
      ? messages.text('questions.wait')
      : messages.text('questions.otherwise', { minutes: QUESTION_MINUTES, answer });
  return {
    text: words([spellInvisible(question.trim()), list, sentences(how, after)].filter(Boolean).join('\n\n')),
    buttons: stackButtons(marked.map((option, index) => consentButton(option, id, String(index + 1)))),
  };
}

/** Returns the tool's own sentence and note for these arguments, and what it will run. */
export function consentWords(tool: RuntimeTool, input: Json, messages: Messages): Omit<Consenting, 'messages'> {
  const parsed = tool.input.safeParse(input);
  const mayRepeat = tool.consent !== 'each';
  if (!parsed.success) return { mayRepeat };
  return {
    mayRepeat,
    note: tool.noteFor?.(parsed.data, messages) ?? '',
    script: tool.codeFor?.(parsed.data) ?? '',
    sentence: tool.asks?.(parsed.data, phrasingIn(messages)),
  };
}

/** Returns the kind of call that a permanent consent covers. */
export function scopeOf(tool: RuntimeTool, input: Json): string {
  const parsed = tool.input.safeParse(input);
  return parsed.success ? callKind(tool, parsed.data) : '';
}
