/** What a run is doing, in plain words on one line. Titles come from the model: they are shortened and mention nobody. */
import path from 'node:path';
import type { AgentStreamEvent } from '../../channels/channel.ts';
import { scrub } from '../../log.ts';
import { type Messages, type Said, say, type Text } from '../../messages/messages.ts';

type Phrase = (args: (key: string) => string) => Said;

const fileOr = (name: string) => name || say('live.aFile');

const TOOLS = new Map<string, Phrase>([
  ['update_plan', () => say('live.plan')],
  ['create_artifact', (arg) => say('live.writing', { file: fileOr(arg('title')) })],
  ['attach_artifact', () => say('live.attaching')],
  ['read_file', (arg) => say('live.reading', { file: fileOr(fileName(arg('path'))) })],
  ['write_file', (arg) => say('live.writing', { file: fileOr(fileName(arg('path'))) })],
  ['list_files', () => say('live.files')],
  ['remember', () => say('live.note')],
  ['memory_search', () => say('live.memory')],
  ['ask_user', () => say('live.askingYou')],
  ['ask_agent', (arg) => say('live.asking', { agent: arg('agent') || say('live.anotherAgent') })],
  ['notify', () => say('live.notice')],
  ['create_scheduled_job', () => say('live.newJob')],
  ['list_scheduled_jobs', () => say('live.jobs')],
  ['set_model', () => say('live.model')],
  ['delete_scheduled_job', () => say('live.noJob')],
  ['change_scheduled_job', () => say('live.changeJob')],
  ['list_tasks', () => say('live.tasks')],
  ['open_task', () => say('live.openTask')],
  ['new_task', () => say('live.newTask')],
  ['forget', () => say('live.forgetting')],
  ['web_search', (arg) => (arg('query') ? say('live.searching', { query: arg('query') }) : say('live.searchingWeb'))],
  ['shell', () => say('live.command')],
  ['what_was_done', () => say('live.wasDone')],
  ['set_timezone', () => say('live.clock')],
]);

/** How names of tools look; a model may write anything for one. */
const TOOL_NAME = /^[a-z][\w-]{0,39}$/i;
const UNTIDY = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** What reverses the direction of writing, or is not seen at all. */
const UNSEEN = /[\p{Cf}@]/gu;
const MAX_WORDS = 50;

/** What the event changes it to; undefined when it changes nothing. */
export function doing(event: AgentStreamEvent): Said | undefined {
  if (event.type === 'tool-call') return wordsOf(event.tool, event.args);
  if (event.type !== 'state-change') return undefined;
  if (event.progress) {
    const note = oneLine(event.progress.note);
    const words = wordsOf(event.progress.tool, undefined);
    return note === '' ? words : say('live.progress', { doing: words, note });
  }
  if (event.state === 'waiting-approval') return say('live.waiting');
  return event.state === 'thinking' ? say('live.thinking') : undefined;
}

function wordsOf(tool: string, args: unknown): Said {
  const phrase = TOOLS.get(tool);
  if (!phrase) return say('live.using', { what: TOOL_NAME.test(tool) ? tool.replaceAll('_', ' ') : say('live.aTool') });
  const fields: Record<string, unknown> = typeof args === 'object' && args !== null ? { ...args } : {};
  return phrase((key) => {
    const value = fields[key];
    return typeof value === 'string' ? oneLine(value) : '';
  });
}

/** Where a file lies is nobody's business who is not told. */
const fileName = (file: string): string => path.posix.basename(file.replaceAll('\\', '/'));

function oneLine(text: string): string {
  const line = scrub(text.slice(0, 1000).toWellFormed()).replace(UNTIDY, ' ').replace(UNSEEN, '').trim();
  return line.length <= MAX_WORDS
    ? line
    : `${line
        .slice(0, MAX_WORDS - 1)
        .toWellFormed()
        .trimEnd()}…`;
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
