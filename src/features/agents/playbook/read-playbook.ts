/**
 * Playbooks: Markdown that says which agent does what, in which order.
 *
 *   # Playbook: <Name> / ## Goal (text)
 *   / ## Steps (`1. [Agent: Name] instruction`, `1. [Name] instruction`, `1. instruction`)
 *
 * Below a step, `- Constraint: ...` is a constraint; everything else there is part of its instruction. `<version>` is a
 * placeholder, `\<version>` isn't. Round trip: `parsePlaybook(formatPlaybook(playbook))` equals what was parsed before.
 */
import { UserError } from '../../../errors.ts';

export interface PlaybookStep {
  /** As written; absent for the viber itself. */
  agent?: string;
  /** One or more lines, without trailing space. */
  instruction: string;
  constraints: string[];
}

export interface Playbook {
  /** The title as people type it: a-z, 0-9 and -. */
  name: string;
  title: string;
  goal: string;
  steps: PlaybookStep[];
}

export const PLAYBOOK_LIMITS = { chars: 64 * 1024, steps: 50, text: 4_000, constraints: 10, value: 500, problems: 8 };

const TITLE = /^#[ \t]+playbook:[ \t]*(\S.*)$/i;
const SECTION = /^##[ \t]+(\S.*)$/;
const HEADING = /^#[ \t]+\S/;
const STEP = /^( {0,3})(\d{1,4}[.)][ \t]+)(\S.*)$/;
const AGENT = /^\[(?:agent:)?([^\][\n]*)\](?!\()[ \t]*(.*)$/i;
const AGENT_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]{0,62}[\p{L}\p{N}])?$/u;
const CONSTRAINT = /^[ \t]*[-*+][ \t]+constraint:[ \t]*(.*)$/i;
const FENCE = /^\s*(`{3,}|~{3,})/;
const PLACEHOLDER = /(\\)?<([a-z][a-z0-9_-]{0,31})>/g;

interface Draft {
  line: number;
  agent: string | undefined;
  /** The number of columns by which its text is indented. */
  width: number;
  lines: string[];
  constraints: string[];
  /** Whether a continuation line belongs to a constraint. */
  isInConstraint: boolean;
}

/** Returns the name for a title or file: lower case, words joined by `-`; '' if nothing is left. */
export const playbookName = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64);

/** @throws UserError that names every problem with its line */
export function parsePlaybook(text: string): Playbook {
  if (text.length > PLAYBOOK_LIMITS.chars) throw new UserError(`it is longer than ${PLAYBOOK_LIMITS.chars} characters`);
  const problems: string[] = [];
  const problem = (line: number, what: string) => void problems.push(`line ${line}: ${what}`);
  const goal: string[] = [];
  const drafts: Draft[] = [];
  let title: string | undefined;
  let section = '';
  let fence: { marks: string; line: number } | undefined;
  let indent: number | undefined;

  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const number = index + 1;
    const line = raw.replaceAll('\t', '    ').trimEnd();
    const inFence = fence !== undefined;
    const marks = FENCE.exec(line)?.[1];
    if (fence && marks?.startsWith(fence.marks) && line.trim() === marks) fence = undefined;
    else if (!fence && marks) fence = { marks, line: number };
    const isText = inFence || marks !== undefined;
    if (!isText && HEADING.test(line)) {
      const found = TITLE.exec(line)?.[1]?.trim();
      if (found === undefined || title !== undefined)
        problem(number, 'expected one title, such as "# Playbook: NAME"; other headings begin with ##');
      else title = found;
      section = '';
      continue;
    }
    const heading = isText ? undefined : SECTION.exec(line)?.[1];
    if (heading !== undefined) {
      section = heading.toLowerCase().replace(/[\s:#]+$/, '');
      continue;
    }
    if (section === 'goal') goal.push(line);
    if (section !== 'steps') continue;
    const [, spaces = '', marker = '', rest = ''] = (!isText && STEP.exec(line)) || [];
    if (marker !== '' && spaces.length <= (indent ?? 3)) {
      indent ??= spaces.length;
      drafts.push(begin(number, spaces.length + marker.length, rest, problem));
    } else if (line.trim() !== '' || isText || drafts.length > 0) {
      const draft = drafts.at(-1);
      if (draft) continueStep(draft, line, isText);
      else problem(number, 'expected a numbered step, such as "1. [Agent: NAME] what to do"');
    }
  }
  if (fence) problem(fence.line, 'the code block that begins here has no end');
  if (title === undefined) problem(1, 'expected the title "# Playbook: NAME"');
  if (title !== undefined && playbookName(title) === '') problem(1, 'its name needs a letter a-z or a digit');
  const words = goal.join('\n').trim();
  if (words === '') problem(1, 'expected a section "## Goal" with a sentence');
  if (drafts.length === 0) problem(1, 'expected a section "## Steps" with numbered steps');
  if (drafts.length > PLAYBOOK_LIMITS.steps)
    problem(drafts[PLAYBOOK_LIMITS.steps]?.line ?? 1, `at most ${PLAYBOOK_LIMITS.steps} steps`);
  const steps = drafts.map((draft) => finish(draft, problem));
  const long = [title ?? '', words, ...steps.flatMap((step) => [step.instruction, ...step.constraints])];
  if (long.some((part) => part.length > PLAYBOOK_LIMITS.text))
    problem(1, `title, goal, each instruction and each constraint may have at most ${PLAYBOOK_LIMITS.text} characters`);
  if (problems.length > 0) throw new UserError(problems.slice(0, PLAYBOOK_LIMITS.problems).join('; '));
  return { name: playbookName(title ?? ''), title: title ?? '', goal: words, steps };
}

type Report = (line: number, what: string) => void;

function begin(line: number, width: number, rest: string, problem: Report): Draft {
  const draft: Draft = { line, agent: undefined, width, lines: [], constraints: [], isInConstraint: false };
  const [whole, name, words = ''] = AGENT.exec(rest) ?? [];
  if (whole !== undefined) draft.agent = (name ?? '').trim();
  if (draft.agent !== undefined && !AGENT_NAME.test(draft.agent))
    problem(
      line,
      `[${draft.agent.slice(0, 40)}] isn't the name of an agent: letters, digits, space, . _ - (at most 64)`,
    );
  // An escaped bracket begins a step without an agent.
  draft.lines.push(whole === undefined ? rest.replace(/^\\(\\*\[)/, '$1') : words);
  return draft;
}

function continueStep(draft: Draft, line: string, isText: boolean): void {
  const constraint = isText ? undefined : CONSTRAINT.exec(line)?.[1];
  if (constraint !== undefined) {
    draft.constraints.push(constraint.trim());
    draft.isInConstraint = true;
    return;
  }
  // A constraint continues on the next lines, up to an empty one or another bullet.
  if (draft.isInConstraint && !isText && line.trim() !== '' && !/^\s*(?:[-*+]|\d+[.)])\s/.test(line)) {
    draft.constraints.push(`${draft.constraints.pop() ?? ''} ${line.trim()}`.trim());
    return;
  }
  draft.isInConstraint = false;
  const lead = line.length - line.trimStart().length;
  draft.lines.push(line.slice(Math.min(lead, draft.width)));
}

function finish({ line, agent, lines, constraints }: Draft, problem: Report): PlaybookStep {
  const instruction = lines.join('\n').trim();
  if (instruction === '') problem(line, 'this step has no instruction');
  if (constraints.includes('')) problem(line, 'a constraint of this step is empty');
  if (constraints.length > PLAYBOOK_LIMITS.constraints)
    problem(line, `at most ${PLAYBOOK_LIMITS.constraints} constraints per step`);
  return { ...(agent === undefined ? {} : { agent }), instruction, constraints };
}

/** Formats a playbook as Markdown, in the long form. */
export function formatPlaybook({ title, goal, steps }: Omit<Playbook, 'name'>): string {
  const blocks = steps.flatMap(({ agent, instruction, constraints }, index) => {
    const marker = `${index + 1}. `;
    const pad = ' '.repeat(marker.length);
    const [first = '', ...more] = instruction.split('\n');
    const words = agent === undefined ? first.replace(/^(\\*\[)/, '\\$1') : first;
    return [
      `${marker}${agent === undefined ? '' : `[Agent: ${agent}] `}${words}`.trimEnd(),
      ...more.map((line) => (line === '' ? '' : `${pad}${line}`)),
      ...constraints.map((constraint) => `${pad}- Constraint: ${constraint}`),
    ];
  });
  return `# Playbook: ${title}\n\n## Goal\n${goal}\n\n## Steps\n${blocks.join('\n')}\n`;
}

const textsOf = ({ goal, steps }: Playbook): string[] => [
  goal,
  ...steps.flatMap(({ instruction, constraints }) => [instruction, ...constraints]),
];

/** Returns the names of its placeholders, in order of first appearance. */
export function placeholdersOf(playbook: Playbook): string[] {
  const found = textsOf(playbook).flatMap((text) => [...text.matchAll(PLACEHOLDER)]);
  return [...new Set(found.flatMap(([, escaped, name = '']) => (escaped === undefined ? [name] : [])))];
}

/**
 * Fills the placeholders of a playbook. Values are single lines and change only the text around them.
 * @throws UserError for a value that is missing, too long, or would change the playbook's structure
 */
export function fillPlaybook(playbook: Playbook, values: ReadonlyMap<string, string>): Playbook {
  const missing = placeholdersOf(playbook).filter((name) => !values.has(name));
  if (missing.length > 0) throw new UserError(`It needs ${missing.join(', ')}.`);
  for (const [name, value] of values)
    if (value.trim() === '' || value.length > PLAYBOOK_LIMITS.value || /[\p{Cc}\u2028\u2029]/u.test(value))
      throw new UserError(`The value of ${name} must be one line of at most ${PLAYBOOK_LIMITS.value} characters.`);
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (whole, escaped, name) =>
      escaped === undefined ? (values.get(name) ?? '').trim() : whole.slice(1),
    );
  const filled: Playbook = {
    ...playbook,
    goal: fill(playbook.goal),
    steps: playbook.steps.map((step) => ({
      ...step,
      instruction: fill(step.instruction),
      constraints: step.constraints.map(fill),
    })),
  };
  if (!survivesFormatting(filled))
    throw new UserError('One of the values cannot be used there: put it in other words.');
  return filled;
}

/** Returns whether formatting and parsing it gives the same playbook. */
export function survivesFormatting(playbook: Playbook): boolean {
  try {
    return JSON.stringify(parsePlaybook(formatPlaybook(playbook))) === JSON.stringify(playbook);
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
