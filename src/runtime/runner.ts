/**
 * One run of a task between claim and answer: files fetched, context assembled from the workspace, the agent's loop,
 * and what came of it written back (C1: the agent itself reads nothing from disk).
 */
import { authoriseAction } from '../access/authorise.ts';
import { principalText } from '../access/principal.ts';
import type { Channel, InboundMessage } from '../channels/channel.ts';
import { crashPoint } from '../faults.ts';
import { type Logger, scrub } from '../log.ts';
import type { Home } from '../workspace/home.ts';
import { appendSession } from '../workspace/sessions.ts';
import { readTask } from '../workspace/tasks.ts';
import type { ArtifactRef, Json, SessionEntry, TaskRecord } from '../workspace/types.ts';
import type { Agent, Verdict } from './agent.ts';
import { PLAN_FIRST, type WorkingMode, withConsent } from './approvals/consent.ts';
import type { Parking } from './approvals/parking.ts';
import type { Bus } from './bus.ts';
import { getButton } from './commands/artifacts.ts';
import { codingOf, stepsFor } from './context/coding.ts';
import { assembleContext, formatUserTurn, type MemoryLimits } from './context/context.ts';
import type { HistoryLimits } from './context/history-window.ts';
import { cutCall, usesTools } from './context/past-run.ts';
import type { Entry } from './entry.ts';
import { fetchFiles } from './inbox-files.ts';
import type { Meter } from './meter.ts';
import type { QueueItem } from './queue/queue.ts';
import { type AttachMode, attach } from './reply/attachments.ts';
import type { ButtonAction } from './reply/buttons.ts';
import { failure, interruptedRun, interruptedWhile, throwWith } from './reply/failure.ts';
import { type Made, type RunOutcome, settle } from './reply/settle.ts';

import { reasonOf } from './run-abort.ts';
import { createTools } from './tools/index.ts';

export type { RunOutcome } from './reply/settle.ts';

export interface RunInput {
  task: TaskRecord;
  run: string;
  items: readonly QueueItem<Entry>[];
  /** Everybody's messages that this run answers; `items` are among them. */
  answered: readonly QueueItem<Entry>[];
  /** The session's lines of this run, when an earlier process began it. */
  earlier: readonly SessionEntry[];
  signal: AbortSignal;
  /** Ends the fetching of files: a newer message does not, since what was said before it stays said. */
  intake: AbortSignal;
}

/** The part of the configuration that a run looks at; docs/configuration.md says what each key means. */
export interface RunSettings {
  fallback: string[];
  maxSteps: number | 'auto';
  memory: MemoryLimits & { auto_accept: boolean };
  history: HistoryLimits;
  limits: { downloadBytes: number; filesPerMessage: number };
  /** Whether a task's first plan must be approved before anything is done. */
  plan_approval: 'on' | 'off';
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
  mode?: WorkingMode | undefined;
  plan_approval?: 'on' | 'off' | undefined;
}

export interface RunnerOptions {
  home: Home;
  agent: Agent;
  bus: Bus;
  meter: Meter;
  parking: Parking;
  settings: RunSettings;
  log: Logger;
  channelOf: (message: InboundMessage) => Channel | undefined;
  modelName: () => string;
  loadAgent: (viber: string) => Promise<OwnSettings>;
}

export interface Runner {
  /** Undefined: there was nothing to go on with. Throws RunError, or a system error when the disk fails. */
  run(input: RunInput): Promise<RunOutcome | undefined>;
  failed(error: unknown, trace: string): RunOutcome;
  stopped(trace?: string): RunOutcome;
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
  async function takeIn({ task, run, items, intake }: RunInput): Promise<void> {
    const messages = items.map((item) => item.message.message);
    const first = items[0] as QueueItem<Entry>;
    const sender = first.message.message.sender;
    const fetched = await fetchFiles(messages, {
      home,
      taskId: task.id,
      limits: settings.limits,
      signal: intake,
      channelOf: options.channelOf,
    }).catch((error: unknown) => {
      if (reasonOf(intake) !== 'stop') throw error;
      return { files: [], problems: ['The files were not fetched: it was stopped.'] };
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
    const takenAt = new Date().toISOString();
    const line: SessionEntry = {
      type: 'message',
      id: first.id,
      run,
      at,
      takenAt,
      text: scrub(text),
      from,
      files: refs,
    };
    if (items.length > 1) line.also = items.slice(1).map((item) => item.id);
    await appendSession(home, task.viber, task.id, [line]);
    crashPoint('run:message-written');
  }

  const attachRules = (channel: Channel | undefined, channelId: string) => ({
    mode: settings.attach[channelId] ?? 'auto',
    maxBytes: channel?.limits.uploadBytes ?? Number.MAX_SAFE_INTEGER,
  });

  const stopped = (trace = ''): RunOutcome => ({
    ...{ state: 'stopped', text: '', summary: 'stopped', artifactRefs: [], buttons: [] },
    ...options.meter.used(trace),
  });

  /** What waits for a person gives way to what they write. */
  async function giveWay(input: RunInput): Promise<ReadonlyMap<string, Verdict>> {
    await options.parking.giveWay(input);
    return new Map();
  }

  return {
    async run(input) {
      const { task, run, earlier, signal } = input;
      const cut = cutCall(earlier);
      if (cut) return { ...interruptedWhile(cut, run), ...options.meter.used(run) };
      const resumed = (input.items[0] as QueueItem<Entry>).message.resume;
      const verdicts = resumed ? await options.parking.resume(input, resumed.approval) : await giveWay(input);
      if (verdicts === 'void') return undefined;
      // A decision may have changed the record.
      const consents = (await readTask(home, task.id)) ?? task;
      if (verdicts === 'stop') return stopped(run);
      if (!earlier.some((entry) => entry.type === 'message')) await takeIn(input);
      const refs = earlier.flatMap((entry) => (entry.type === 'step' ? (entry.artifactRefs ?? []) : []));
      const made: Made = { refs, pending: [], plan: undefined };
      const own = await options.loadAgent(task.viber);
      const { message: first, principal } = (input.items[0] as QueueItem<Entry>).message;
      const metered = { run, task: task.id, person: principalText(principal) };
      const words = input.items.map((item) => item.message.message.text).filter(Boolean);
      const names = input.items.flatMap((item) => item.message.message.files.map((file) => file.name));
      const coding = await codingOf(home, task, [...words, ...names]);
      let hasSteps = earlier.some((entry) => entry.type === 'step');
      const context = await assembleContext({
        ...{ home, viber: task.viber, taskId: task.id, runId: run, memory: settings.memory, history: settings.history },
        ...(own.prompt === undefined ? {} : { agentPrompt: own.prompt }),
        channelNote: `${first.address.channel}, ${first.isDirect ? 'direct message' : 'group'}`,
        ...{ now: new Date(), query: first.text, coding },
      });
      let stepRefs: ArtifactRef[] = [];
      const needsPlan = (own.plan_approval ?? settings.plan_approval) === 'on' && !consents.approvedPlan;
      const all = createTools({
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
      // What its people let it do holds for their own words, not for those of others who may speak (T4).
      const isTheirs = authoriseAction(principal, 'steer', task.people);
      const rules = { mode: own.mode ?? 'decide', always: isTheirs ? (consents.always ?? []) : [], needsPlan };
      const tools = withConsent(allowed ? all.filter((tool) => allowed.includes(tool.name)) : all, rules);
      const running = agent.run(
        {
          ...{ taskId: task.id, runId: run, viber: task.viber, goal: task.goal },
          ...{ messages: context.messages, resume: context.resume, verdicts },
          instructions: needsPlan ? [...context.instructions, PLAN_FIRST] : context.instructions,
          model: own.model ?? options.modelName(),
          fallback: own.fallback ?? settings.fallback,
          maxSteps: stepsFor(own.maxSteps ?? settings.maxSteps, coding),
          tools,
        },
        {
          ...{ signal, ...options.meter.hooks(metered) },
          onEvent: (event) => options.bus.emit(event),
          onCall: async ({ callId, tool }) => {
            const line: SessionEntry = { type: 'call', run, at: new Date().toISOString(), callId, tool };
            await appendSession(home, task.viber, task.id, [line], { sync: true });
            crashPoint('run:call-written');
          },
          onStep: async ({ index, messages }) => {
            // A step of words alone has no effect to remember: the result line holds it.
            if (!usesTools(messages)) return;
            hasSteps = true;
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
      const outcome = await running
        .catch((error: unknown) => throwWith(error, { words: words.join('\n\n'), hasSteps }))
        .finally(() => options.meter.ended(metered));
      if (outcome.parked) return await options.parking.park(input, outcome, tools);
      const settled = await settle(outcome, made, { home, log, task, run, autoAccept: settings.memory.auto_accept });
      return { ...settled, ...options.meter.used(run) };
    },
    failed: (error, trace) => ({ ...failure(error, trace, log), ...options.meter.used(trace) }),
    interrupted: (trace) => ({ ...interruptedRun(trace), ...options.meter.used(trace) }),
    stopped,
    attachRules,
    async present(taskId, outcome, channel, channelId) {
      const rules = { ...attachRules(channel, channelId), maxFiles: MAX_ATTACHED };
      const { files, onRequest } = await attach(home, taskId, outcome.artifactRefs, rules);
      const list = onRequest.length > 0 ? `\n\nMore files: ${onRequest.map((file) => file.name).join(', ')}` : '';
      return {
        text: `${outcome.text}${list}`,
        files: [...(outcome.files ?? []), ...files],
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
