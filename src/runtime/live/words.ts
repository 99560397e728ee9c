/** What a run is doing, in plain words on one line. Titles come from the model: they are shortened and mention nobody. */
import path from 'node:path';
import type { AgentStreamEvent } from '../../channels/channel.ts';
import { scrub } from '../../log.ts';

type Phrase = (args: (key: string) => string) => string;

const TOOLS = new Map<string, Phrase>([
  ['update_plan', () => 'updating the plan'],
  ['create_artifact', (arg) => `writing ${arg('title') || 'a file'}`],
  ['attach_artifact', () => 'attaching a file'],
  ['read_file', (arg) => `reading ${fileName(arg('path')) || 'a file'}`],
  ['write_file', (arg) => `writing ${fileName(arg('path')) || 'a file'}`],
  ['list_files', () => 'looking at the files'],
  ['remember', () => 'taking a note'],
  ['memory_search', () => 'looking through memory'],
  ['ask_user', () => 'asking you'],
  ['ask_agent', (arg) => `asking ${arg('agent') || 'another agent'}`],
  ['notify', () => 'sending a notice'],
  ['create_scheduled_job', () => 'making a schedule'],
  ['list_scheduled_jobs', () => 'looking at the schedules'],
  ['set_model', () => 'changing the model'],
  ['web_search', () => 'searching the web'],
  ['delete_scheduled_job', () => 'deleting a schedule'],
]);

/** How names of tools look; a model may write anything for one. */
const TOOL_NAME = /^[a-z][\w-]{0,39}$/i;
const UNTIDY = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** What reverses the direction of writing, or is not seen at all. */
const UNSEEN = /[\p{Cf}@]/gu;
const MAX_WORDS = 50;

/** What the event changes it to; undefined when it changes nothing. */
export function doing(event: AgentStreamEvent): string | undefined {
  if (event.type === 'tool-call') return wordsOf(event.tool, event.args);
  if (event.type !== 'state-change') return undefined;
  if (event.state === 'waiting-approval') return 'waiting for your answer';
  return event.state === 'thinking' ? 'thinking' : undefined;
}

function wordsOf(tool: string, args: unknown): string {
  const phrase = TOOLS.get(tool);
  if (!phrase) return TOOL_NAME.test(tool) ? `using ${tool.replaceAll('_', ' ')}` : 'using a tool';
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

/** `Working (2/5): writing plan.md … 12 s` */
export function statusLine(
  words: string,
  progress: { done: number; total: number } | undefined,
  elapsedMs: number,
): string {
  const seconds = Math.round(elapsedMs / 1000);
  const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const steps = progress && progress.total > 0 ? ` (${progress.done}/${progress.total})` : '';
  return `Working${steps}: ${words} … ${time}`;
}
