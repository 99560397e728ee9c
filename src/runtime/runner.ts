/**
 * One run of a task between claim and answer: files fetched, context assembled from the workspace, the agent's loop,
 * and what came of it written back (C1: the agent itself reads nothing from disk).
 */
import { principalText } from '../access/principal.ts';
import type { Channel, InboundMessage } from '../channels/channel.ts';
import { UserError } from '../errors.ts';
import { crashPoint } from '../faults.ts';
import { type Logger, scrub } from '../log.ts';
import type { Home } from '../workspace/home.ts';
import { appendSession } from '../workspace/sessions.ts';
import type { ArtifactRef, Json, SessionEntry, TaskRecord } from '../workspace/types.ts';
import { type Agent, RunError } from './agent.ts';
import type { Bus } from './bus.ts';
import { getButton } from './commands/artifacts.ts';
import { assembleContext, formatUserTurn, type MemoryLimits } from './context/context.ts';
import type { HistoryLimits } from './context/history-window.ts';
import type { Entry } from './entry.ts';
import { fetchFiles } from './inbox-files.ts';
import type { QueueItem } from './queue/queue.ts';
import { type AttachMode, attach } from './reply/attachments.ts';
import type { ButtonAction } from './reply/buttons.ts';
import { summarise } from './reply/reply.ts';
import { type Made, type RunOutcome, settle } from './reply/settle.ts';

import { createTools } from './tools/index.ts';

export type { RunOutcome } from './reply/settle.ts';

export interface RunInput {
  task: TaskRecord;
  run: string;
  items: readonly QueueItem<Entry>[];
  /** The session's lines of this run, when an earlier process began it. */
  earlier: readonly SessionEntry[];
  signal: AbortSignal;
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
  /** The run was cut and nothing goes on from it by itself. */
  interrupted(trace: string): RunOutcome;
  /** What may be attached to an answer. */
  attachRules(channel: Channel | undefined, channelId: string): { mode: AttachMode; maxBytes: number };
  /** The answer for one conversation: its text and the files that go along there. */
  present(
    taskId: string,
    outcome: RunOutcome,
    channel: Channel | undefined,
    channelId: string,
  ): Promise<{ text: string; files: Awaited<ReturnType<typeof attach>>['files']; buttons: ButtonAction[][] }>;
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
    const line: SessionEntry = { type: 'message', id: first.id, run, at, text: scrub(text), from, files: refs };
    await appendSession(home, task.viber, task.id, [line]);
    crashPoint('run:message-written');
  }

  const attachRules = (channel: Channel | undefined, channelId: string) => ({
    mode: settings.attach[channelId] ?? 'auto',
    maxBytes: channel?.limits.uploadBytes ?? Number.MAX_SAFE_INTEGER,
  });

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
            const line: SessionEntry = {
              type: 'step',
              run,
              at: new Date().toISOString(),
              index,
              messages: scrubbed(messages),
            };
            if (stepRefs.length > 0) line.artifactRefs = stepRefs;
            stepRefs = [];
            await appendSession(home, task.viber, task.id, [line], { sync: true });
            crashPoint('run:step-written');
          },
        },
      );
      return settle(outcome, made, { home, log, task, run, autoAccept: settings.memory.auto_accept });
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
    interrupted(trace) {
      const text = `I was interrupted before I had an answer (trace ${trace}).`;
      const button = { label: 'Continue', say: 'Please go on.' };
      return { state: 'error', text, summary: text, artifactRefs: [], error: 'interrupted', buttons: [[button]] };
    },
    stopped: () => ({ state: 'stopped', text: '', summary: 'stopped', artifactRefs: [], buttons: [] }),
    attachRules,
    async present(taskId, outcome, channel, channelId) {
      const rules = { ...attachRules(channel, channelId), maxFiles: MAX_ATTACHED };
      const { files, onRequest } = await attach(home, taskId, outcome.artifactRefs, rules);
      const list = onRequest.length > 0 ? `\n\nMore files: ${onRequest.map((file) => file.name).join(', ')}` : '';
      return {
        text: `${outcome.text}${list}`,
        files,
        buttons: [...outcome.buttons, ...onRequest.map((file) => [getButton(file, taskId)])],
      };
    },
  };
}

/** Transcripts hold no secrets either (T19). */
function scrubbed(messages: Json[]): Json[] {
  const text = JSON.stringify(messages);
  const clean = scrub(text);
  return clean === text ? messages : (JSON.parse(clean) as Json[]);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The side-effecting call that a crash cut, if there is one: announced, and no finished step after it. */
function cutCall(earlier: readonly SessionEntry[]): string | undefined {
  const call = earlier.findLastIndex((entry) => entry.type === 'call');
  const step = earlier.findLastIndex((entry) => entry.type === 'step');
  const entry = earlier[call];
  return entry?.type === 'call' && call > step ? entry.tool : undefined;
}
