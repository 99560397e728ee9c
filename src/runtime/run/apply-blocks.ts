/** Applies the blocks of an answer: writes or references files, and applies a plan as its tool would. */
import { UserError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Messages, Text } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { formatPlan, isLink, openTask, parsePlan } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, Plan } from '../../workspace/types.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { Made } from '../contract/outcome.ts';
import type { ArtifactDelta } from '../contract/protocol.ts';
import type { RuntimeTool } from '../contract/task.ts';
import type { RunScope } from '../contract/tool-scope.ts';
import { linkTo } from '../reply/links.ts';
import { askAboutProposal } from '../reply/plan-proposal.ts';
import { planChange, planRows } from '../reply/plan-rows.ts';
import { fileName } from '../tools/artifacts.ts';
import { referredArtifact } from '../tools/attach-file.ts';
import { updatePlan } from '../tools/update-plan.ts';
import type { WholeReply } from './whole-reply.ts';

/**
 * Applies a plan with its tool, including the check for manual edits. A plan that would need a person's consent becomes
 * a proposal for them to apply. Of several plans the last counts. Returns what people see of a plan that can't be
 * applied here.
 */
export async function applyPlan(
  plans: readonly (string | Plan)[],
  made: Made,
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
export async function tellPlan(
  { plan, planBefore }: Made,
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
export const linksBelow = (refs: readonly ArtifactRef[], answer: string): string =>
  refs
    .filter((ref) => isLink(ref) && !answer.includes(ref.ref))
    .map((ref) => `- ${linkTo(ref)}`)
    .join('\n');
