/**
 * Writes the first message of a task's thread: what the task is, who asked, and its state. No markup in it is ever
 * parsed.
 */
import type { TaskView } from '../../channel.ts';

/** The longest title, in characters. */
export const MAX_TITLE = 150;

export interface Root {
  title: string;
  /** The name of the person who asked. */
  by: string;
  /** The person's own text if it says more than the title; '' otherwise. */
  goal: string;
}

const STATES: Record<TaskView['state'], string> = {
  pending: 'Waiting',
  running: 'Working',
  open: 'Not finished',
  completed: 'Done',
  error: 'Failed',
  stopped: 'Stopped',
};

/** Returns the text that notifications show. */
export function rootText({ title, by }: Root): string {
  return `${escapeText(title)} (asked by ${escapeText(by)})`;
}

export function rootBlocks({ title, by, goal }: Root, view?: TaskView): object[] {
  const words = [
    { type: 'text', text: title, style: { bold: true } },
    { type: 'text', text: ` (asked by ${by})` },
  ];
  const elements: object[] = [{ type: 'rich_text_section', elements: words }];
  if (goal !== '' && goal !== title)
    elements.push({ type: 'rich_text_quote', elements: [{ type: 'text', text: goal }] });
  const state = {
    type: 'context',
    elements: [{ type: 'plain_text', text: view ? stateLine(view) : '', emoji: false }],
  };
  return [{ type: 'rich_text', elements }, ...(view ? [state] : [])];
}

/** Returns for example `Working, 2 of 5 steps done`. */
export function stateLine({ state, progress }: TaskView): string {
  const steps = progress && progress.total > 0 ? `, ${progress.done} of ${progress.total} steps done` : '';
  return `${STATES[state]}${steps}`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
