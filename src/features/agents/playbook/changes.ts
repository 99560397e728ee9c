/**
 * Applies the changes that a supervisor may make to the remaining steps of a playbook. Pure. Invariants: a step that is
 * done, started, or that a person added or reworded stays unchanged. A step with constraints is never skipped, its
 * parts keep the constraints, and steps with constraints keep their order. Only agents that the playbook names are
 * used.
 */
import { cutText, plainLine } from '../../../lib/text.ts';
import { isToDo } from '../../../workspace/tasks/index.ts';
import type { Plan, PlanStep } from '../../../workspace/types.ts';
import { PLAYBOOK_LIMITS, type Playbook, type PlaybookStep } from './read-playbook.ts';
import { readTitle, titledSteps, titleOfStep } from './record.ts';

/** Step numbers are those of the displayed plan, from 1. */
export type Change =
  | { kind: 'split'; step: number; parts: string[] }
  | { kind: 'move'; step: number; to: number; isAfter: boolean }
  | { kind: 'skip'; step: number; why: string };

export interface PlanChanges {
  plan: Plan;
  playbook: Playbook;
  skipped: { key: string; why: string }[];
}

const MAX_CHANGES = 10;
const MAX_PARTS = 5;
const MAX_PART = 500;
const MAX_WHY = 200;
/** Marks a part of a step. Parts aren't split again. */
const PART = 'This is part ';

const LINE = /^\W*(SPLIT|MOVE|SKIP)\s+(?:step\s+)?#?(\d{1,3})\b\s*(.*)$/i;
/** Matches the question's examples, in case a model repeats them. */
const EXAMPLE = /^(?:the )?(?:first|second|next) part\.?$|^the reason in one sentence\.?$/i;

/** Returns [] for a reply without changes. After KEEP, lines that look like changes are ignored. */
export function readChanges(text: string): Change[] {
  const words = text.slice(0, 8_000).trim();
  if (/^\W*KEEP\b/i.test(words)) return [];
  return words
    .split('\n')
    .flatMap((line) => readLine(line))
    .slice(0, MAX_CHANGES);
}

function readLine(line: string): Change[] {
  const [, verb = '', number = '', rest = ''] = LINE.exec(line.replace(/[*_`]+/g, '')) ?? [];
  const step = Number(number);
  const words = rest.replace(/^[\s:–—-]+/, '').trim();
  switch (verb.toUpperCase()) {
    case 'SPLIT': {
      const parts = words.split('|').map((part) => cutText(plainLine(part).trim(), MAX_PART));
      return isSplit(parts) ? [{ kind: 'split', step, parts }] : [];
    }
    case 'MOVE': {
      const [, where = '', to = ''] = /^(BEFORE|AFTER)\s+(?:step\s+)?#?(\d{1,3})\b/i.exec(words) ?? [];
      return to === '' ? [] : [{ kind: 'move', step, to: Number(to), isAfter: where.toUpperCase() === 'AFTER' }];
    }
    case 'SKIP':
      return words === '' || EXAMPLE.test(words)
        ? []
        : [{ kind: 'skip', step, why: cutText(plainLine(words), MAX_WHY) }];
    default:
      return [];
  }
}

/** Returns true if all parts differ and none is empty: doing the same work twice isn't a split. */
function isSplit(parts: readonly string[]): boolean {
  const said = parts.map((part) => readTitle(part).instruction.trim().toLowerCase());
  const isEmpty = said.some((words) => words === '' || EXAMPLE.test(words));
  return parts.length >= 2 && parts.length <= MAX_PARTS && !isEmpty && new Set(said).size === said.length;
}

/** A step of the plan, with its entry in the playbook. */
interface Item {
  step: PlanStep;
  key: string;
  own: PlaybookStep | undefined;
  /** Whether it may be changed: it is pending and unchanged from the playbook. */
  isFree: boolean;
}

/**
 * Returns the plan and the playbook with all permitted changes, or undefined if none is permitted.
 * @param kept keys of steps that were skipped before and that somebody wants after all
 * @param failed the key of a step that was started and failed: it may be changed even so
 */
export function applyChanges(
  plan: Plan,
  playbook: Playbook,
  changes: readonly Change[],
  { kept, failed }: { kept: ReadonlySet<string>; failed?: string | undefined },
): PlanChanges | undefined {
  const own = new Map(titledSteps(playbook.steps.map(titleOfStep)).map(({ key }, at) => [key, playbook.steps[at]]));
  const keys = titledSteps(plan.steps.map(({ title }) => title));
  const shown: Item[] = plan.steps.map((step, at) => {
    const key = keys[at]?.key ?? '';
    const isFree = own.has(key) && (step.status === 'pending' || (key === failed && isToDo(step)));
    return { step, key, own: own.get(key), isFree };
  });
  let items = [...shown];
  let steps = [...playbook.steps];
  const skipped: PlanChanges['skipped'] = [];
  let count = 0;
  for (const change of changes) {
    const item = shown[change.step - 1];
    const at = item ? items.indexOf(item) : -1;
    if (!item?.own || !item.isFree || at < 0) continue;
    if (change.kind === 'skip') {
      const isLast = items.filter(({ step }) => isToDo(step) || step.status === 'done').length <= 1;
      if (item.own.constraints.length > 0 || kept.has(item.key) || isLast) continue;
      const left: Item = { ...item, step: { ...item.step, status: 'skipped' }, isFree: false };
      items = items.with(at, left);
      skipped.push({ key: item.key, why: change.why });
    } else if (change.kind === 'move') {
      const moved = move(items, item, shown[change.to - 1], change.isAfter);
      if (!moved) continue;
      items = moved;
    } else {
      const parts = splitStep(item.own, change.parts, playbook);
      if (
        !parts ||
        steps.length + parts.length > PLAYBOOK_LIMITS.steps ||
        items.length + parts.length > PLAYBOOK_LIMITS.steps
      )
        continue;
      const place = steps.indexOf(item.own);
      steps = [...steps.slice(0, place), ...parts, ...steps.slice(place + 1)];
      const fresh = parts.map(
        (part): Item => ({
          step: { id: '', title: titleOfStep(part), status: 'pending' },
          key: '',
          own: part,
          isFree: false,
        }),
      );
      items = [...items.slice(0, at), ...fresh, ...items.slice(at + 1)];
    }
    count += 1;
  }
  if (count === 0) return undefined;
  const numbered = items.map(({ step }, at) => ({ ...step, id: String(at + 1) }));
  return { plan: { ...plan, steps: numbered }, playbook: { ...playbook, steps }, skipped };
}

/** Returns undefined if steps with constraints would change their order, or the target is not pending. */
function move(items: readonly Item[], item: Item, target: Item | undefined, isAfter: boolean): Item[] | undefined {
  if (!target || target === item || !items.includes(target) || !isToDo(target.step)) return undefined;
  if (target.step.status === 'in_progress' && !isAfter) return undefined;
  const others = items.filter((each) => each !== item);
  const place = others.indexOf(target) + (isAfter ? 1 : 0);
  const moved = [...others.slice(0, place), item, ...others.slice(place)];
  const bound = (all: readonly Item[]) => all.filter(({ own }) => (own?.constraints.length ?? 0) > 0);
  const [before, after] = [bound(items), bound(moved)];
  return before.every((each, at) => each === after[at]) ? moved : undefined;
}

/** Returns the playbook steps for the parts: each has its own words and the constraints of the whole step. */
function splitStep(step: PlaybookStep, titles: readonly string[], playbook: Playbook): PlaybookStep[] | undefined {
  const { constraints } = step;
  if (constraints.length >= PLAYBOOK_LIMITS.constraints || constraints.some((each) => each.startsWith(PART)))
    return undefined;
  const known = new Map(
    playbook.steps.flatMap(({ agent }) => (agent === undefined ? [] : [[agent.toLowerCase(), agent]])),
  );
  const whole = cutText(plainLine(step.instruction), MAX_PART);
  // A part that repeats the whole step is not a part.
  if (titles.some((title) => readTitle(title).instruction.trim().toLowerCase() === whole.toLowerCase()))
    return undefined;
  return titles.map((title, at) => {
    const { agent: wanted, instruction } = readTitle(title);
    const agent = wanted === undefined ? step.agent : (known.get(wanted.toLowerCase()) ?? step.agent);
    const isLast = at === titles.length - 1;
    return {
      ...(agent === undefined ? {} : { agent }),
      instruction,
      constraints: [
        `${PART}${at + 1} of ${titles.length} of "${whole}". Do no more than this part.`,
        ...constraints.map((each) =>
          isLast ? each : `${each} (once all parts are done; this part must not work against it)`,
        ),
      ],
    };
  });
}
