/** Describes progress in the words that people read. */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import { type Messages, say, type Text, type Wording } from '../../messages/messages.ts';
import { doingWith, scrubLine } from '../tools/doing.ts';

/** Returns the new description after an event; undefined if it doesn't change. */
export function doing(event: AgentStreamEvent): Wording | undefined {
  if (event.type === 'tool-call') return doingWith(event.tool, event.args);
  if (event.type !== 'state-change') return undefined;
  if (event.progress) {
    const note = scrubLine(event.progress.note);
    const words = doingWith(event.progress.tool);
    return note === '' ? words : say('live.progress', { doing: words, note });
  }
  if (event.state === 'waiting-approval') return say('live.waiting');
  return event.state === 'thinking' ? say('live.thinking') : undefined;
}

export interface Progress {
  done: number;
  total: number;
  /** The step in progress; its title comes from the model or a person. */
  step?: { n: number; title: string } | undefined;
}

/**
 * Formats `Working on step 2 of 5, Tape the edges: writing plan.md … 12 s`, or without a step in progress `Working
 * (2/5): …`.
 */
export function statusLine(
  doing: Wording,
  progress: Progress | undefined,
  elapsedMs: number,
  messages: Messages,
): Text {
  const all = Math.round(elapsedMs / 1000);
  const [minutes, seconds] = [Math.floor(all / 60), all % 60];
  const time = minutes === 0 ? say('tasks.seconds', { seconds }) : say('tasks.minutes', { minutes, seconds });
  if (!progress || progress.total === 0) return messages.text('live.line', { doing, time });
  const { done, total, step } = progress;
  const title = step ? scrubLine(step.title) : '';
  if (!step || title === '') return messages.text('live.lineSteps', { done, total, doing, time });
  return messages.text('live.lineStep', { n: step.n, total, step: title, doing, time });
}
