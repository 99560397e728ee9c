/**
 * Selects the runs that a compaction may cover: the oldest uncovered ones, cut only where every earlier run has
 * finished and no later run has started. Pure. Never separates a run that waits for a person, is still working, or was
 * steered into the next one.
 */

import { pastMessages, STEERED, speakersOf } from '../../runtime/context/past-run.ts';
import type { TaskMessage } from '../../runtime/contract/task.ts';
import type { SessionLine } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';

export interface Part {
  /** The run that ends last. */
  through: string;
  end: number;
  messages: TaskMessage[];
  said: number;
  /** Tokens of the messages: about four bytes of UTF-8 each. */
  tokens: number;
  /** Whether a guest has spoken in it. If so, nothing from it is kept beyond the task. */
  hasGuest: boolean;
}

export interface Choice {
  /** The byte offset after the last line. */
  end: number;
  /** Whether the session continues after these lines. */
  isCut: boolean;
  keep: ReadonlySet<string>;
  /** The limit of a part, which contains at least one run; about four bytes of UTF-8 per token. */
  maxTokens: number;
  waits: (approval: string) => boolean;
}

interface FoundRun {
  id: string;
  entries: SessionEntry[];
  first: number;
  last: number;
}

/** Omits tool results, because the answer says what came of them. */
const ROOM = { tool: 0, text: 6_000 };

export function choosePart(lines: readonly SessionLine[], choice: Choice): Part | undefined {
  const runs = runsOf(lines);
  const results = lines.flatMap(({ entry }, index) => (entry.type === 'result' ? [{ index, run: entry.run }] : []));
  const userText = speakersOf(lines.map(({ entry }) => entry));
  let part: Part | undefined;
  let messages: TaskMessage[] = [];
  let bytes = 0;
  let hasGuest = false;
  let last: FoundRun | undefined;
  for (const [at, run] of runs.entries()) {
    // The lane is serial: if another run has ended after this one's last line, this one has ended too.
    const isOver = () => hasResult(run) || results.some(({ index, run: id }) => index > run.last && id !== run.id);
    if (choice.keep.has(run.id) || isWaiting(run, choice.waits) || !isOver()) break;
    const own = run.entries.filter(
      (entry) => entry.type === 'message' || entry.type === 'step' || entry.type === 'result',
    );
    const said = pastMessages(own, ROOM, userText);
    bytes += said.reduce((sum, message) => sum + messageSize(message), 0);
    if (part && bytes > choice.maxTokens * 4) break;
    messages = [...messages, ...said];
    hasGuest ||= own.some((entry) => entry.type === 'message' && entry.isGuest);
    if (!last || run.last > last.last) last = run;
    const next = runs[at + 1];
    if (isSteered(run) || (next && next.first < last.last) || (!next && !choice.isCut)) continue;
    const after = lines[last.last + 1];
    part = {
      through: last.id,
      end: after?.offset ?? choice.end,
      messages,
      said: messages.length,
      tokens: bytes / 4,
      hasGuest,
    };
  }
  return part;
}

function runsOf(lines: readonly SessionLine[]): FoundRun[] {
  const runs = new Map<string, FoundRun>();
  for (const [index, { entry }] of lines.entries()) {
    if (!('run' in entry)) continue;
    const run = runs.get(entry.run);
    if (run) {
      run.entries.push(entry);
      run.last = index;
    } else runs.set(entry.run, { id: entry.run, entries: [entry], first: index, last: index });
  }
  return [...runs.values()];
}

const messageSize = (message: TaskMessage): number =>
  16 + (message.role === 'steps' ? 0 : Buffer.byteLength(message.text));

const isSteered = ({ entries }: FoundRun): boolean =>
  entries.some((entry) => entry.type === 'result' && entry.error === STEERED);

const hasResult = ({ entries }: FoundRun): boolean => entries.some((entry) => entry.type === 'result');

function isWaiting(run: FoundRun, waits: Choice['waits']): boolean {
  const { entries } = run;
  if (hasResult(run)) return false;
  const decided = new Set(entries.flatMap((entry) => (entry.type === 'decision' ? [entry.approval] : [])));
  return entries.some((entry) => entry.type === 'approval' && !decided.has(entry.id) && waits(entry.id));
}
