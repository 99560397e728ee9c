/**
 * The middle of a run: context from the workspace, the tools it may use, the agent's loop with its journal in the session (C1:
 * the agent itself reads nothing from disk). Messages, scheduled jobs and agents asked by others all pass here.
 */

import { authoriseAction } from '../../access/authorise.ts';
import { principalText } from '../../access/principal.ts';
import { crashPoint } from '../../crash-points.ts';
import { type Logger, scrub } from '../../log.ts';
import type { Home } from '../../workspace/home.ts';
import { appendSession } from '../../workspace/sessions.ts';
import type { ArtifactRef, Json, SessionEntry } from '../../workspace/types.ts';
import type { Agent } from '../agent/agent.ts';
import { PLAN_FIRST, withConsent } from '../approvals/consent.ts';
import { openOutgoing } from '../approvals/outgoing.ts';
import { codingOf, stepsFor } from '../context/coding.ts';
import { assembleContext, type MemoryLimits } from '../context/context.ts';
import type { HistoryLimits } from '../context/history-window.ts';
import { usesTools } from '../context/past-run.ts';
import type { Order, Performed, Toolbox } from '../contract/order.ts';
import type { Made } from '../contract/outcome.ts';
import type { OwnSettings } from '../contract/settings.ts';
import type { Meter } from '../costs/meter.ts';
import type { Bus } from '../live/bus.ts';
import type { Compaction } from '../memory/compaction.ts';
import { throwWith } from '../reply/failure.ts';
import { forAsked, mayUse, shownAs, strictest } from '../tools/asked.ts';
import { forGuest } from '../tools/guests.ts';
import { createTools, type ToolScope } from '../tools/index.ts';
import { toldIn } from '../tools/result.ts';

/** The part of the configuration that every run looks at; docs/configuration.md says what each key means. */
export interface PerformSettings {
  fallback: string[];
  maxSteps: number | 'auto';
  memory: MemoryLimits & { auto_accept: boolean };
  history: HistoryLimits;
  /** Whether a task's first plan must be approved before anything is done. */
  plan_approval: 'on' | 'off';
  web: { hosts: string[] };
}

export interface PerformOptions {
  home: Home;
  agent: Agent;
  bus: Bus;
  meter: Meter;
  settings: PerformSettings;
  log: Logger;
  modelName: () => string;
  loadAgent: (viber: string) => Promise<OwnSettings>;
  toolbox?: Toolbox | undefined;
  /** Told of requests that had to leave something of their session out. */
  compaction?: Pick<Compaction, 'due'> | undefined;
}

/** Throws RunError, or a system error when the disk fails. */
export type Perform = (order: Order) => Promise<Performed>;

export function createPerform(options: PerformOptions): Perform {
  const { home, agent, settings } = options;

  return async (order) => {
    const { task, run, principal, earlier, signal, verdicts, words, asked } = order;
    const viber = order.viber ?? task.viber;
    const isGuest = principal.role === 'guest';
    const own = { ...(await options.loadAgent(viber)), ...order.own };
    const coding = await codingOf(home, task, [...words, ...order.names]);
    const refs = earlier.flatMap((entry) => (entry.type === 'step' ? (entry.artifactRefs ?? []) : []));
    const made: Made = { refs, pending: [], plan: undefined };
    let stepRefs: ArtifactRef[] = [];
    let hasSteps = earlier.some((entry) => entry.type === 'step');
    // What its people let it do holds for their own words, not for those of others who may speak (T4).
    const isTheirs = authoriseAction(principal, 'steer', task.people);
    const mode = strictest(own.mode ?? 'decide', asked?.mode);
    const always = isTheirs && !isGuest ? (task.always ?? []) : [];
    // Whoever asks an agent may have told it what they have seen.
    let isTainted = asked !== undefined;
    const outgoing = openOutgoing({
      ...{ home, task, viber, run, root: asked?.root ?? run, mode, always, hosts: settings.web.hosts },
      ...{ isGuest, isTainted: () => isTainted },
    });
    const scope: ToolScope = {
      ...{ home, viber, taskId: task.id, runId: run, planBase: undefined, isGuest },
      onPlan: (change) => {
        made.plan = change;
      },
      onArtifact: (ref) => {
        refs.push(ref);
        stepRefs.push(ref);
      },
      mayFollow: outgoing.mayFollow,
      onSuggestion: (suggestion) => made.pending.push(suggestion),
      // Nobody's words but an owner's own go in without a question (T17).
      autoAcceptMemory: settings.memory.auto_accept && principal.role === 'owner' && asked === undefined,
      provenance: `${principalText(principal)} in task ${task.id}`,
    };
    const offered = (await options.toolbox?.(order, own, scope)) ?? { tools: [], skills: '' };
    const context = await assembleContext({
      ...{ home, viber, taskId: task.id, runId: run, memory: settings.memory, history: settings.history },
      ...(own.prompt === undefined ? {} : { agentPrompt: own.prompt }),
      ...{ channelNote: order.place, now: new Date(), query: order.query, coding },
      ...(isGuest ? { guest: principalText(principal) } : { skills: offered.skills }),
      isWithoutMemory: isGuest || !order.tellsMemory,
    });
    scope.planBase = context.planHash;
    made.hasLogs = context.hasLogs;
    if (context.hasLogs) scope.autoAcceptMemory = false;
    if (context.isPrivate) isTainted = true;
    // What outlives the task is not written on a guest's word: a compaction leaves facts in the day's log.
    if (context.isOver && !isGuest)
      options.compaction?.due({ viber, taskId: task.id, person: principalText(principal) });
    // The plan is the asking side's, and approved there.
    const needsPlan = !asked && (own.plan_approval ?? settings.plan_approval) === 'on' && !task.approvedPlan;
    const told = toldIn(earlier.flatMap((entry) => (entry.type === 'step' ? entry.messages : [])));
    const all = createTools(scope, offered.tools, told);
    const rules = { mode, always, needsPlan, asksToReach: outgoing.asks };
    const allowed = withConsent(all.filter(mayUse(own, asked)), rules);
    const theirs = isGuest ? forGuest(allowed) : allowed;
    const tools = asked ? forAsked(theirs, asked) : theirs;
    const metered = { run: asked?.root ?? run, task: task.id, person: principalText(principal) };
    const added = [order.instructions ?? '', needsPlan ? PLAN_FIRST : ''].filter(Boolean);
    const running = agent.run(
      {
        ...{ taskId: task.id, runId: run, viber, goal: task.goal },
        ...{ messages: context.messages, resume: context.resume, verdicts },
        instructions: [...context.instructions, ...added],
        model: own.model ?? options.modelName(),
        fallback: own.fallback ?? settings.fallback,
        maxSteps: stepsFor(own.maxSteps ?? settings.maxSteps, coding),
        tools,
      },
      {
        ...{ signal, ...options.meter.hooks(metered) },
        onEvent: (event) => options.bus.emit(shownAs(event, asked)),
        onCall: async ({ callId, tool }) => {
          const line: SessionEntry = { type: 'call', run, at: new Date().toISOString(), callId, tool };
          await appendSession(home, viber, task.id, [line], { sync: true });
          crashPoint('run:call-written');
        },
        onStep: async ({ index, messages }) => {
          // A step of words alone has no effect to remember: the result line holds it.
          if (!usesTools(messages)) return;
          hasSteps = true;
          isTainted = true;
          const at = new Date().toISOString();
          const line: SessionEntry = { type: 'step', run, at, index, messages: scrubbed(messages) };
          if (stepRefs.length > 0) line.artifactRefs = stepRefs;
          stepRefs = [];
          await appendSession(home, viber, task.id, [line], { sync: true });
          crashPoint('run:step-written');
        },
      },
    );
    const outcome = await running.catch((error: unknown) => throwWith(error, { words: words.join('\n\n'), hasSteps }));
    return { outcome, made, tools };
  };
}

/** Transcripts hold no secrets either (T19). */
function scrubbed(messages: Json[]): Json[] {
  const text = JSON.stringify(messages);
  const clean = scrub(text);
  return clean === text ? messages : (JSON.parse(clean) as Json[]);
}
