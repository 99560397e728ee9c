/** The texts of a playbook, for agents and for people. */

import { cutText, plainLine } from '../../../lib/text.ts';
import { lines, type Messages, type Text, words } from '../../../messages/messages.ts';
import { clip } from '../../../runtime/context/turn.ts';
import type { ButtonAction } from '../../../runtime/contract/buttons.ts';
import { planProgress } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef, Plan } from '../../../workspace/types.ts';
import type { Playbook } from './read-playbook.ts';
import type { CurrentStep, DoneStep } from './record.ts';

export const INSTRUCTIONS =
  'You carry out one step of a playbook. Do this step and no other, verify it, and answer with the result and its evidence in a few sentences; give files with create_artifact. Constraints must hold without exception; if they cannot, say so.';

/** Instructions for a step whose agent has no file. */
export const roleWords = (name: string): string => `In this step you act as "${name}".`;

/** The beginning of every second try. */
export const CORRECTION = 'Your result of this step did not pass its check: ';

const MAX_EVIDENCE = 240;
const MAX_FILES = 30;
/** The limit on earlier results, in characters; the newest are kept. */
const MAX_BEFORE = 8_000;

export interface StepMessage {
  playbook: Playbook;
  current: CurrentStep;
  done: readonly DoneStep[];
  files: readonly ArtifactRef[];
  /** What a person has added during the step; '' if nothing. */
  added: string;
  /** Why the first try failed the check. */
  reason?: string | undefined;
}

/** Returns the whole message for the agent of a step. */
export function stepMessage({ playbook, current, done, files, added, reason }: StepMessage): string {
  const { step, index, total } = current;
  const rows = done.map(({ key, summary, isSkipped }) => {
    const left = isSkipped ? ' (left out)' : '';
    return `- ${titleIn(key)}${left}: ${cutText(plainLine(summary), MAX_EVIDENCE)}`;
  });
  const before = newestLinesWithin(rows, MAX_BEFORE);
  const names = files
    .slice(-MAX_FILES)
    .map(({ id, title, type }) => `- ${id}: ${JSON.stringify(cutText(plainLine(title), 80))} (${type})`);
  return [
    reason === undefined ? '' : `${CORRECTION}${reason}\nFix it, and answer again.`,
    `Playbook "${playbook.title}", step ${index + 1} of ${total}. Its goal: ${playbook.goal}`,
    `Your step:\n${step.instruction}`,
    listUnder(
      'These constraints must hold:',
      step.constraints.map((each) => `- ${each}`),
    ),
    listUnder(
      'Done before:',
      before.length < rows.length ? [`(${rows.length - before.length} more)`, ...before] : before,
    ),
    listUnder('Files made so far:', names),
    added === '' ? '' : `The person adds:\n${clip(added, 8_000)}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function newestLinesWithin(lines: readonly string[], room: number): string[] {
  let left = room;
  const first = lines.findLastIndex((line) => {
    left -= line.length;
    return left < 0;
  });
  return lines.slice(first + 1);
}

const listUnder = (head: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [head, ...lines].join('\n');

export const titleIn = (key: string): string => key.replace(/#\d+$/, '');

/** Returns a button that resumes at the first pending step. */
export const goOnButton = (taskId: string, messages: Messages): ButtonAction => ({
  label: messages.text('common.continue'),
  command: 'play',
  args: taskId,
});

export function finishedText(
  playbook: Playbook,
  plan: Plan,
  done: readonly DoneStep[],
  played: readonly string[],
  messages: Messages,
): Text {
  const left = new Map<string, DoneStep[]>();
  for (const step of done) left.set(titleIn(step.key), [...(left.get(titleIn(step.key)) ?? []), step]);
  const rows = plan.steps.map(({ title, status }, index) => {
    const came = left.get(title)?.shift();
    const summary = came?.summary;
    const at = { n: index + 1, step: title };
    if (status === 'skipped') {
      const row = messages.text('playbooks.stepLeftOut', at);
      return came?.isSkipped ? lines(row, words(`   ${cutText(plainLine(came.summary), MAX_EVIDENCE)}`)) : row;
    }
    if (summary === undefined) return messages.text('playbooks.stepByHand', at);
    return lines(messages.text('playbooks.step', at), words(`   ${cutText(plainLine(summary), MAX_EVIDENCE)}`));
  });
  const head = messages.text('playbooks.finished', { title: playbook.title, n: planProgress(plan).total });
  const roles = playedText(played, messages);
  return lines(head, '', ...rows, ...(roles === '' ? [] : (['', roles] as const)));
}

function playedText(all: readonly string[], messages: Messages): Text | '' {
  const names = [...new Set(all)];
  const [name = ''] = names;
  if (names.length > 1) return messages.text('playbooks.noAgents', { names: messages.list(names, 'or') });
  return names.length === 0 ? '' : messages.text('playbooks.noAgent', { name, file: `agents/${fileName(name)}.yaml` });
}

const fileName = (name = ''): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+/, '') || 'name';

export const stuckText = (
  playbook: Playbook,
  { title, index, total }: CurrentStep,
  why: string,
  messages: Messages,
): Text => messages.text('playbooks.stuck', { title: playbook.title, n: index + 1, total, step: title, why });
