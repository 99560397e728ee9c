/** Turns the model's words into the answer: extracts and applies blocks, asks about suggestions, masks secrets. */

import type { Principal } from '../../access/principal.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { UserError } from '../../errors.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { type Logger, scrub } from '../../log.ts';
import type { Messages, Text } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { formatPlan, isLink, openTask, parsePlan } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, Plan, SessionEntry, TaskRecord } from '../../workspace/types.ts';
import { addStep, NOTHING_SAID } from '../agent/outcome.ts';
import type { AgentOutcome } from '../contract/agent.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { Entry } from '../contract/entry.ts';
import type { BlockOf } from '../contract/feature.ts';
import type { Answer, QuestionContents, RunResults } from '../contract/outcome.ts';
import { type ArtifactDelta, DELTA_LIMITS } from '../contract/protocol.ts';
import type { RuntimeTool } from '../contract/task.ts';
import type { RunScope } from '../contract/tool-scope.ts';
import { escapeMarkdown, plainName } from '../conversations/places.ts';
import { leaveOut, TOO_MANY } from '../reply/blocks.ts';
import { continueButton } from '../reply/failure.ts';
import { saysHealthy } from '../reply/healthy.ts';
import { linkTo } from '../reply/links.ts';
import { askAboutProposal } from '../reply/plan-proposal.ts';
import { planChange, planRows } from '../reply/plan-rows.ts';
import { summarise } from '../reply/render-answer.ts';
import { type ParsedReply, parseReply } from '../reply/reply.ts';
import { ownBlock, wasSaidIn } from '../reply/told.ts';
import { fileName } from '../tools/artifacts.ts';
import { referredArtifact } from '../tools/attach-file.ts';
import { updatePlan } from '../tools/update-plan.ts';
import type { Gateway } from './gateway.ts';

interface FinalizedRun {
  task: TaskRecord;
  run: string;
  /** The person for whom it ran; nothing is remembered for a guest. */
  principal: Principal;
  messages: Messages;
  tools: readonly RuntimeTool[];
  earlier: readonly SessionEntry[];
  items: readonly QueueItem<Entry>[];
}

/** Stores a run's files and suggestions, and returns the answer for people. */
export async function finalize(
  outcome: AgentOutcome,
  made: RunResults,
  { task, run, principal, messages, tools, earlier, items }: FinalizedRun,
  gw: Gateway,
): Promise<Answer> {
  const { home, log } = gw;
  const { refs, pending } = made;
  const keepsNothing = principal.role === 'guest';
  const all = [...(outcome.beside ?? []), outcome].map(({ text }) => text).join('\n');
  const told = ownBlock().test(all) ? wasSaidIn(openTask(home, task).session.tail()) : undefined;
  const asked = askedIn(earlier, decidedIn(items));
  const reply = readWhole(outcome, asked.steps, told);
  const scope = { home, viber: task.viber, taskId: task.id, runId: run, isGuest: keepsNothing };
  const deltas = await keepFiles(reply, scope, log);
  refs.push(...deltas.refs);
  const shownPlan = reply.plans.length > 0 ? await applyPlan(reply.plans, made, tools, scope, messages) : '';
  if (!keepsNothing) await takeBlocks(reply, { viber: task.viber, task: task.id, run, principal, made }, gw);
  const asks = [...new Map(pending.map((suggestion) => [suggestion.id, suggestion])).values()];
  // A manual edit wins; the agent's version is shown beside it. The built-in model reports plan steps itself.
  const isOwnWords = made.plan?.status === 'written' && outcome.model.startsWith('offline/');
  const plan =
    isOwnWords || !made.plan ? { text: '', buttons: [] } : await tellPlan(made, { home, id: task.id, run }, messages);
  const lost = lostWords(reply, deltas.missing, messages);
  const links = refs.length > 0 ? linksBelow(refs, reply.visible) : '';
  // Nothing is added below the answer of a job that has nothing to report.
  const hasBelow = made.sources.length + made.said.length > 0;
  const isRoutine = !hasBelow || saysHealthy(reply.visible);
  const sources = isRoutine ? '' : sourcesBelow(reply.visible, made.sources, messages);
  const said = isRoutine ? '' : saidBelow(made.said, messages);
  const text = scrub(
    [reply.visible.trim(), unseenWords(outcome, messages), shownPlan, said, links, sources, lost, plan.text]
      .filter(Boolean)
      .join('\n\n'),
  );
  const since = new Set(refs.slice(madeBefore(earlier)).map(({ id }) => id));
  const handed = asked.refs.filter(({ id }) => !since.has(id)).map(({ id }) => id);
  const unique = uniqueRefs([...asked.refs, ...refs]);
  return {
    state: 'completed',
    text:
      text === '' && unique.length === handed.length
        ? messages.text(asks.length > 0 ? 'answers.somethingToRemember' : 'answers.done')
        : text,
    summary: summarise(text || unique.map((ref) => ref.title).join(', ')),
    artifactRefs: unique,
    usage: outcome.usage,
    ...(outcome.finish === 'max-steps' && { isCutShort: true as const }),
    buttons: [...plan.buttons, ...(isCutShort(outcome) ? [[continueButton(messages)]] : [])],
    ...(reply.decisions.length > 0 && {
      decisions: reply.decisions.map((each) => scrub(cutText(plainLine(each), DECISION))),
    }),
    ...(asks.length > 0 ? { asks } : {}),
    ...(handed.length > 0 && { handed }),
    ...(isTalk(outcome) ? { isTalk: true } : {}),
  };
}

async function takeBlocks({ elements }: WholeReply, of: BlockOf, gw: Gateway): Promise<void> {
  if (elements.size === 0) return;
  for (const { name, take } of gw.features.on.flatMap(({ reply = [] }) => reply)) {
    const texts = elements.get(name);
    if (texts) await take(texts, of, gw);
  }
}

/** Returns what people get with a question: the words and files since the last one. */
export async function beforeQuestion(
  outcome: AgentOutcome,
  made: RunResults | undefined,
  { task, run, principal, messages, earlier, items }: Omit<FinalizedRun, 'tools'>,
  { home, log }: Gateway,
): Promise<QuestionContents> {
  const asked = askedIn(earlier, decidedIn(items));
  const reply = readWhole(outcome, asked.steps);
  // The files of an agent that was asked go to the asking agent.
  if (!made) return { said: reply.visible, refs: [] };
  const scope = { home, viber: task.viber, taskId: task.id, runId: run, isGuest: principal.role === 'guest' };
  const deltas = await keepFiles(reply, scope, log);
  const since = [...made.refs.slice(madeBefore(earlier)), ...deltas.refs];
  const known = new Set(asked.refs.filter((ref) => !since.some(({ id }) => id === ref.id)).map(({ id }) => id));
  const refs = uniqueRefs([...made.refs, ...deltas.refs]).filter(({ id }) => !known.has(id));
  const lost = lostWords(reply, deltas.missing, messages);
  return { said: [reply.visible, linksBelow(refs, reply.visible), lost].filter(Boolean).join('\n\n'), refs };
}

const decidedIn = (items: readonly QueueItem<Entry>[]): string | undefined => items[0]?.message.resume?.approval;

/**
 * Returns the number of files made by the steps before a restart or a question; they come first among those of the run.
 */
const madeBefore = (earlier: readonly SessionEntry[]): number =>
  earlier.reduce((sum, entry) => sum + (entry.type === 'step' ? (entry.artifactRefs?.length ?? 0) : 0), 0);

const uniqueRefs = (refs: readonly ArtifactRef[]): ArtifactRef[] => [
  ...new Map(refs.map((ref) => [ref.id, ref])).values(),
];

async function keepFiles(reply: WholeReply, scope: RunScope, log: Logger) {
  for (const problem of reply.problems)
    log.warn({ trace: scope.runId, problem }, 'a block of the reply could not be used');
  if (reply.artifactDeltas.length === 0) return { refs: [], missing: 0 };
  return keepDeltas(reply, scope, log);
}

/** Returns a sentence for each picture or document that the model wasn't shown. The built-in model looks at none. */
function unseenWords({ unseen = [], model }: AgentOutcome, messages: Messages): string {
  if (model.startsWith('offline/')) return '';
  return unseen
    .map(({ name, why }) => messages.text('answers.unseen', { name: escapeMarkdown(plainName(name)), why }))
    .join('\n');
}

function lostWords({ unread, leftOut }: WholeReply, missing: number, messages: Messages): string {
  const n = unread + missing;
  return [
    n > 0 ? messages.text('answers.unreadFiles', { n }) : '',
    leftOut > 0 ? messages.text('answers.leftOutFiles', { n: leftOut, most: DELTA_LIMITS.count }) : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

const MAX_SAID = 8;
const SAID_LENGTH = 200;

/** Lists the agents that were asked and their answers, one per line. */
function saidBelow(said: RunResults['said'], messages: Messages): string {
  const answered = said.flatMap(({ agent, text }) => (text === undefined ? [] : [{ agent, text }]));
  if (answered.length === 0) return '';
  const rows = answered.slice(0, MAX_SAID).map(({ agent, text }) => {
    const words = escapeMarkdown(cutText(plainLine(summarise(text)), SAID_LENGTH));
    return `- **${escapeMarkdown(plainName(agent))}**: ${words}`;
  });
  const more = answered.length - rows.length;
  if (more > 0) rows.push(`- ${messages.text('answers.moreSaid', { n: more })}`);
  return `${messages.text('answers.saidBy')}\n${rows.join('\n')}`;
}

const DECISION = 300;
const MAX_SOURCES = 5;

/** Lists the pages that were found below an answer that mentions none of them. */
function sourcesBelow(answer: string, sources: RunResults['sources'], messages: Messages): string {
  const pages = [...new Map(sources.map((source) => [source.url, source])).values()];
  if (pages.length === 0 || answer.trim() === '' || pages.some(({ url }) => answer.includes(shortHost(url)))) return '';
  const links = pages.slice(0, MAX_SOURCES).map(({ title, url }) => {
    const host = shortHost(url);
    return `- ${linkTo({ title, ref: url })}${title.includes(host) ? '' : ` (${host})`}`;
  });
  return `${messages.text('search.sources')}\n${links.join('\n')}`;
}

const shortHost = (url: string): string => (URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : url);

/** Whether the run ended at a limit of steps or of length, so that there is more if a person asks for it. */
const isCutShort = ({ finish }: AgentOutcome): boolean => finish === 'max-steps' || finish === 'length';

/** Whether the built-in model only talked: it needs a second step only for tools. */
const isTalk = ({ model, steps }: AgentOutcome): boolean => model.startsWith('offline/') && steps < 2;

interface WholeReply extends ParsedReply {
  /** The number of files that the run announced before these, so that each gets its own number. */
  firstDelta: number;
}

/** Everything that people received with the last question of a run. */
interface LastQuestion {
  /** The number of steps with calls until then. */
  steps: number;
  /** Files that they received, except those made or attached again since. */
  refs: ArtifactRef[];
}

const MAX_KEPT = 20;
const isStep = (entry: SessionEntry) => entry.type === 'step';

/**
 * Reads the text of all steps of a run as one answer. Blocks count in every step; text beside calls counts only if the
 * calls just left something beside the answer and the model had no more work to do. People don't get anything twice
 * that they received with a question. Pure.
 * @param asked the number of steps whose words and files people already have
 * @param isTold as in `parseReply`
 */
export function readWhole(
  { text, beside = [], finish }: AgentOutcome,
  asked = 0,
  isTold?: Parameters<typeof parseReply>[1],
): WholeReply {
  const alone = beside.length === 0 && asked === 0 ? parseReply(text, isTold) : undefined;
  // Nearly every answer is one text without a file.
  if (alone?.artifactDeltas.length === 0) return { ...alone, visible: alone.visible.trim(), firstDelta: 0 };
  const replies = [...beside.map((step) => step.text), text].map((each) => parseReply(each, isTold));
  const fresh = replies.slice(asked);
  const last = replies.at(-1)?.visible.trim() ?? '';
  const lastPlan = beside.findLastIndex(({ tools }) => tools.includes(updatePlan.name));
  const words = beside.flatMap(({ isAside }, at) => {
    const isLater = at >= asked && isAside && beside.slice(at).every((step) => step.isAside);
    const said = isLater ? (replies[at]?.visible.trim() ?? '') : '';
    return last.includes(said) ? [] : [said];
  });
  const isAgain = finish === 'parked' && fresh.length === 0;
  const deltas = fresh.flatMap((reply) => reply.artifactDeltas);
  const lost = {
    problems: fresh.flatMap((reply) => reply.problems),
    leftOut: fresh.reduce((sum, reply) => sum + reply.leftOut, 0),
  };
  for (const delta of deltas.slice(DELTA_LIMITS.count)) leaveOut(delta, TOO_MANY, lost);
  return {
    visible: [...words, isAgain ? '' : last].filter(Boolean).join('\n\n'),
    artifactDeltas: deltas.slice(0, DELTA_LIMITS.count),
    firstDelta: replies.slice(0, asked).flatMap((reply) => reply.artifactDeltas).length,
    // A plan that the tool applied is newer than a block before it.
    plans: replies.slice(lastPlan + 1).flatMap((reply) => reply.plans),
    elements: elementsOf(replies),
    decisions: replies.flatMap((reply) => reply.decisions).slice(0, MAX_KEPT),
    ...lost,
    unread: fresh.reduce((sum, reply) => sum + reply.unread, 0),
  };
}

function elementsOf(replies: readonly ParsedReply[]): ParsedReply['elements'] {
  const byName = Map.groupBy(
    replies.flatMap(({ elements }) => [...elements]),
    ([name]) => name,
  );
  return new Map([...byName].map(([name, found]) => [name, found.flatMap(([, texts]) => texts).slice(0, MAX_KEPT)]));
}

/** @param decided the question whose answer resumes the run */
function askedIn(earlier: readonly SessionEntry[], decided?: string): LastQuestion {
  if (earlier.length === 0) return { steps: 0, refs: [] };
  const known = new Set(earlier.flatMap((entry) => (entry.type === 'decision' ? [entry.approval] : [])));
  if (decided !== undefined) known.add(decided);
  const at = earlier.findLastIndex((entry) => entry.type === 'approval' && known.has(entry.id));
  const before = earlier.slice(0, at + 1);
  const since = new Set(earlier.slice(at + 1).flatMap(artifactIds));
  return {
    steps: before.filter(isStep).reduce((said, step) => addStep(said, step.messages), NOTHING_SAID).beside.length,
    refs: before
      .flatMap((entry) => (entry.type === 'approval' ? (entry.artifactRefs ?? []) : []))
      .filter(({ id }) => !since.has(id)),
  };
}

const artifactIds = (entry: SessionEntry): string[] =>
  entry.type === 'step' ? (entry.artifactRefs ?? []).map(({ id }) => id) : [];

/**
 * Applies a plan with its tool, including the check for manual edits. A plan that would need a person's consent becomes
 * a proposal for them to apply. Of several plans the last counts. Returns what people see of a plan that can't be
 * applied here.
 */
async function applyPlan(
  plans: readonly (string | Plan)[],
  made: RunResults,
  tools: readonly RuntimeTool[],
  { home, taskId }: RunScope,
  messages: Messages,
): Promise<Text | ''> {
  const plan = plans.at(-1);
  const tool = tools.find(({ name }) => name === updatePlan.name);
  if (plan === undefined) return '';
  if (!tool) return planRows(typeof plan === 'string' ? parsePlan(plan) : plan, messages);
  const input = { plan };
  // A first plan that people must approve before any work stays a proposal.
  if (!tool.asksAfter && !(await tool.asksBefore?.(input))) {
    await tool.execute(input, { signal: new AbortController().signal, callId: 'reply' });
    return '';
  }
  const current = (await openTask(home, taskId).plan.read())?.text;
  const proposal = formatPlan(typeof plan === 'string' ? parsePlan(plan) : plan, current);
  if (proposal !== current) made.plan = { status: 'conflict', proposal, current: current ?? '' };
  return '';
}

/** Returns what people see of the plan: the changes, or both plans with a button for each. */
async function tellPlan(
  { plan, planBefore }: RunResults,
  { home, id, run }: { home: Home; id: string; run: string },
  messages: Messages,
): Promise<{ text: Text | ''; buttons: ButtonAction[][] }> {
  if (!plan) return { text: '', buttons: [] };
  if (plan.status === 'written') return { text: planChange(planBefore, plan.plan, messages), buttons: [] };
  return askAboutProposal({ home, id, run }, { text: plan.proposal, current: plan.current }, messages);
}

/**
 * Writes the files that an answer announces, and finds those it refers to; repeating the same answer changes nothing.
 */
export async function keepDeltas(
  { artifactDeltas, firstDelta }: WholeReply,
  scope: RunScope,
  log: Logger,
): Promise<{ refs: ArtifactRef[]; missing: number }> {
  const refs: ArtifactRef[] = [];
  let missing = 0;
  for (const [index, delta] of artifactDeltas.entries()) {
    try {
      refs.push(await keepDelta(delta, firstDelta + index, scope));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      log.warn({ err: error, trace: scope.runId }, 'something an answer refers to could not be used');
      missing++;
    }
  }
  return { refs, missing };
}

async function keepDelta(delta: ArtifactDelta, index: number, scope: RunScope): Promise<ArtifactRef> {
  const { home, taskId, runId } = scope;
  const { id: wanted, title, type, content, ref } = delta;
  if (content === undefined) return referredArtifact(scope, { ref: ref ?? '', title, type });
  // An answer never replaces a file that a person sent.
  const known = openTask(home, taskId)
    .artifacts.list()
    .find((file) => file.id === wanted?.toLowerCase());
  const id = wanted !== undefined && known?.origin !== 'user' ? wanted : `${runId.slice(0, 8)}-${index + 1}`;
  const name = fileName(title);
  const given = { id, title, type, content: Buffer.from(content), origin: 'agent' as const, ...(name ? { name } : {}) };
  return openTask(home, taskId).artifacts.create(given);
}

/** Lists links that the answer doesn't mention itself. */
const linksBelow = (refs: readonly ArtifactRef[], answer: string): string =>
  refs
    .filter((ref) => isLink(ref) && !answer.includes(ref.ref))
    .map((ref) => `- ${linkTo(ref)}`)
    .join('\n');
