/**
 * Assembles the request to the model: context from the workspace, and the tools that the run may use, each waiting for
 * consent if it must.
 */

import { authoriseAction } from '../../access/authorise.ts';
import { principalText } from '../../access/principal.ts';
import { say } from '../../messages/messages.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { addUsage } from '../../workspace/usage.ts';
import { PLAN_FIRST, withConsent } from '../approvals/consent.ts';
import { type Outgoing, openOutgoing } from '../approvals/outgoing.ts';
import { assembleContext } from '../context/context.ts';
import { mentionsTime } from '../context/system-prompt.ts';
import { dataBlock, visibleText } from '../context/turn.ts';
import type { AgentOutcome, AgentRequest } from '../contract/agent.ts';
import type { MemoryRecall, RecallFor } from '../contract/feature.ts';
import type { AgentResult, FeatureOffer, Order, ResultCount, RunBudget } from '../contract/order.ts';
import type { RunResults } from '../contract/outcome.ts';
import { RunError } from '../contract/run-error.ts';
import type { OwnSettings, Thinking } from '../contract/settings.ts';
import type { RuntimeTool } from '../contract/task.ts';
import type { ToolScope } from '../contract/tool-scope.ts';
import { historyLimits } from '../model/models.ts';
import { throwWith } from '../reply/failure.ts';
import { mayUse, shownAs, strictest } from '../tools/asked.ts';
import { isOffered, offerTools } from '../tools/bind.ts';
import { createTools } from '../tools/index.ts';
import { factsOf, refusedToGuest, refusedToPart, withRefusal } from '../tools/offered.ts';
import { toldIn } from '../tools/result.ts';
import { SERVICE_TOOLS, toolNamed } from '../tools/table.ts';
import type { FeatureRun, Gateway } from './gateway.ts';
import { journal, type Progress, progressOf, sessionOf } from './journal.ts';
import { readNamed } from './read-file.ts';

/** Types of pictures that models look at, and the limit on pictures from tools in one run. */
const SHOWN = /^image\/(png|jpeg|gif|webp)$/;
const MAX_SHOWN = 10;

/** Limit on tools that come and go, in one run. Providers refuse a request with more than 128 in all. */
const MAX_OFFERED = 100;

interface Rules {
  own: OwnSettings;
  mode: ReturnType<typeof strictest>;
  always: NonNullable<Order['task']['always']>;
  needsPlan: boolean;
}

/** @throws RunError, or a system error if the disk fails */
export async function runAgent(order: Order, gw: Gateway): Promise<AgentResult> {
  const { task, run, signal, words, asked } = order;
  const progress = progressOf(order);
  const assembled = order.watch?.stage?.('context');
  let request = await assemble(order, progress, gw);
  assembled?.();
  const meter = gw.models.spending.hooks(chargedFor(order));
  const hooks = {
    signal,
    ...meter,
    ...journal(order, progress, gw.home),
    beforeCall() {
      progress.budget.calls += 1;
      // Results of tools count as seen from the next call on.
      progress.isTainted ||= progress.hasSteps;
      meter.beforeCall();
    },
    ...(order.watch && { watch: order.watch }),
    ...(order.owner && { check: () => order.owner?.check() }),
    onEvent(event: Parameters<typeof shownAs>[0]) {
      // The text of an agent that was asked isn't an answer to a person yet.
      if (event.type === 'text-delta' && !asked && event.content.trim() !== '') order.watch?.word();
      // The run that delegates a part shows its progress.
      if (!asked?.part) gw.tasks.bus.emit(asked ? shownAs(event, asked) : event);
    },
  };
  try {
    let outcome = await gw.models.agent.run(request, hooks);
    while (outcome.finish === 'other-tools') {
      const stored = openTask(gw.home, task.id).record() ?? task;
      request = await assemble({ ...order, task: stored, earlier: sessionOf(order, gw.home).run(run) }, progress, gw);
      const { usage } = outcome;
      const next = await gw.models.agent.run(request, hooks);
      outcome = { ...next, usage: addUsage(usage, next.usage) };
    }
    if (order.job && isForNothing(outcome, progress)) {
      const { model } = outcome;
      throw new RunError('empty', say('failures.emptyFrom', { model }), { detail: `${model}: no words for a job` });
    }
    return { outcome, made: progress.made, tools: request.tools };
  } catch (error) {
    throwWith(error, { words: words.join('\n\n'), hasSteps: progress.hasSteps });
  }
}

/** The limit on model calls of one run, unless a setting or a feature has another. */
const STEPS = 30;

const stepsFor = (maxSteps: number | 'auto', offered: FeatureOffer): number =>
  maxSteps === 'auto' ? (offered.maxSteps ?? STEPS) : maxSteps;

const chargedFor = ({ task, run, principal, asked }: Order) => ({
  run: asked?.root ?? run,
  task: task.id,
  person: principalText(principal),
});

async function assemble(order: Order, progress: Progress, gw: Gateway): Promise<AgentRequest> {
  const { home, config } = gw;
  const { task, run, principal } = order;
  const viber = order.viber ?? task.viber;
  const isGuest = principal.role === 'guest';
  const own = { ...(await gw.models.loadAgent(viber)), ...order.own };
  const rules = rulesOf(order, own, config);
  let opened: Outgoing | undefined;
  // Most runs send nothing out.
  const outgoing = () =>
    (opened ??= openOutgoing({
      home,
      task,
      viber,
      run,
      isGuest,
      root: order.asked?.root ?? run,
      mode: rules.mode,
      always: rules.always,
      hosts: config.web.hosts,
      isTainted: () => progress.isTainted,
    }));
  const scope = scopeOf(order, progress, outgoing, gw);
  const offered = await toolboxOf(order, own, scope, progress, gw);
  const tools = runTools(order, scope, offered, rules, { outgoing, told: progress.budget.told });
  const model = modelFor(order, own, gw);
  const history = historyLimits(config.history, [model.model, ...model.fallback]);
  const context = await assembleContext({
    tools,
    home,
    viber,
    taskId: task.id,
    run: { id: run, session: sessionOf(order, home) },
    limits: { memory: config.memory, history },
    own,
    channelNote: order.place,
    recall: (of) => recallFrom(of, gw),
    query: order.query,
    ...(isGuest ? { guests: [principal, ...(order.others ?? [])].map(principalText) } : { skills: offered.skills }),
    isWithoutMemory: isGuest || !order.tellsMemory,
    override: order.given,
  });
  scope.planBase = context.planHash;
  if (context.plan) progress.made.planBefore = context.plan.plan;
  progress.made.hasLogs = context.hasLogs;
  if (context.hasLogs) scope.autoAcceptMemory = false;
  if (context.isPrivate) progress.isTainted = true;
  // Guests must not cause anything that outlives the task: a compaction leaves facts in the day's log.
  if (context.isOver && !isGuest)
    for (const { cut } of gw.features.on)
      cut?.({ viber, taskId: task.id, person: principalText(principal), maxTokens: history.maxTokens }, gw);
  const { budget } = progress;
  budget.maxCalls = stepsFor(own.maxSteps ?? config.maxSteps, offered);
  return {
    taskId: task.id,
    runId: run,
    viber,
    goal: task.goal,
    messages: context.messages,
    resume: context.resume,
    ...(order.decided?.run === run && { verdicts: order.decided.verdicts }),
    instructions: [context.instructions, ...addedInstructions(order, offered, rules)],
    ...model,
    standing: [
      context.standing,
      offered.standing ?? '',
      `[${gw.people.nowFor(principal, { run, mayAsk: () => mayAskZone(order) })}]`,
    ]
      .filter(Boolean)
      .join('\n\n'),
    ...(order.language !== undefined && { language: order.language }),
    maxSteps: budget.maxCalls,
    ofParts: () => budget.ofParts,
    tools,
  };
}

function addedInstructions(order: Order, offered: FeatureOffer, { needsPlan }: Rules): string[] {
  const { instructions = '', given } = order;
  const all = [offered.instructions ?? '', instructions, needsPlan ? PLAN_FIRST : ''];
  if (given?.instructions !== undefined) all.push(programsInstructions(given.instructions));
  return all.filter(Boolean);
}

/** They come last, so that a change in them leaves a provider's cache of everything before. */
const programsInstructions = (text: string): string =>
  `The program that sent this message instructs you as follows; everything above comes first:\n${dataBlock('instructions', visibleText(text))}`;

/** Joins what the features remember for a run. */
export async function recallFrom(of: RecallFor, gw: Gateway): Promise<MemoryRecall> {
  const all = await Promise.all(gw.features.on.flatMap(({ recall }) => recall?.(of, gw) ?? []));
  return {
    text: all
      .map(({ text }) => text)
      .filter(Boolean)
      .join('\n\n'),
    hasLogs: all.some(({ hasLogs }) => hasLogs),
  };
}

/** Whether a person is there to answer, and their words mention a time. */
const mayAskZone = ({ job, asked, words }: Order): boolean => !job && !asked && words.some(mentionsTime);

/**
 * Chooses the model. The conversation's choice takes precedence over the viber's own; jobs and other agents that were
 * asked have their own.
 */
function modelFor(
  { address, job, asked, own: ordered }: Order,
  own: OwnSettings,
  { config, models }: Gateway,
): { model: string; fallback: string[]; thinking?: Thinking } {
  const here = address && !job && (!asked || asked.part) ? models.chosen(address) : undefined;
  const model = ordered?.model ?? here?.model ?? own.model ?? models.modelName();
  const fallback = (own.fallback ?? config.fallback).filter((name) => name !== model);
  return { model, fallback, ...(here?.thinking && { thinking: here.thinking }) };
}

function rulesOf({ task, principal, asked }: Order, own: OwnSettings, config: Gateway['config']): Rules {
  // Consents of the task's people apply to their own words, not to those of others who may speak.
  const isTheirs = authoriseAction(principal, 'steer', task.people);
  return {
    own,
    mode: asked ? strictest(own.mode ?? 'decide', asked.mode) : (own.mode ?? 'decide'),
    always: isTheirs && principal.role !== 'guest' ? (task.always ?? []) : [],
    // The plan belongs to the asking side and is approved there.
    needsPlan: !asked && (own.planApproval ?? config.planApproval) === 'on' && !task.approvedPlan,
  };
}

function scopeOf(order: Order, progress: Progress, outgoing: () => Outgoing, gw: Gateway): ToolScope {
  const { task, viber = task.viber, run, principal, asked } = order;
  const { home, config } = gw;
  const { made } = progress;
  return {
    home,
    viber,
    taskId: task.id,
    runId: run,
    planBase: undefined,
    isGuest: principal.role === 'guest',
    onPlan: (change) => {
      made.plan = change;
    },
    onArtifact: (ref) => {
      made.refs.push(ref);
      progress.stepRefs.push(ref);
    },
    onShown: ({ id, title, type, ref }) => {
      if (!SHOWN.test(type) || progress.shown >= MAX_SHOWN) return false;
      progress.shown += 1;
      progress.stepShown.push({ id, title, type, ref });
      return true;
    },
    mayFollow: (from, to) => outgoing().mayFollow(from, to),
    textOf: (file, signal) => readNamed(file, { ...chargedFor(order), signal }, gw),
    // Only an owner's own words are stored without a question.
    autoAcceptMemory: config.memory.autoAccept && principal.role === 'owner' && asked === undefined,
    provenance: `${principalText(principal)} in task ${task.id}`,
  };
}

function runTools(
  order: Order,
  scope: ToolScope,
  { tools: offered, isBeyond }: FeatureOffer,
  { own, mode, always, needsPlan }: Rules,
  { outgoing, told }: { outgoing: () => Outgoing; told: ResultCount },
): RuntimeTool[] {
  const { principal, earlier, asked } = order;
  const facts = factsOf(order);
  const count = (): ResultCount => {
    told.characters ??= toldIn(earlier.flatMap((entry) => (entry.type === 'step' ? entry.messages : [])));
    return told;
  };
  // Every tool passes here, whatever its source. A tool that says nothing about guests is never offered to them.
  const part = asked?.part;
  const all = createTools(scope, offered, count).filter(
    (tool) => isOffered(tool, facts) && (!part || tool.effect === 'read' || part.tools.has(tool.name)),
  );
  const isLimited = own.tools !== undefined || asked !== undefined;
  const allowed = withConsent(isLimited ? all.filter(mayUse(own, asked)) : all, {
    mode,
    always,
    needsPlan,
    asksToReach: (tool, input, callId) => outgoing().asks(tool, input, callId),
    ...(isBeyond ? { isBeyond } : {}),
  });
  if (principal.role === 'guest') return withRefusal(allowed, refusedToGuest);
  return part ? withRefusal(allowed, refusedToPart) : allowed;
}

/**
 * Whether a job produced nothing: nobody sees what its tools did, so without a text, a file or a message it was for
 * nothing.
 */
const isForNothing = ({ isWordless, beside = [] }: AgentOutcome, { made }: Progress): boolean =>
  isWordless === true &&
  made.refs.length === 0 &&
  !beside.some(({ tools }) => tools.some((name) => toolNamed(name)?.speaks));

/** Collects what a run is offered in addition to the tools of every run. */
export async function toolboxOf(
  order: Order,
  own: OwnSettings,
  scope: ToolScope,
  { made, budget }: { made: RunResults; budget?: RunBudget },
  gw: Gateway,
): Promise<FeatureOffer> {
  const may = (tool: { name: string }) => mayUse(own, order.asked)(tool);
  const run: FeatureRun = { gw, scope, order, own, made, budget, mayUse: (name) => may({ name }) };
  const { on, tools: ofFeatures } = gw.features;
  const [tools, ...offered] = await Promise.all([
    offerTools([...SERVICE_TOOLS, ...ofFeatures], run, factsOf(order)),
    ...on.flatMap(({ offers }) => (offers?.when(order, own, gw) ? offers.tools(order, own, scope, gw) : [])),
  ]);
  const isLimited = own.tools !== undefined || order.asked !== undefined;
  const found = offered.flatMap((each) => each.tools).filter((tool) => !isLimited || may(tool));
  const limits = offered.flatMap(({ maxSteps }) => maxSteps ?? []);
  if (found.length > MAX_OFFERED)
    gw.log.warn({ tools: found.length }, 'too many tools: name those needed in mcp.NAME.tools');
  return {
    tools: [...tools, ...found.slice(0, MAX_OFFERED)],
    skills: offered.flatMap(({ skills }) => skills ?? []).join('\n'),
    instructions: offered.flatMap(({ instructions }) => instructions ?? []).join('\n\n'),
    standing: offered.flatMap(({ standing }) => standing ?? []).join('\n\n'),
    ...(limits.length > 0 && { maxSteps: Math.max(...limits) }),
    isBeyond: (name) => offered.some(({ isBeyond }) => isBeyond?.(name)),
  };
}
