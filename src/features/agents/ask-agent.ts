/**
 * `ask_agent`: asks another agent about the same task and returns its answer. A question has no effect of its own, and
 * the same question of a run is answered only once (mesh.ts), so it may be repeated after a crash and needs no
 * approval.
 */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { scrub } from '../../log.ts';
import { WaitsBelow } from '../../runtime/contract/agent.ts';
import type { DelegationRules } from '../../runtime/contract/order.ts';
import type { RunResults } from '../../runtime/contract/outcome.ts';
import { ASK_AGENT, runOfQuestion, viberOf } from '../../runtime/contract/question.ts';
import { RunError } from '../../runtime/contract/run-error.ts';
import { defineTool } from '../../runtime/contract/tool.ts';
import { perRun } from '../../runtime/tools/bind.ts';
import type { FeatureRun } from '../gateway.ts';
import { callKeys, callsOf } from './asked-calls.ts';
import { type Mesh, meshOf } from './mesh/mesh.ts';

const MAX_LISTED = 20;
const MAX_DESCRIPTION = 160;
const MAX_MESSAGE = 20_000;
const MAX_ANSWER = 20_000;

const input = z.object({
  agent: z.string().describe('id of the agent'),
  message: z.string().describe('everything it must know: it does not see this conversation'),
});

const INSTRUCTIONS =
  'Another agent asks you for a part of this task. Do it, then answer with the result and its evidence; name the files you made. Your answer goes to that agent. You cannot ask the person questions: say what is missing instead. Where their consent is needed they are asked for it.';

/** The limits on one run's questions: which agents it may ask, and on whose behalf. */
const questionsOf = perRun(({ order, own, mayUse, gw }: FeatureRun) => {
  const agents = meshOf(gw);
  const chain = [...(order.asked?.chain ?? []), viberOf(order)];
  const earlier = callsOf(order, ASK_AGENT, input);
  const asked: DelegationRules = {
    chain,
    root: order.asked?.root ?? order.run,
    isAlone: true,
    mode: own.mode ?? 'decide',
    // Counts calls in steps finished before a restart. A pending call is counted when it resumes.
    calls: order.asked?.calls ?? { used: earlier.filter(({ isOpen }) => !isOpen).length },
    may: mayUse,
  };
  // As stored in the session.
  const wordsOf = ({ agent, message }: z.infer<typeof input>) =>
    runOfQuestion(order.run, agents.registry.find(agent) ?? agent, scrub(message));
  return { asked, keyOf: callKeys(earlier, wordsOf) };
});

/** Returns the agents that aren't in the chain of questions; [] at the maximum depth. */
function othersFor({ order, gw }: FeatureRun): string[] {
  const agents = meshOf(gw);
  const chain = [...(order.asked?.chain ?? []), viberOf(order)];
  return chain.length > agents.limits.maxDepth ? [] : agents.registry.ids().filter((id) => !chain.includes(id));
}

export const askAgent = defineTool({
  name: ASK_AGENT,
  async describe(run: FeatureRun) {
    const others = othersFor(run);
    if (others.length === 0) return undefined;
    return `Ask another agent for a part of this task; it has the same files and its own skills. Several at once work side by side. Agents:\n${await listAgents(meshOf(run.gw), others)}`;
  },
  doing: 'doing.askingAgent',
  like: 'task',
  about: { argument: 'agent', doing: 'doing.askingThis' },
  input,
  effect: 'idempotent',
  consent: 'never',
  isBeside: true,
  isResumable: true,
  async execute({ agent: name, message }, run, { signal, callId }) {
    const { scope, order } = run;
    const mesh = meshOf(run.gw);
    const { registry } = mesh;
    const { asked, keyOf } = questionsOf(run);
    const agent = registry.find(name) ?? (asked.chain.includes(name) ? name : undefined);
    if (agent === undefined) {
      const there = othersFor(run).slice(0, MAX_LISTED).join(', ');
      throw new UserError(`There is no agent ${JSON.stringify(name.slice(0, 64))}. There are: ${there}.`);
    }
    if (message.length > MAX_MESSAGE)
      throw new UserError(`The message is too long: at most ${MAX_MESSAGE} characters; put the rest into a file.`);
    const said: RunResults['said'][number] = { agent };
    run.made?.said.push(said);
    const { key } = keyOf({ agent, message }, callId);
    const question = { agent, message, key, order, signal, asked, instructions: INSTRUCTIONS };
    const answer = await mesh.ask(question).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof RunError)) throw error;
      throw new UserError(`${agent} could not answer: ${error.userMessage || error.kind}`);
    });
    if ('waiting' in answer) throw new WaitsBelow(answer);
    for (const ref of answer.artifactRefs) scope.onArtifact(ref);
    said.text = answer.text;
    const text = answer.text.length > MAX_ANSWER ? `${answer.text.slice(0, MAX_ANSWER)} [cut]` : answer.text;
    return {
      text: text.toWellFormed(),
      artifacts: answer.artifactRefs.map(({ id, title, type }) => ({ id, title, type })),
    };
  },
});

async function listAgents(agents: Mesh, ids: readonly string[]): Promise<string> {
  const lines = await Promise.all(
    ids.slice(0, MAX_LISTED).map(async (id) => {
      const about = await describeAgent(agents, id);
      return about === '' ? `- ${id}` : `- ${id}: ${about}`;
    }),
  );
  return [...lines, ...(ids.length > MAX_LISTED ? [`(and ${ids.length - MAX_LISTED} more)`] : [])].join('\n');
}

/** A damaged file is reported when the agent is asked. */
async function describeAgent({ registry }: Mesh, id: string): Promise<string> {
  try {
    const { description = '' } = await registry.load(id);
    return description.replace(/\s+/g, ' ').trim().slice(0, MAX_DESCRIPTION).toWellFormed();
  } catch (error) {
    if (error instanceof UserError) return '(its file is damaged)';
    throw error;
  }
}
