/**
 * Assembles everything a run needs from the workspace before it begins. Fields from an outside caller replace those on
 * disk. Stable text comes first; the configuration bounds every size.
 */
import { join } from 'node:path';
import { readBootstrap } from '../../workspace/bootstrap.ts';
import type { Home } from '../../workspace/home.ts';
import { formatPlan, isLink, openTask, parsePlan, type Session } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, Plan, SessionEntry } from '../../workspace/types.ts';
import type { MemoryRecall, RecallFor } from '../contract/feature.ts';
import type { OwnSettings } from '../contract/settings.ts';
import type { InputFile, TaskMessage, TaskRequest } from '../contract/task.ts';
import type { RuntimeTool } from '../contract/tool.ts';
import { buildHistory, type History, type HistoryLimits, shownToGuest } from './history-window.ts';
import { truncateTokens } from './inject.ts';
import { type FilesOf, usesTools } from './past-run.ts';
import { stablePart, standingPart } from './system-prompt.ts';
import { clipLine, formatSize } from './turn.ts';

export interface MemoryLimits {
  maxMemoryTokens: number;
  maxTaskTokens: number;
  maxDailyLogs: number;
  truncationStrategy: 'head' | 'tail' | 'smart';
  /** The place of memory: in the system prompt (the default), or in a separate user message before the history. */
  injection?: 'system' | 'message';
  /** Files in the viber's folder that are also hidden from the model. */
  excludePatterns?: readonly string[];
}

export interface ContextLimits {
  memory: MemoryLimits;
  history: HistoryLimits;
}

export interface ContextOptions {
  home: Home;
  viber: string;
  taskId: string;
  /** The run, and the session that its history comes from; absent: the viber's own of the task. */
  run: { id: string; session?: Session };
  limits: ContextLimits;
  /** The settings of `agents/{viber}.yaml`. A project's folder adds the five steps of coding work. */
  own?: OwnSettings;
  /** Skills that the model reads rather than calls, one per line. */
  skills?: string | undefined;
  /** Whether MEMORY.md, USER.md and the daily logs stay out, because people outside this gateway read the answer. */
  isWithoutMemory?: boolean | undefined;
  /** The guests whose messages the run answers, principals as text; undefined unless the run is for guests. */
  guests?: readonly string[] | undefined;
  /** One or two sentences: where the answer is read and what can be shown there. */
  channelNote: string;
  /** The outside caller's request; each given field replaces the one on disk. */
  override?: (Readonly<Partial<Omit<TaskRequest, 'artifacts'>>> & { artifacts?: readonly ArtifactRef[] }) | undefined;
  /** Returns what the viber remembers; absent if no feature remembers anything. */
  recall?(of: RecallFor): Promise<MemoryRecall>;
  /** The tools offered to the run. */
  tools?: readonly RuntimeTool[];
  /**
   * The current message: relevance is measured against it, and it becomes the message when the session has none of this
   * run.
   */
  query: string;
}

export interface Context extends Pick<History, 'resume' | 'isOver'> {
  /** The system prompt, identical for every message of the conversation. */
  instructions: string;
  /** The current plan and artifacts; '' when there are none. */
  standing: string;
  /** The conversation so far. Followed by the steps of `resume`, it is complete and in order. */
  messages: TaskMessage[];
  plan?: { text: string; plan: Plan };
  /** The hash of the plan on disk, for the tools' conflict check; undefined when there isn't one. */
  planHash: string | undefined;
  /** Whether the memory includes daily logs, which hold traces of what anyone has written (promise 40). */
  hasLogs: boolean;
  /**
   * Whether it holds anything not meant for everyone: memory, USER.md, quotes, files, or results of tools and earlier
   * runs.
   */
  isPrivate: boolean;
}

const LISTED_ARTIFACTS = 30;

/**
 * Reads and arranges the files of one run. The workspace's functions cache reads, so an unchanged file costs one
 * `stat`.
 * @throws WorkspaceError when a file cannot be read
 */
export async function assembleContext(options: ContextOptions): Promise<Context> {
  const { home, viber, taskId, limits, own: { prompt, folder } = {}, override = {} } = options;
  const files = openTask(home, taskId, viber);
  const [written, stored, artifacts, history] = await Promise.all([
    readBootstrap(home, viber),
    files.plan.read(),
    override.artifacts ?? files.artifacts.list(),
    readHistory(options),
  ]);
  const bootstrap = options.isWithoutMemory ? written.filter(({ tag }) => tag !== 'user') : written;
  const plan = override.plan === undefined ? stored : asPlan(override.plan);
  const { text: memory, hasLogs } = await recalledFor(options, plan?.plan);
  const goal = override.goal ?? '';
  const task = plan ? truncateTokens(plan.text, limits.memory.maxTaskTokens, limits.memory.truncationStrategy) : goal;

  const inMessage = limits.memory.injection === 'message' && memory !== '';
  const stable = stablePart({
    bootstrap,
    viber,
    channelNote: options.channelNote,
    agentPrompt: prompt,
    memory: inMessage ? '' : memory,
    // Guests don't learn that any memory exists.
    isWithheld: options.isWithoutMemory === true && options.guests === undefined && memory === '',
    coding: folder !== undefined,
    isGuest: options.guests !== undefined,
    skills: options.skills ?? '',
    tools: options.tools ?? [],
  });
  const messages = [...(override.messages ?? history.messages)];
  if (!override.messages && !history.hasMessage && options.query) messages.push({ role: 'user', text: options.query });
  if (inMessage) messages.unshift({ role: 'user', text: `Context from memory:\n${memory}` });
  return {
    instructions: stable,
    standing: standingPart(task, artifactLines(artifacts)),
    messages,
    resume: history.resume,
    isOver: history.isOver && !override.messages,
    ...(plan ? { plan: { text: plan.text, plan: plan.plan } } : {}),
    planHash: stored?.hash,
    hasLogs,
    isPrivate: memory !== '' || artifacts.length > 0 || history.hasSeen || bootstrap.some(({ tag }) => tag === 'user'),
  };
}

async function readHistory({
  home,
  viber,
  taskId,
  run: { id: runId, session = openTask(home, taskId, viber).session },
  limits,
  guests,
}: ContextOptions): Promise<History & { hasSeen: boolean }> {
  const tail = session.window(runId, limits.history.maxTokens);
  const hasSeen = !tail.isWhole || tail.entries.some(hasMore);
  const shown = guests === undefined ? tail : shownToGuest(tail, guests, runId);
  return { ...buildHistory(shown, runId, limits.history, (entry) => shownFiles(home, taskId, entry)), hasSeen };
}

/** An outside caller's memory replaces the viber's own. */
async function recalledFor(
  { viber, taskId, query, limits, override, isWithoutMemory, recall }: ContextOptions,
  plan: Plan | undefined,
): Promise<MemoryRecall> {
  const { maxMemoryTokens: maxTokens, truncationStrategy: strategy } = limits.memory;
  if (override?.memory !== undefined)
    return { text: truncateTokens(override.memory, maxTokens, strategy), hasLogs: false };
  const nothing = { text: '', hasLogs: false };
  return isWithoutMemory ? nothing : ((await recall?.({ viber, taskId, query, plan })) ?? nothing);
}

/** Returns whether an entry holds more than words that people typed and answers based on those alone. */
function hasMore(entry: SessionEntry): boolean {
  // The model only gets the words of a voice message.
  if (entry.type === 'message')
    return entry.files.some(({ id }) => !entry.spoken?.includes(id)) || entry.text.includes('<quoted');
  return entry.type === 'compaction' || (entry.type === 'step' && usesTools(entry.messages));
}

/**
 * Types of files that the model may be able to look at directly; their bytes decide. It reads everything else with
 * tools.
 */
const SHOWN = /^(?:image\/(?!svg)|application\/pdf$)/;
const VAGUE = /^(?:application\/(?:octet-stream|binary))?$/;
const NAMED = /\.(?:png|jpe?g|jfif|gif|webp|hei[cf]|avif|bmp|tiff?|pdf)$/i;

const mayBeShown = ({ type, title }: { type: string; title: string }): boolean =>
  SHOWN.test(type) || (VAGUE.test(type) && NAMED.test(title));

function shownFiles(home: Home, taskId: string, entry: Parameters<FilesOf>[0]): InputFile[] {
  const refs = entry.type === 'message' ? entry.files : (entry.shown ?? []);
  return refs
    .filter(
      ({ type, title, ref }) =>
        mayBeShown({ type, title }) && ref.startsWith(`artifacts/${taskId}/`) && !ref.includes('..'),
    )
    .map(({ title, type, ref }) => ({
      path: join(home.root, ref),
      name: title,
      mimeType: type || 'application/octet-stream',
    }));
}

const asPlan = (plan: string | Plan): { text: string; plan: Plan } =>
  typeof plan === 'string' ? { text: plan, plan: parsePlan(plan) } : { text: formatPlan(plan), plan };

/** Lists the newest artifacts, newest last; the model finds older ones with list_files. */
function artifactLines(artifacts: readonly (ArtifactRef & { size?: number })[]): string[] {
  const lines = artifacts.slice(-LISTED_ARTIFACTS).map(({ id, title, type, ref, size }) => {
    const bytes = isLink({ ref }) ? `, ${clipLine(ref, 200)}` : size === undefined ? '' : `, ${formatSize(size)}`;
    return `- ${id}: ${JSON.stringify(clipLine(title, 120))} (${type}${bytes})`;
  });
  const rest = artifacts.length - lines.length;
  return rest > 0 ? [`(${rest} older: list_files)`, ...lines] : lines;
}
