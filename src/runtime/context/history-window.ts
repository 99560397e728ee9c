/**
 * Chooses which part of a session goes into a request: the newest whole runs that fit, with a start that rarely moves.
 * If it moved with each message, no provider's prompt cache would ever hold.
 */
import type { SessionTail } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { replacedRuns } from '../contract/attempts.ts';
import type { FinishedStep, ResumedStep, TaskMessage } from '../contract/task.ts';
import { openCalls, resultMessage } from './open-calls.ts';
import {
  type FilesOf,
  type MessageEntry,
  NO_FILES,
  pastMessages,
  plainText,
  type Room,
  type RunEntry,
  speakersOf,
  type UserText,
} from './past-run.ts';
import { clip, visibleText } from './turn.ts';

export interface HistoryLimits {
  /** Messages from people and their answers; steps with tools count only by their tokens. */
  maxMessages: number;
  /** Estimated as four bytes of UTF-8 each. */
  maxTokens: number;
}

export interface History {
  /**
   * Past runs, then the messages of the current run. Steps followed by a later message of this run keep their place
   * among them.
   */
  messages: TaskMessage[];
  /** Finished steps of the current run that come after its last message. */
  resume: ResumedStep[];
  /** Whether the entries include a message of this run. */
  hasMessage: boolean;
  /** Whether something that no summary covers was left out for lack of room. */
  isOver: boolean;
}

interface Run {
  id: string;
  entries: RunEntry[];
  /**
   * Calls of the last step that have begun to take effect (`begun`), and those that a person was asked about (`asked`).
   */
  begun?: Set<string>;
  asked?: Set<string>;
  /** A call of it has had an effect, or a person was asked about one. */
  hasActed?: true;
}

interface RenderedRun {
  id: string;
  messages: TaskMessage[];
  said: number;
  tokens: number;
}

interface Telling {
  userText: UserText;
  filesOf: FilesOf;
}

/** People usually refer to the previous run, so it gets the most room; earlier runs are only there as a reminder. */
const LATEST: Room = { tool: 8_000, text: 16_000 };
const EARLIER: Room = { tool: 1_000, text: 4_000 };
const WORDS_ONLY: Room = { tool: 0, text: 16_000 };
const FEW_WORDS: Room = { tool: 0, text: 500 };

/**
 * Builds the history of a run. Limits apply to past runs; the current run is always whole. `filesOf` returns the files
 * of an entry that the model sees directly.
 */
export function buildHistory(tail: SessionTail, runId: string, limits: HistoryLimits, filesOf: FilesOf): History {
  const { runs, summary, isWhole } = splitRuns(tail);
  const userText = speakersOf(tail.entries);
  const own = runs.find((run) => run.id === runId);
  const current = presentMessages(own, { userText, filesOf });
  const past = withoutReplaced(runs, tail.entries, runId).filter((run) => run !== own);
  // The first run of a cut tail may lack its beginning.
  if (!isWhole && past[0] && past[0] === runs[0]) past.shift();

  const before = summary === undefined ? '' : summaryText(summary, limits.maxTokens);
  const left = limits.maxTokens - Math.ceil(Buffer.byteLength(before) / 4);
  const window = fittingRuns(past, { ...limits, maxTokens: left }, { userText, filesOf });
  const isOver = !isWhole || window.length < past.length;
  const kept = isOver ? fromAnchor(window) : window;
  const messages = kept.flatMap((run) => run.messages);
  if (before) messages.unshift({ role: 'user', text: before });
  return {
    ...current,
    messages: [...messages, ...current.messages],
    isOver,
  };
}

/** Returns the IDs of the newest runs that fit; the very newest is always included. */
export function newestRuns(tail: SessionTail, limits: HistoryLimits): ReadonlySet<string> {
  const { runs, isWhole } = splitRuns(tail);
  const telling = { userText: speakersOf(tail.entries), filesOf: NO_FILES };
  return new Set(fittingRuns(isWhole ? runs : runs.slice(1), limits, telling).map(({ id }) => id));
}

/**
 * Formats a compaction's text as data. A text that someone edited to be too long is clipped to leave room for the rest.
 */
const summaryText = (summary: string, maxTokens: number): string =>
  `Summary of what was said before:\n${clip(visibleText(summary), maxTokens)}`;

/**
 * Groups entries by run, in order of first appearance; a compaction replaces every run up to the one `through` names.
 */
function splitRuns({ entries, isWhole }: SessionTail): { runs: Run[]; summary: string | undefined; isWhole: boolean } {
  const compaction = entries.findLast((entry) => entry.type === 'compaction');
  const through = compaction === undefined ? -1 : entries.findLastIndex((entry) => isMarked(entry, compaction.through));
  const covered = entries[through];
  const coveredRun = covered && 'run' in covered ? covered.run : undefined;
  const runs = new Map<string, Run>();
  const seen = new Set<string>();
  for (let at = through + 1; at < entries.length; at++) {
    const entry = entries[at] as SessionEntry;
    if (entry.type === 'approval') noteCall(runs.get(entry.run), 'asked', entry.callId);
    if (entry.type === 'call') noteCall(runs.get(entry.run), 'begun', entry.callId);
    if (entry.type === 'sent') noteAct(runs.get(entry.run));
    if (entry.type !== 'message' && entry.type !== 'step' && entry.type !== 'result') continue;
    if (entry.run === coveredRun) continue;
    if (entry.type === 'message') {
      if (seen.has(entry.id)) continue;
      seen.add(entry.id);
    }
    const run = runs.get(entry.run);
    const last = run?.entries.at(-1);
    // The result of a pending call belongs to the step of the call.
    if (run && last?.type === 'step' && entry.type === 'step' && isResult(entry)) {
      run.entries[run.entries.length - 1] = mergeSteps(last, entry);
    } else if (run) {
      run.entries.push(entry);
      if (entry.type !== 'step') continue;
      // Some providers reuse call IDs in every step.
      run.begun?.clear();
      run.asked?.clear();
    } else runs.set(entry.run, { id: entry.run, entries: [entry] });
  }
  return { runs: [...runs.values()], summary: compaction?.text, isWhole: isWhole || through >= 0 };
}

/**
 * Leaves out runs whose question is asked anew by this run or was answered anew, unless they have done something that
 * the next answer must know of.
 */
function withoutReplaced(runs: readonly Run[], entries: readonly SessionEntry[], runId: string): Run[] {
  const attempts = replacedRuns(entries, (run, result) => run === runId || result?.state === 'completed');
  const replaced = new Set(attempts.values());
  return runs.filter(({ id, hasActed }) => hasActed || !replaced.has(id));
}

function noteAct(run: Run | undefined): void {
  if (run) run.hasActed = true;
}

function noteCall(run: Run | undefined, which: 'begun' | 'asked', callId: string): void {
  if (!run) return;
  noteAct(run);
  run[which] ??= new Set();
  run[which].add(callId);
}

/**
 * Adds a result to each open call of the last step that says why it has none: the run waits for a person, or was cut
 * off.
 */
function withoutOpen({ entries, begun, asked }: Run): RunEntry[] {
  const at = entries.findLastIndex((entry) => entry.type === 'step');
  const step = entries[at];
  if (step?.type !== 'step') return entries;
  const open = openCalls(step.messages);
  if (open.length === 0) return entries;
  const isEnded = entries.some((entry) => entry.type === 'result');
  // An asked agent's own session holds what it waits for.
  const isWaiting = !isEnded && open.some(({ callId, tool }) => asked?.has(callId) || tool === 'ask_agent');
  const results = open.map((call) =>
    resultMessage(call, { error: begun?.has(call.callId) ? CUT_OFF : isWaiting ? NOT_RUN : NOT_ENDED }),
  );
  return entries.with(at, { ...step, messages: [...step.messages, ...results] });
}

const NOT_RUN =
  'This has not run: the person was asked about it and has not answered yet. Call it again only to ask for something else in its place.';

const CUT_OFF = 'This was cut off while it ran: it may or may not have taken effect. Look before you do it again.';

const NOT_ENDED =
  'There is no result: the work was cut off before this began, or before it ended. It is safe to call it again where it is still needed.';

const isResult = ({ messages: [first] }: FinishedStep): boolean =>
  typeof first === 'object' && first !== null && !Array.isArray(first) && first.role === 'tool';

function mergeSteps(step: FinishedStep, result: FinishedStep): FinishedStep {
  const artifactRefs = [...(step.artifactRefs ?? []), ...(result.artifactRefs ?? [])];
  const shown = [...(step.shown ?? []), ...(result.shown ?? [])];
  const messages = [...step.messages, ...result.messages];
  return {
    ...step,
    index: result.index,
    messages,
    ...(artifactRefs.length > 0 ? { artifactRefs } : {}),
    ...(shown.length > 0 ? { shown } : {}),
  };
}

/** `through` is the ID of a message or of a run. */
const isMarked = (entry: SessionEntry, mark: string): boolean =>
  (entry.type === 'message' && entry.id === mark) || ('run' in entry && entry.run === mark);

function presentMessages(run: Run | undefined, { userText, filesOf }: Telling): Omit<History, 'isOver'> {
  const said = run?.entries ?? [];
  const lastSaid = said.findLastIndex((entry) => entry.type === 'message');
  // Calls followed by a later message aren't resumed.
  const entries = run && said.slice(lastSaid).every((entry) => entry.type !== 'step') ? withoutOpen(run) : said;
  const messages: TaskMessage[] = [];
  const resume: ResumedStep[] = [];
  for (const [i, entry] of entries.entries()) {
    if (entry.type === 'message') {
      const files = filesOf(entry);
      messages.push(...(entry.before ?? []));
      messages.push({ role: 'user', text: userText(entry), ...(files.length > 0 ? { files } : {}) });
    } else if (entry.type === 'step') {
      const files = filesOf(entry);
      const shown = files.length > 0 ? { files } : {};
      if (i < lastSaid) messages.push({ role: 'steps', messages: entry.messages, ...shown });
      else resume.push({ ...entry, ...shown });
    }
  }
  return { messages, resume, hasMessage: lastSaid >= 0 };
}

/**
 * Returns the newest past runs that fit, oldest first. The very newest is always included, shortened and without its
 * steps if necessary.
 */
function fittingRuns(past: readonly Run[], limits: HistoryLimits, telling: Telling): RenderedRun[] {
  const window: RenderedRun[] = [];
  let said = 0;
  let tokens = 0;
  for (const run of past.toReversed()) {
    const rendered = window.length > 0 ? render(run, EARLIER, telling) : fitting(run, limits, telling);
    said += rendered.said;
    tokens += rendered.tokens;
    if (window.length > 0 && (said > limits.maxMessages || tokens > limits.maxTokens)) break;
    window.unshift(rendered);
  }
  return window;
}

function fitting(run: Run, limits: HistoryLimits, telling: Telling): RenderedRun {
  for (const room of [LATEST, EARLIER, WORDS_ONLY]) {
    const rendered = render(run, room, telling);
    if (rendered.tokens <= limits.maxTokens && rendered.said <= limits.maxMessages) return rendered;
  }
  const words = run.entries.filter((entry) => entry.type !== 'step').slice(-2);
  return render({ ...run, entries: words }, FEW_WORDS, telling);
}

/**
 * Rendered runs by the entry of their result, which ends a run: as long as it is in memory, its run stays the same.
 * Runs with files or with several speakers are rendered anew each time.
 */
const rendered = new WeakMap<RunEntry, { run: RenderedRun; room: Room; entries: number }>();

function render(run: Run, room: Room, telling: Telling): RenderedRun {
  const result = run.entries.at(-1);
  if (result?.type !== 'result' || telling.userText !== plainText || run.entries.some(hasFiles))
    return renderNow(run, room, telling);
  const known = rendered.get(result);
  // A guest sees only a part of some runs.
  if (known?.room === room && known.entries === run.entries.length) return known.run;
  const now = renderNow(run, room, telling);
  rendered.set(result, { run: now, room, entries: run.entries.length });
  return now;
}

const hasFiles = (entry: RunEntry): boolean =>
  entry.type === 'message' ? entry.files.length > 0 : entry.type === 'step' && entry.shown !== undefined;

function renderNow(run: Run, room: Room, { userText, filesOf }: Telling): RenderedRun {
  const messages = pastMessages(withoutOpen(run), room, userText, filesOf);
  let bytes = 0;
  let said = 0;
  for (const message of messages) {
    bytes += 16 + Buffer.byteLength(message.role === 'steps' ? JSON.stringify(message.messages) : message.text);
    if (message.role !== 'steps') said += 1;
  }
  return { id: run.id, messages, said, tokens: Math.ceil(bytes / 4) };
}

/**
 * Chooses where a sliding window starts: at the run with the smallest hash in its older half. The start stays put until
 * that run leaves the older half or a run with a smaller hash enters it, and needs no stored state, even across
 * restarts.
 */
function fromAnchor(window: readonly RenderedRun[]): readonly RenderedRun[] {
  let start = 0;
  for (let i = 1; i < window.length / 2; i++) if (hash(window[i]?.id) < hash(window[start]?.id)) start = i;
  return window.slice(start);
}

/** FNV-1a, 32 bit. */
function hash(text = ''): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return h;
}

/**
 * Filters the session for a run on behalf of guests: it sees what everyone in the conversation has read, and the
 * results of guests' own runs. Results of tools that ran for anyone else may hold memory, logs and workspace files;
 * summaries and direct messages were never shown in this conversation.
 * @param guests whose messages the current run answers, principals as text: it may see what they wrote to it
 * @param runId the current run, which is kept whole
 */
export function shownToGuest({ entries, isWhole }: SessionTail, guests: readonly string[], runId: string): SessionTail {
  const isHeard = ({ isGroup, isGuest, from }: MessageEntry) =>
    isGroup === true || (isGuest === true && guests.includes(from.user));
  const runs = new Map<string, { isJob: boolean; isHeard: boolean; isGuest: boolean }>();
  for (const entry of entries) {
    if (entry.type !== 'message') continue;
    const run = runs.get(entry.run);
    runs.set(entry.run, {
      isJob: entry.isJob === true && run?.isJob !== false,
      isHeard: isHeard(entry) && run?.isHeard !== false,
      isGuest: entry.isGuest === true && run?.isGuest !== false,
    });
  }
  return {
    isWhole,
    entries: entries.filter((entry) => {
      if (!('run' in entry)) return entry.type !== 'compaction';
      if (entry.run === runId) return true;
      const run = runs.get(entry.run);
      // Nobody may read a job's instructions; its results were sent to the chat.
      if (run?.isJob) return entry.type === 'result';
      // A run that began before the tail may be anyone's.
      if (!run?.isHeard) return false;
      return entry.type === 'message' || entry.type === 'result' || run.isGuest;
    }),
  };
}
