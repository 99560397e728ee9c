/**
 * One run of a task between claim and answer: files fetched, context assembled from the workspace, the agent's loop,
 * and what came of it written back (C1: the agent itself reads nothing from disk).
 */
import { principalText } from '../access/principal.ts';
import type { Channel, InboundMessage } from '../channels/channel.ts';
import { UserError } from '../errors.ts';
import { crashPoint } from '../faults.ts';
import type { Logger } from '../log.ts';
import { createArtifact, findArtifact } from '../workspace/artifacts.ts';
import type { Home } from '../workspace/home.ts';
import { addToMemory } from '../workspace/memory/memory.ts';
import { addSuggestion, parseSuggestion, type Suggestion } from '../workspace/memory/suggestions.ts';
import { appendSession } from '../workspace/sessions.ts';
import type { ArtifactRef, SessionEntry, TaskRecord } from '../workspace/types.ts';
import { type Agent, type AgentOutcome, RunError } from './agent.ts';
import type { Bus } from './bus.ts';
import { getButton } from './commands/artifacts.ts';
import { suggestionButtons } from './commands/memory.ts';
import { assembleContext, formatUserTurn, type MemoryLimits } from './context/context.ts';
import type { HistoryLimits } from './context/history-window.ts';
import type { Entry } from './entry.ts';
import { fetchFiles } from './inbox-files.ts';
import type { QueueItem } from './queue/queue.ts';
import { type AttachMode, attach } from './reply/attachments.ts';
import type { ButtonAction } from './reply/buttons.ts';
import { parseReply, summarise } from './reply/reply.ts';
import type { TaskResult } from './task.ts';
import { createTools } from './tools/index.ts';
import type { PlanChange } from './tools/scope.ts';

export interface RunInput {
  task: TaskRecord;
  run: string;
  items: readonly QueueItem<Entry>[];
  /** The session's lines of this run, when an earlier process began it. */
  earlier: readonly SessionEntry[];
  signal: AbortSignal;
}

/** What the session's `result` line and the answer are made of. */
export interface RunOutcome extends TaskResult {
  state: 'completed' | 'error' | 'stopped';
  usage?: { inputTokens: number; outputTokens: number };
  error?: string;
  buttons: ButtonAction[][];
}

/** The part of the configuration that a run looks at; docs/configuration.md says what each key means. */
export interface RunSettings {
  fallback: string[];
  maxSteps: number;
  memory: MemoryLimits & { auto_accept: boolean };
  history: HistoryLimits;
  limits: { downloadBytes: number; filesPerMessage: number };
  /** By channel; `auto` where there is none. */
  attach: Readonly<Record<string, AttachMode | undefined>>;
}

/** What a viber has of its own (`agents/{viber}.yaml`). */
export interface OwnSettings {
  model?: string | undefined;
  fallback?: string[] | undefined;
  maxSteps?: number | undefined;
  prompt?: string | undefined;
  tools?: string[] | undefined;
}

export interface RunnerOptions {
  home: Home;
  agent: Agent;
  bus: Bus;
  settings: RunSettings;
  log: Logger;
  channelOf: (message: InboundMessage) => Channel | undefined;
  modelName: () => string;
  loadAgent: (viber: string) => Promise<OwnSettings>;
}

export interface Runner {
  /** Throws RunError, or a system error when the disk fails. */
  run(input: RunInput): Promise<RunOutcome>;
  failed(error: unknown, trace: string): RunOutcome;
  stopped(): RunOutcome;
  /** The answer for one conversation: its text and the files that go along there. */
  present(
    taskId: string,
    outcome: RunOutcome,
    channel: Channel | undefined,
    channelId: string,
  ): Promise<{ text: string; files: Awaited<ReturnType<typeof attach>>['files']; buttons: ButtonAction[][] }>;
}

/** What the tools of a run have left for its answer. */
interface Made {
  refs: ArtifactRef[];
  pending: Suggestion[];
  plan: PlanChange | undefined;
}

const MAX_ATTACHED = 10;

export function createRunner(options: RunnerOptions): Runner {
  const { home, agent, settings, log } = options;

  /** The person's words and files as a session line; files are fetched here, after the sender was let in. */
  async function takeIn({ task, run, items, signal }: RunInput): Promise<void> {
    const messages = items.map((item) => item.message.message);
    const first = items[0] as QueueItem<Entry>;
    const sender = first.message.message.sender;
    const fetched = await fetchFiles(messages, {
      home,
      taskId: task.id,
      limits: settings.limits,
      signal,
      channelOf: options.channelOf,
    });
    const text = formatUserTurn({
      text: messages
        .map((message) => message.text)
        .filter(Boolean)
        .join('\n\n'),
      facts: [
        ...(messages.some((message) => message.kind === 'edit')
          ? ['This is the new text of a message sent before.']
          : []),
        ...messages.flatMap((message) => message.facts),
        ...fetched.problems,
      ],
      quotes: messages.flatMap((message) => message.quotes),
      files: fetched.files,
      ...(first.message.message.isDirect ? {} : { speaker: sender.name }),
    });
    const from = {
      channel: first.message.principal.channel,
      user: principalText(first.message.principal),
      name: sender.name,
    };
    const at = first.acceptedAt;
    const refs = fetched.files.map(({ id, title, type, ref }) => ({ id, title, type, ref }));
    const line: SessionEntry = { type: 'message', id: first.id, run, at, text, from, files: refs };
    await appendSession(home, task.viber, task.id, [line]);
    crashPoint('run:message-written');
  }

  async function apply(input: RunInput, outcome: AgentOutcome, made: Made): Promise<RunOutcome> {
    const { task, run } = input;
    const { refs, pending } = made;
    const reply = parseReply(outcome.text);
    for (const problem of reply.problems) log.warn({ trace: run, problem }, 'a block of the reply could not be used');
    for (const [index, delta] of reply.artifactDeltas.entries()) {
      const content = Buffer.from(delta.content);
      // A file that a person sent in is never replaced by an answer.
      const known = delta.id === undefined ? undefined : await findArtifact(home, task.id, delta.id);
      const id = delta.id !== undefined && known?.origin !== 'user' ? delta.id : `${run.slice(0, 8)}-${index + 1}`;
      refs.push(
        await createArtifact(home, task.id, { id, title: delta.title, type: delta.type, content, origin: 'agent' }),
      );
    }
    for (const suggestion of reply.memorySuggestions) {
      const parsed = { ...parseSuggestion(suggestion), provenance: `task ${task.id}` };
      if (settings.memory.auto_accept) await addToMemory(home, task.viber, parsed);
      else pending.push(await addSuggestion(home, task.viber, parsed));
    }
    const asked = [...new Map(pending.map((suggestion) => [suggestion.id, suggestion])).values()];
    const question = asked.map((suggestion) => `> May I remember this? ${suggestion.text}`).join('\n');
    // A hand edit wins; what the agent would have written is shown (C20).
    const proposal =
      made.plan?.status === 'conflict'
        ? `The plan was edited meanwhile, so yours stands. I would have written:\n\n${made.plan.proposal}`
        : '';
    const text = [reply.visible.trim(), proposal, question].filter(Boolean).join('\n\n');
    const unique = [...new Map(refs.map((ref) => [ref.id, ref])).values()];
    return {
      state: 'completed',
      text: text === '' && unique.length === 0 ? 'Done.' : text,
      summary: summarise(text || unique.map((ref) => ref.title).join(', ')),
      artifactRefs: unique,
      usage: outcome.usage,
      buttons: asked.map(suggestionButtons),
    };
  }

  return {
    async run(input) {
      const { task, run, earlier, signal } = input;
      const cut = cutCall(earlier);
      if (cut) {
        const text = `I was interrupted while using ${cut}; it may or may not have happened. Look before you continue (trace ${run}).`;
        const button = { label: 'Continue', say: `Please continue. Check first whether ${cut} took effect.` };
        return {
          state: 'error',
          text,
          summary: summarise(text),
          artifactRefs: [],
          error: 'interrupted',
          buttons: [[button]],
        };
      }
      if (!earlier.some((entry) => entry.type === 'message')) await takeIn(input);
      const refs = earlier.flatMap((entry) => (entry.type === 'step' ? (entry.artifactRefs ?? []) : []));
      const made: Made = { refs, pending: [], plan: undefined };
      const own = await options.loadAgent(task.viber);
      const first = input.items[0]?.message.message;
      const context = await assembleContext({
        ...{ home, viber: task.viber, taskId: task.id, runId: run, memory: settings.memory, history: settings.history },
        ...(own.prompt === undefined ? {} : { agentPrompt: own.prompt }),
        channelNote: first ? `${first.address.channel}, ${first.isDirect ? 'direct message' : 'group'}` : '',
        now: new Date(),
        query: first?.text ?? '',
      });
      let stepRefs: ArtifactRef[] = [];
      const tools = createTools({
        ...{ home, viber: task.viber, taskId: task.id, runId: run, planBase: context.planHash },
        onPlan: (change) => {
          made.plan = change;
        },
        onArtifact: (ref) => {
          refs.push(ref);
          stepRefs.push(ref);
        },
        onSuggestion: (suggestion) => made.pending.push(suggestion),
        autoAcceptMemory: settings.memory.auto_accept,
        provenance: `task ${task.id}`,
      });
      const allowed = own.tools;
      const outcome = await agent.run(
        {
          ...{ taskId: task.id, runId: run, viber: task.viber, goal: task.goal },
          ...{ messages: context.messages, instructions: context.instructions, resume: context.resume },
          model: own.model ?? options.modelName(),
          fallback: own.fallback ?? settings.fallback,
          maxSteps: own.maxSteps ?? settings.maxSteps,
          tools: allowed ? tools.filter((tool) => allowed.includes(tool.name)) : tools,
        },
        {
          signal,
          onEvent: (event) => options.bus.emit(event),
          onCall: async ({ callId, tool }) => {
            const line: SessionEntry = { type: 'call', run, at: new Date().toISOString(), callId, tool };
            await appendSession(home, task.viber, task.id, [line], { sync: true });
          },
          onStep: async ({ index, messages }) => {
            // A step of words alone has no effect to remember: the result line holds it.
            if (!messages.some((message) => isObject(message) && message.role === 'tool')) return;
            const line: SessionEntry = { type: 'step', run, at: new Date().toISOString(), index, messages };
            if (stepRefs.length > 0) line.artifactRefs = stepRefs;
            stepRefs = [];
            await appendSession(home, task.viber, task.id, [line], { sync: true });
            crashPoint('run:step-written');
          },
        },
      );
      return apply(input, outcome, made);
    },
    failed(error, trace) {
      const known = error instanceof RunError || error instanceof UserError;
      if (!known) log.error({ err: error, trace }, 'the run failed');
      else log.warn({ err: error, trace }, 'the run failed');
      const what =
        error instanceof RunError
          ? error.userMessage
          : known
            ? (error as Error).message
            : 'Something went wrong on my side.';
      const text = `${what} (trace ${trace})`;
      const button = { label: 'Retry', say: 'Please try that again.' };
      return { state: 'error', text, summary: summarise(text), artifactRefs: [], error: what, buttons: [[button]] };
    },
    stopped: () => ({ state: 'stopped', text: '', summary: 'stopped', artifactRefs: [], buttons: [] }),
    async present(taskId, outcome, channel, channelId) {
      const mode = settings.attach[channelId] ?? 'auto';
      const rules = { mode, maxBytes: channel?.limits.uploadBytes ?? Number.MAX_SAFE_INTEGER, maxFiles: MAX_ATTACHED };
      const { files, onRequest } = await attach(home, taskId, outcome.artifactRefs, rules);
      const list = onRequest.length > 0 ? `\n\nMore files: ${onRequest.map((file) => file.name).join(', ')}` : '';
      return {
        text: `${outcome.text}${list}`,
        files,
        buttons: [...outcome.buttons, ...onRequest.map((file) => [getButton(file)])],
      };
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The side-effecting call that a crash cut, if there is one: announced, and no finished step after it. */
function cutCall(earlier: readonly SessionEntry[]): string | undefined {
  const call = earlier.findLastIndex((entry) => entry.type === 'call');
  const step = earlier.findLastIndex((entry) => entry.type === 'step');
  const entry = earlier[call];
  return entry?.type === 'call' && call > step ? entry.tool : undefined;
}
