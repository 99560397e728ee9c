/**
 * Converts plans to Markdown and back. The layout of `task.md`:
 *
 *   # Current Task / ## Goal (text) / ## Plan (`- [x] done`, `- [ ] pending`, `- [ ] now (in progress)`,
 *   `- [-] skipped`) / ## Context / ## Blockers
 *
 * A step's ID is its position, from "1", which people use ("tick step 2"). `parsePlan(formatPlan(plan))` equals the
 * plan if its IDs are positions and its texts are trimmed single lines. A title that ends with "(in progress)", or a
 * line of the goal that looks like a heading, is escaped with a backslash.
 */
import type { Plan, PlanStep, StepStatus } from '../types.ts';
import { codeIn, withoutCode } from './plan-code.ts';

interface Section {
  level: number;
  /** Lower case; '' for the text before the first heading. */
  name: string;
  lines: string[];
}

const KNOWN = new Set(['goal', 'plan', 'steps', 'context', 'blockers']);
const HEADING = /^(#{1,6})[ \t]+(\S.*)$/s;
/** Also matches without the spaces: `- []`, `-[x] words`, `- [x]words`, which isn't a link. */
const STEP = /^([ \t]*(?:[-*+•–]|\d{1,9}[.)])[ \t]*)\[[ \t]?([xX~/>✓✔-]?)[ \t]?\](?![([:])[ \t]*(.*)$/s;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/s;
const MARK = '(in progress)';
const BOX: Readonly<Record<StepStatus, string>> = { pending: ' ', in_progress: ' ', done: 'x', skipped: '-' };
const isPlan = (section: Section) => section.name === 'plan' || section.name === 'steps';
const isGoal = (section: Section) => section.name === 'goal';

/** Reads any Markdown by a person or a model. */
export function parsePlan(markdown: string): Plan {
  const sections = split(markdown);
  const section = sections.find(isPlan);
  const goal = sections.find(isGoal);
  const read = section ? [section] : sections.filter((s) => !isGoal(s));
  const lines = read.flatMap((s) => withoutCode(s.lines));
  const checked = lines.flatMap(toStep);
  // A model may write a plain list under the heading.
  const steps = checked.length > 0 || !section ? checked : lines.flatMap(toPlainStep);
  return {
    goal: goal ? trimLines(goal.lines).map(unescapeHeading).join('\n').trim() : guessGoal(sections),
    steps: steps.map((step, index) => ({ id: String(index + 1), ...step })),
  };
}

/**
 * Keeps everything of `previous` that the plan doesn't cover: the order of sections, unknown ones, and notes under a
 * step whose title stays.
 */
export function formatPlan(plan: Plan, previous?: string): string {
  const old = previous === undefined ? [] : split(previous);
  const goal = ['## Goal', ...cleanGoal(plan.goal)];
  const steps = ['## Plan', ...formatSteps(plan.steps, old.find(isPlan)?.lines ?? [])];
  const blocks: string[][] = [];
  const hasSection = old.some(isPlan);
  let hasGoal = false;
  let hasPlan = false;
  for (const section of old) {
    if (isGoal(section) && !hasGoal) {
      blocks.push(goal);
      hasGoal = true;
    } else if (isPlan(section) && !hasPlan) {
      blocks.push(steps);
      hasPlan = true;
    } else {
      // Steps outside a plan section have moved into it.
      blocks.push(hasSection ? section.lines : withoutSteps(section.lines));
    }
  }
  const missing = [...(hasGoal ? [] : [goal]), ...(hasPlan ? [] : [steps])];
  const firstNamed = old.findIndex((section) => section.name !== '' && section.level > 1);
  blocks.splice(firstNamed === -1 ? blocks.length : firstNamed, 0, ...missing);
  if (previous === undefined || previous.trim() === '') {
    blocks.unshift(['# Current Task']);
    blocks.push(['## Context'], ['## Blockers', 'None currently']);
  }
  const texts = blocks.map((lines) => lines.join('\n').trim()).filter((text) => text !== '');
  return `${texts.join('\n\n')}\n`;
}

export const isToDo = ({ status }: PlanStep): boolean => status === 'pending' || status === 'in_progress';

/** Skipped steps don't count. */
export function planProgress({ steps }: Plan): { done: number; total: number } {
  const done = steps.filter((step) => step.status === 'done').length;
  return { done, total: done + steps.filter(isToDo).length };
}

/** `n` counts like `planProgress`. */
export function stepAtWork({ steps }: Plan): { n: number; title: string } | undefined {
  const counted = steps.filter((step) => step.status === 'done' || isToDo(step));
  const at = counted.findIndex((step) => step.status === 'in_progress');
  const step = counted[at];
  return step && { n: at + 1, title: step.title };
}

export const nextStep = ({ steps }: Plan): PlanStep | undefined =>
  steps.find((step) => step.status === 'in_progress') ?? steps.find(isToDo);

export function planNotes(markdown: string): { name: string; text: string }[] {
  return split(markdown)
    .filter((section) => section.level > 1 && !isGoal(section) && !isPlan(section))
    .map(({ lines }) => ({ name: (lines[0] ?? '').replace(/^#+\s+/, ''), text: trimLines(lines).join('\n') }))
    .filter(({ text }) => text.trim() !== '' && !/^none(?: currently)?[.]?$/i.test(text.trim()));
}

function withoutSteps(lines: readonly string[]): string[] {
  const plain = withoutCode(lines);
  return lines.filter((_line, at) => !STEP.test(plain[at] ?? ''));
}

/** Splits into sections: at every heading of level 1 or 2, and at a known name on any level. */
function split(markdown: string): Section[] {
  const sections: Section[] = [{ level: 0, name: '', lines: [] }];
  const lines = markdown.replace(/^\uFEFF/, '').split(/\r?\n/);
  const plain = withoutCode(lines);
  for (const [at, line] of lines.entries()) {
    const [, marks = '', rest = ''] = (line.startsWith('#') && HEADING.exec(plain[at] ?? '')) || [];
    const name = marks === '' ? '' : headingName(rest);
    if (marks !== '' && (marks.length <= 2 || KNOWN.has(name)))
      sections.push({ level: marks.length, name, lines: [line] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function headingName(text: string): string {
  let name = text.slice(0, 100).trim().toLowerCase();
  while (name.endsWith('#') || name.endsWith(':')) name = name.slice(0, -1).trimEnd();
  return name;
}

type StepText = Omit<PlanStep, 'id'>;

function toStep(line: string): StepText[] {
  const { title, status } = readStep(line) ?? {};
  return title === undefined || status === undefined ? [] : [{ title, status }];
}

/** `bullet` stands before the box. */
export function readStep(line: string): (StepText & { bullet: string }) | undefined {
  const [, bullet, box, text = ''] = STEP.exec(line) ?? [];
  if (bullet === undefined || box === undefined) return undefined;
  const { title, marked } = readTitle(text);
  return title === '' ? undefined : { bullet, title, status: statusOf(box || ' ', marked) };
}

export const stepLine = ({ bullet, title, status }: StepText & { bullet: string }): string =>
  `${bullet}[${BOX[status]}] ${writeTitle(title)}${status === 'in_progress' ? ` ${MARK}` : ''}`;

function statusOf(box: string, isMarked: boolean): StepStatus {
  if (/^[xX✓✔]$/.test(box)) return 'done';
  if (box === '-') return 'skipped';
  return isMarked || box !== ' ' ? 'in_progress' : 'pending';
}

function toPlainStep(line: string): StepText[] {
  const [, text] = LIST_ITEM.exec(line) ?? [];
  if (text === undefined) return [];
  const { title, marked } = readTitle(text);
  const status: StepStatus = marked ? 'in_progress' : 'pending';
  return title === '' ? [] : [{ title, status }];
}

/** Returns -1 without a mark. */
function markIndex(text: string): number {
  const at = text.length - MARK.length;
  return at >= 0 && text.slice(at).toLowerCase() === MARK ? at : -1;
}

function readTitle(written: string): { title: string; marked: boolean } {
  const text = written.trim();
  const at = markIndex(text);
  const before = text.charAt(at - 1);
  if (at > 0 && before === '\\') return { title: text.slice(0, at - 1) + text.slice(at), marked: false };
  if (at === -1 || before.trim() !== '') return { title: text, marked: false };
  return { title: unescapeMark(text.slice(0, at).trim()), marked: true };
}

function unescapeMark(text: string): string {
  const at = markIndex(text);
  return at > 0 && text.charAt(at - 1) === '\\' ? text.slice(0, at - 1) + text.slice(at) : text;
}

function writeTitle(title: string): string {
  const line = title
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  const at = markIndex(line);
  if (at >= 0) return `${line.slice(0, at)}\\${line.slice(at)}`;
  return line === '' ? 'untitled' : line;
}

function formatSteps(steps: readonly PlanStep[], old: readonly string[]): string[] {
  const notes = collectNotes(old);
  const indents = collectIndents(old);
  const lines = steps.length === 0 ? [] : [...(notes.get('') ?? [])];
  let above = '';
  for (const { title, status } of steps) {
    const text = readTitle(writeTitle(title)).title;
    const indent = indents.get(`${above}\n${text}`) ?? '';
    above = text;
    lines.push(stepLine({ bullet: `${indent}- `, title, status }));
    lines.push(...(notes.get(readTitle(text).title) ?? []));
    notes.delete(readTitle(text).title);
  }
  return lines;
}

/** Keyed by the title of the step above and their own: a step that follows another one starts at the left. */
function collectIndents(lines: readonly string[]): Map<string, string> {
  const indents = new Map<string, string>();
  let above = '';
  for (const line of withoutCode(lines).slice(1)) {
    const [step] = toStep(line);
    if (!step) continue;
    indents.set(`${above}\n${step.title}`, /^[ \t]*/.exec(line)?.[0] ?? '');
    above = step.title;
  }
  return indents;
}

/** Lines that aren't steps, by the title of the step above them ('' for the first lines). */
function collectNotes(lines: readonly string[]): Map<string, string[]> {
  const notes = new Map<string, string[]>();
  let title = '';
  const code = codeIn(lines);
  const plain = lines.map((line, at) => (code[at] ? '' : line));
  const hasSteps = plain.some((line) => STEP.test(line));
  for (const [at, line] of lines.entries()) {
    if (at === 0) continue;
    const read = plain[at] ?? '';
    const [step] = hasSteps ? toStep(read) : toPlainStep(read);
    if (step) title = step.title;
    else if ((line.trim() !== '' || code[at]) && !STEP.test(read)) {
      const above = notes.get(title);
      if (above) above.push(line);
      else notes.set(title, [line]);
    }
  }
  return notes;
}

function cleanGoal(goal: string): string[] {
  const lines = goal.toWellFormed().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  return trimLines(['', ...lines.map((line) => line.replace(/(?!\t)\p{Cc}/gu, '').replace(/^\\*#{1,6}[ \t]/, '\\$&'))]);
}

function unescapeHeading(line: string): string {
  return line.replace(/^\\(\\*#{1,6}[ \t])/, '$1');
}

/** Lines below a heading. */
function trimLines(lines: readonly string[]): string[] {
  let [from, to] = [1, lines.length];
  while (from < to && lines[from]?.trim() === '') from++;
  while (to > from && lines[to - 1]?.trim() === '') to--;
  return lines.slice(from, to);
}

/** The title of a free text, or else its first line that isn't in a list. */
function guessGoal(sections: readonly Section[]): string {
  const title = sections.find((section) => section.level === 1 && !isPlan(section))?.name;
  const lines = sections.slice(0, 2).flatMap((section) => withoutCode(section.lines));
  const heading = lines.find((line) => HEADING.test(line));
  if (title !== undefined && title !== 'current task' && title !== 'task' && heading)
    return heading.replace(/^#+[ \t]+/, '').trim();
  const isWords = (line: string) => line.trim() !== '' && ![HEADING, STEP].some((each) => each.test(line));
  return lines.find((line) => isWords(line) && !LIST_ITEM.test(line.trim()))?.trim() ?? '';
}
