/** Turns the model's words into the answer: extracts and applies blocks, asks about suggestions, masks secrets. */

import type { Principal } from '../../access/principal.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { scrub } from '../../log.ts';
import type { Messages } from '../../messages/messages.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { AgentOutcome } from '../agent/agent.ts';
import type { Entry } from '../contract/entry.ts';
import type { BlockOf } from '../contract/feature.ts';
import type { Answer, Handed, Made } from '../contract/outcome.ts';
import { DELTA_LIMITS } from '../contract/protocol.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { escaped, plainName } from '../conversations/places.ts';
import { continueButton } from '../reply/failure.ts';
import { saysHealthy } from '../reply/healthy.ts';
import { linkTo } from '../reply/links.ts';
import { summarise } from '../reply/reply.ts';
import { ownBlock, saidIn } from '../reply/told.ts';
import { applyPlan, keepDeltas, linksBelow, tellPlan } from './apply-blocks.ts';
import type { Gateway } from './gateway.ts';
import { askedIn, readWhole, type WholeReply } from './whole-reply.ts';

export interface FinalizedRun {
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
  made: Made,
  { task, run, principal, messages, tools, earlier, items }: FinalizedRun,
  gw: Gateway,
): Promise<Answer> {
  const { home, log } = gw;
  const { refs, pending } = made;
  const keepsNothing = principal.role === 'guest';
  const all = [...(outcome.beside ?? []), outcome].map(({ text }) => text).join('\n');
  const told = ownBlock().test(all) ? saidIn(openTask(home, task).session.tail()) : undefined;
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
  made: Made | undefined,
  { task, run, principal, messages, earlier, items }: Omit<FinalizedRun, 'tools'>,
  { home, log }: Gateway,
): Promise<Handed> {
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

async function keepFiles(reply: WholeReply, scope: Parameters<typeof keepDeltas>[1], log: Gateway['log']) {
  for (const problem of reply.problems)
    log.warn({ trace: scope.runId, problem }, 'a block of the reply could not be used');
  if (reply.artifactDeltas.length === 0) return { refs: [], missing: 0 };
  return keepDeltas(reply, scope, log);
}

/** Returns a sentence for each picture or document that the model wasn't shown. The built-in model looks at none. */
function unseenWords({ unseen = [], model }: AgentOutcome, messages: Messages): string {
  if (model.startsWith('offline/')) return '';
  return unseen
    .map(({ name, why }) => messages.text('answers.unseen', { name: escaped(plainName(name)), why }))
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
function saidBelow(said: Made['said'], messages: Messages): string {
  const answered = said.flatMap(({ agent, text }) => (text === undefined ? [] : [{ agent, text }]));
  if (answered.length === 0) return '';
  const rows = answered.slice(0, MAX_SAID).map(({ agent, text }) => {
    const words = escaped(cutText(plainLine(summarise(text)), SAID_LENGTH));
    return `- **${escaped(plainName(agent))}**: ${words}`;
  });
  const more = answered.length - rows.length;
  if (more > 0) rows.push(`- ${messages.text('answers.moreSaid', { n: more })}`);
  return `${messages.text('answers.saidBy')}\n${rows.join('\n')}`;
}

/** Limit of one decision, in characters. */
const DECISION = 300;
const MAX_SOURCES = 5;

/** Lists the pages that were found below an answer that mentions none of them. */
function sourcesBelow(answer: string, sources: Made['sources'], messages: Messages): string {
  const pages = [...new Map(sources.map((source) => [source.url, source])).values()];
  if (pages.length === 0 || answer.trim() === '' || pages.some(({ url }) => answer.includes(hostOf(url)))) return '';
  const links = pages.slice(0, MAX_SOURCES).map(({ title, url }) => {
    const host = hostOf(url);
    return `- ${linkTo({ title, ref: url })}${title.includes(host) ? '' : ` (${host})`}`;
  });
  return `${messages.text('search.sources')}\n${links.join('\n')}`;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : url);

/** Whether the run ended at a limit of steps or of length, so that there is more if a person asks for it. */
const isCutShort = ({ finish }: AgentOutcome): boolean => finish === 'max-steps' || finish === 'length';

/** Whether the built-in model only talked: it needs a second step only for tools. */
const isTalk = ({ model, steps }: AgentOutcome): boolean => model.startsWith('offline/') && steps < 2;
