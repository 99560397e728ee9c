/** What a run is doing, in plain words on one line. Titles come from the model: they are shortened and mention nobody. */
import type { AgentStreamEvent } from '../channel.ts';
import { isFields, oneLine, string } from './read.ts';

type Phrase = (args: (key: string) => string) => string;

const TOOLS = new Map<string, Phrase>([
  ['update_plan', () => 'updating the plan'],
  ['create_artifact', (arg) => `writing ${arg('title') || 'a file'}`],
  ['attach_artifact', () => 'attaching a file'],
  ['read_file', (arg) => `reading ${arg('path') || 'a file'}`],
  ['write_file', (arg) => `writing ${arg('path') || 'a file'}`],
  ['list_files', () => 'looking at the files'],
  ['remember', () => 'taking a note'],
  ['memory_search', () => 'looking through memory'],
  ['ask_user', () => 'asking you'],
  ['ask_agent', (arg) => `asking ${arg('agent') || 'another agent'}`],
  ['notify', () => 'sending a notice'],
]);

/** What the event changes it to; undefined when it changes nothing. */
export function doing(event: AgentStreamEvent): string | undefined {
  if (event.type === 'tool-call') {
    const args = isFields(event.args) ? event.args : {};
    const phrase = TOOLS.get(event.tool);
    const text = phrase ? phrase((key) => string(args, key) ?? '') : `using ${event.tool.replaceAll('_', ' ')}`;
    return oneLine(text, 60).replaceAll('@', '');
  }
  if (event.type !== 'state-change') return undefined;
  if (event.state === 'waiting-approval') return 'waiting for your answer';
  return event.state === 'thinking' ? 'thinking' : undefined;
}

/** `Working: writing plan.md … 12 s` */
export function statusLine(words: string, elapsedMs: number): string {
  const seconds = Math.round(elapsedMs / 1000);
  const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `Working: ${words} … ${time}`;
}

/** The beginning of a text that is still growing; a fence that is open is closed. */
export function clip(text: string, max: number): string {
  const cut = text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
  const isOpen = (cut.match(/^\s*```/gm) ?? []).length % 2 === 1;
  return isOpen ? `${cut}\n\`\`\`` : cut;
}
