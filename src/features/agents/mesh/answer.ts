/** The answer of an asked agent: its text and files. The asking agent decides whether to remember what it suggests. */
import { type Logger, scrub } from '../../../log.ts';
import type { AgentOutcome } from '../../../runtime/agent/agent.ts';
import type { RunResults } from '../../../runtime/contract/outcome.ts';
import { keepDeltas, readWhole } from '../../../runtime/run/finalize.ts';
import type { Home } from '../../../workspace/home.ts';
import { formatPlan } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef } from '../../../workspace/types.ts';

export type PassOn = (elements: ReadonlyMap<string, readonly string[]>) => string[];

export interface AnswerWhere {
  home: Home;
  log: Logger;
  passOn: PassOn;
  taskId: string;
  run: string;
}

/** Writes the files in its reply; repeating it changes nothing. */
export async function agentAnswer(
  outcome: AgentOutcome,
  { refs }: RunResults,
  { home, log, passOn, taskId, run }: AnswerWhere,
): Promise<{ text: string; artifactRefs: ArtifactRef[] }> {
  const reply = readWhole(outcome);
  for (const problem of reply.problems) log.warn({ trace: run, problem }, 'a block of the reply could not be used');
  // Refers to the files of the task only.
  const scope = { home, viber: '', taskId, runId: run, isGuest: true };
  const made = [...refs, ...(await keepDeltas(reply, scope, log)).refs];
  // The asked agent doesn't own the plan, so its proposed plan becomes part of the answer.
  const plans = reply.plans.map((plan) => (typeof plan === 'string' ? plan : formatPlan(plan)));
  const artifactRefs = [...new Map(made.map((ref) => [ref.id, ref])).values()];
  const text = scrub([reply.visible.trim(), ...plans, ...passOn(reply.elements)].filter(Boolean).join('\n\n'));
  return { text: text || (artifactRefs.length > 0 ? 'Done; see the files.' : 'Done.'), artifactRefs };
}
