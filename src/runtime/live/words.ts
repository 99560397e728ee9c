/** Says what a run is doing, in plain words on one line. */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import { type Messages, type Said, say, type Text } from '../../messages/messages.ts';
import { doingWith, oneLine } from '../tools/doing.ts';

/** What the event changes it to; undefined when it changes nothing. */
export function doing(event: AgentStreamEvent): Said | undefined {
  if (event.type === 'tool-call') return doingWith(event.tool, event.args);
  if (event.type !== 'state-change') return undefined;
  if (event.progress) {
    const note = oneLine(event.progress.note);
    const words = doingWith(event.progress.tool);
    return note === '' ? words : say('live.progress', { doing: words, note });
  }
  if (event.state === 'waiting-approval') return say('live.waiting');
  return event.state === 'thinking' ? say('live.thinking') : undefined;
}

export interface Progress {
  done: number;
  total: number;
  /** The one at work; its title is the model's or a person's. */
  step?: { n: number; title: string } | undefined;
}

/** `Working on step 2 of 5, Tape the edges: writing plan.md … 12 s`; without a step at work `Working (2/5): …` */
export function statusLine(doing: Said, progress: Progress | undefined, elapsedMs: number, messages: Messages): Text {
  const all = Math.round(elapsedMs / 1000);
  const [minutes, seconds] = [Math.floor(all / 60), all % 60];
  const time = minutes === 0 ? say('tasks.seconds', { seconds }) : say('tasks.minutes', { minutes, seconds });
  if (!progress || progress.total === 0) return messages.text('live.line', { doing, time });
  const { done, total, step } = progress;
  const title = step ? oneLine(step.title) : '';
  if (!step || title === '') return messages.text('live.lineSteps', { done, total, doing, time });
  return messages.text('live.lineStep', { n: step.n, total, step: title, doing, time });
}
