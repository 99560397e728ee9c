/**
 * `ask_agent`: one agent asks another about the same task and gets its answer. A question has no effect of its own, and
 * the same question of a run is worked on once (mesh.ts), so it may be repeated after a crash and needs no approval.
 */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { scrub } from '../../log.ts';
import { openCalls } from '../../runtime/context/open-calls.ts';
import { WaitsBelow } from '../../runtime/contract/agent.ts';
import type { DelegationRules, Order } from '../../runtime/contract/order.ts';
import type { RunResults } from '../../runtime/contract/outcome.ts';
import { ASK_AGENT, runOfQuestion, viberOf } from '../../runtime/contract/question.ts';
import { RunError } from '../../runtime/contract/run-error.ts';
import { defineTool } from '../../runtime/contract/tool.ts';
import { perRun } from '../../runtime/tools/bind.ts';
import type { FeatureRun } from '../gateway.ts';
import type { Mesh } from './mesh/mesh.ts';
import { agentsOf } from './open.ts';

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

/** The limits of one run's questions: which agents it may ask, and on whose behalf. */
const questionsOf = perRun(({ order, own, mayUse, gw }: FeatureRun) => {
  const { mesh: agents } = agentsOf(gw);
  const chain = [...(order.asked?.chain ?? []), viberOf(order)];
  const asked: DelegationRules = {
    chain,
    root: order.asked?.root ?? order.run,
    isAlone: true,
    mode: own.mode ?? 'decide',
    // Counts calls in steps finished before a restart; a pending call is counted when it resumes.
    calls: order.asked?.calls ?? { used: callsOf(order).filter(({ isOpen }) => !isOpen).length },
    may: mayUse,
  };
  return { asked, keyOf: questionKeys(order, (name) => agents.registry.find(name) ?? name) };
});

/** Returns the agents that are not in the chain of questions; [] at the maximum depth. */
function othersFor({ order, gw }: FeatureRun): string[] {
  const { mesh: agents } = agentsOf(gw);
  const chain = [...(order.asked?.chain ?? []), viberOf(order)];
  return chain.length > agents.limits.max_depth ? [] : agents.registry.ids().filter((id) => !chain.includes(id));
}

export const askAgent = defineTool({
  name: ASK_AGENT,
  async describe(run: FeatureRun) {
    const others = othersFor(run);
    if (others.length === 0) return undefined;
    return `Ask another agent for a part of this task; it has the same files and its own skills. Several at once work side by side. Agents:\n${await listAgents(agentsOf(run.gw).mesh, others)}`;
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
    const { mesh } = agentsOf(run.gw);
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
    const key = keyOf(agent, message, callId);
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

/** A broken file is reported when the agent is asked. */
async function describeAgent({ registry }: Mesh, id: string): Promise<string> {
  try {
    const { description = '' } = await registry.load(id);
    return description.replace(/\s+/g, ' ').trim().slice(0, MAX_DESCRIPTION).toWellFormed();
  } catch (error) {
    if (error instanceof UserError) return '(its file is damaged)';
    throw error;
  }
}

/**
 * Returns a function for the keys of questions: the same words to the same agent have the same key after a restart, and
 * another one if asked twice in one run. A pending call keeps its original key.
 */
function questionKeys(
  order: Order,
  idOf: (name: string) => string,
): (agent: string, message: string, callId: string) => string {
  const counts = new Map<string, number>();
  const next = (agent: string, message: string): string => {
    // As stored in the session.
    const words = runOfQuestion(order.run, idOf(agent), scrub(message));
    const count = (counts.get(words) ?? 0) + 1;
    counts.set(words, count);
    return `${words}:${count}`;
  };
  const open = new Map<string, string>();
  for (const { agent, message, callId, isOpen } of callsOf(order)) {
    const key = next(agent, message);
    if (isOpen) open.set(callId, key);
  }
  return (agent, message, callId) => {
    const begun = open.get(callId);
    open.delete(callId);
    return begun ?? next(agent, message);
  };
}

type AskedCall = z.infer<typeof input> & { callId: string; isOpen: boolean };

const callSchema = z.object({
  type: z.literal('tool-call'),
  toolName: z.literal(ASK_AGENT),
  toolCallId: z.string(),
  input,
});

function callsOf({ earlier }: Order): AskedCall[] {
  const steps = earlier.flatMap((entry) => (entry.type === 'step' ? [entry.messages] : []));
  const open = new Set(openCalls(steps.flat()).map(({ callId }) => callId));
  // A provider may reuse call IDs in every step: only calls of the last step can be pending.
  const last = steps.findLastIndex((messages) => callsIn(messages).length > 0);
  return steps.flatMap((messages, at) =>
    callsIn(messages).map((call) => ({ ...call, isOpen: at === last && open.has(call.callId) })),
  );
}

function callsIn(messages: readonly unknown[]): Omit<AskedCall, 'isOpen'>[] {
  return messages.flatMap((message) => {
    const content = typeof message === 'object' && message !== null && 'content' in message ? message.content : [];
    return (Array.isArray(content) ? content : []).flatMap((part) => {
      const call = callSchema.safeParse(part);
      return call.success ? [{ ...call.data.input, callId: call.data.toolCallId }] : [];
    });
  });
}
