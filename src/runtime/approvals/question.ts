/** The texts and buttons of questions to people. */
import { lines, type Messages, sentences, type Text, words } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import { type ApprovalRequest, type ConsentLabels, kindsOf } from '../contract/approval.ts';
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

export const consentMinutes = (tool: string): number => (isJob(tool) ? JOB_MINUTES : CONSENT_MINUTES);

const isJob = (tool: string): boolean => tool.endsWith('_scheduled_job');

/** Such as `10 minutes` or `12 hours`. */
export function openFor(tool: string, messages: Messages): Text {
  const minutes = consentMinutes(tool);
  const isHours = minutes % 60 === 0;
  return messages.text(isHours ? 'failures.hours' : 'failures.minutes', { n: isHours ? minutes / 60 : minutes });
}

export interface Question {
  text: string;
  /** Folded or behind a button. Markdown. */
  details?: string;
  /** The whole text, if it is too long for a message. */
  file?: { name: string; text: string };
  buttons: ButtonAction[][];
  labels?: ConsentLabels;
}

const MAX_INLINE = 1_200;
const MAX_LINES = 40;
const MAX_LABEL = 40;
const MAX_ROWS = 5;

/** Its first argument is the request's ID. */
export const APPROVE = 'approve';

const consentButton = (label: Text, id: string, verb: string): ButtonAction => ({
  label: labelText(label),
  command: APPROVE,
  args: `${id} ${verb}`,
  decides: questionId.approval(id),
  ...((verb === 'yes' || verb === 'no') && { means: verb }),
});

const isLong = (text: string): boolean => text.length > MAX_INLINE || text.split('\n').length > MAX_LINES;

export interface Consenting {
  messages: Messages;
  /** Absent: the tool's name and the fields. */
  sentence?: Sentence | undefined;
  note?: string;
  script?: string;
  /** People may let it run without a question from now on. */
  mayRepeat?: boolean;
}

/** A label in full would take the other buttons' place. */
const labelText = (label: Text): Text =>
  label.length > MAX_LABEL ? words(`${label.slice(0, MAX_LABEL - 1)}…`.toWellFormed()) : label;

export const detailsButton = (id: string, messages: Messages): ButtonAction =>
  consentButton(messages.text('consent.details'), id, 'details');

export function askForConsent(request: ApprovalRequest, asking: Consenting): Question {
  const { id, tool, input, more = [], wide } = request;
  const { messages, note = '', script = '' } = asking;
  const kinds = kindsOf(request);
  const mayRepeat = asking.mayRepeat !== false && kinds.length > 0;
  const sentence = asking.sentence ?? fallback(tool, input, messages);
  const code = spellInvisible(script.trimEnd());
  const limits = messages.text(isJob(tool) ? 'consent.limitsJob' : 'consent.limits', { time: openFor(tool, messages) });
  const covered = kinds.filter(Boolean).map((kind) => coveredText({ tool, kind }, messages, plainValue));
  const covers =
    mayRepeat && covered.length > 0 ? messages.text('consent.covers', { what: messages.list(covered) }) : '';
  const notes = [spellInvisible(note), sentence.note ?? '', covers].filter(Boolean);
  const inputs = [input, ...more.map((call) => call.input)];
  const fields = inputs.map(wholeFields).join('\n\n');
  const parts = [fields, ...(code === '' ? [] : [fenced(code, 'sh')]), ...notes].filter(Boolean);
  const labels = {
    yes: sentence.yes ?? messages.text('common.yes'),
    no: sentence.no ?? messages.text('common.no'),
    ...(mayRepeat && { always: sentence.always ?? messages.text('consent.always') }),
    ...(wide && sentence.all !== undefined && { all: sentence.all }),
  };
  const buttons = [
    [
      consentButton(labels.yes, id, 'yes'),
      ...(sentence.asksWhen ? [consentButton(messages.text('consent.anotherTime'), id, 'when')] : []),
      consentButton(labels.no, id, 'no'),
    ],
    ...(labels.always === undefined ? [] : [[consentButton(labels.always, id, 'always')]]),
    ...(labels.all === undefined ? [] : [[consentButton(labels.all, id, 'all')]]),
  ];
  const common = { text: sentence.text, buttons, ...(sentence.no !== undefined && { labels }) };
  if (!isLong(parts.join('\n'))) return { ...common, details: [...parts, limits].join('\n\n') };
  const whole = inputs.flatMap((one) => argumentFields(one).map(([name, value]) => `${name}:\n${indented(value)}`));
  const all = [note, ...whole, script].filter(Boolean);
  const short = [...inputs.map((one) => fieldList(one)), ...notes].filter(Boolean);
  return {
    ...common,
    details: [...short, messages.text('consent.inFile'), limits].join('\n\n'),
    file: { name: 'details.txt', text: `${spellInvisible(all.join('\n\n'))}\n` },
  };
}

/** Phrases a tool without a sentence of its own. */
function fallback(tool: string, input: Json, messages: Messages): Sentence {
  const name = phrasingIn(messages).plain(tool.replace(/[_-]+/g, ' '), 80);
  const list = fieldList(input);
  const text = messages.text('consent.useTool', { tool: name });
  return { text: list === '' ? text : lines(text, '', words(list)) };
}

/** Formats fields so that text in one can't imitate another. */
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

/** A platform couldn't show many rows. */
function stackButtons(buttons: ButtonAction[]): ButtonAction[][] {
  const width = buttons.length > MAX_ROWS ? 2 : 1;
  return buttons.flatMap((_, at) => (at % width === 0 ? [buttons.slice(at, at + width)] : []));
}

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

/** The tool's sentence and note for these arguments, and what it will run. */
export function consentWords(
  tool: RuntimeTool,
  { input, more = [] }: ApprovalRequest,
  messages: Messages,
): Omit<Consenting, 'messages'> {
  const parsed = tool.input.safeParse(input);
  const mayRepeat = tool.consent !== 'each';
  if (!parsed.success) return { mayRepeat };
  const others = more.flatMap((call) => tool.input.safeParse(call.input).data ?? []);
  if (others.length > 0)
    return { mayRepeat, sentence: tool.asksTogether?.([parsed.data, ...others], phrasingIn(messages)) };
  return {
    mayRepeat,
    note: tool.noteFor?.(parsed.data, messages) ?? '',
    script: tool.codeFor?.(parsed.data) ?? '',
    sentence: tool.asks?.(parsed.data, phrasingIn(messages)),
  };
}

export function scopeOf(tool: RuntimeTool, input: Json): string {
  const parsed = tool.input.safeParse(input);
  return parsed.success ? callKind(tool, parsed.data) : '';
}
