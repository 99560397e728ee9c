/**
 * Builds the answer of an asked agent: its text and files. The asking agent decides whether to remember its
 * suggestions.
 */
import { scrub } from '../../../log.ts';
import type { AgentOutcome } from '../../../runtime/contract/agent.ts';
import type { RunResults } from '../../../runtime/contract/outcome.ts';
import { keepDeltas, readWhole } from '../../../runtime/run/finalize.ts';
import { formatPlan } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef } from '../../../workspace/types.ts';
import type { Gateway } from '../../gateway.ts';

/** Writes the files in its reply. Repeating this changes nothing. */
export async function agentAnswer(
  outcome: AgentOutcome,
  { refs }: RunResults,
  { taskId, run }: { taskId: string; run: string },
  { home, log, features }: Gateway,
): Promise<{ text: string; artifactRefs: ArtifactRef[] }> {
  const reply = readWhole(outcome);
  for (const problem of reply.problems) log.warn({ trace: run, problem }, 'a block of the reply could not be used');
  // Refers to the files of the task only.
  const scope = { home, viber: '', taskId, runId: run, isGuest: true };
  const made = [...refs, ...(await keepDeltas(reply, scope, log)).refs];
  // The asked agent doesn't own the plan, so a plan that it proposes becomes part of the answer.
  const plans = reply.plans.map((plan) => (typeof plan === 'string' ? plan : formatPlan(plan)));
  const suggestions = features.on
    .flatMap(({ reply: blocks = [] }) => blocks)
    .flatMap(({ name, passOn }) => (passOn ? (reply.elements.get(name) ?? []).map(passOn) : []));
  const artifactRefs = [...new Map(made.map((ref) => [ref.id, ref])).values()];
  const text = scrub([reply.visible.trim(), ...plans, ...suggestions].filter(Boolean).join('\n\n'));
  return { text: text || (artifactRefs.length > 0 ? 'Done; see the files.' : 'Done.'), artifactRefs };
}
