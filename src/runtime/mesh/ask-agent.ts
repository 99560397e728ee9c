/**
 * `ask_agent`: one agent asks another about the same task and gets its answer. Asking has no effect of its own, and the same
 * question of a run is worked on once (mesh.ts): so it may be repeated after a crash, and nobody is asked for consent to it.
 */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { scrub } from '../../log.ts';
import { openCalls } from '../context/open-calls.ts';
import { WaitsBelow } from '../contract/agent.ts';
import type { Asked, Offered, Order } from '../contract/order.ts';
import { RunError } from '../contract/run-error.ts';
import type { OwnSettings } from '../contract/settings.ts';
import { defineTool, type ToolScope } from '../contract/tool-scope.ts';
import { mayUse } from '../tools/asked.ts';
import { type Mesh, runOfQuestion, viberOf } from './mesh.ts';

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

/** What a run is offered of the mesh: nothing where there is nobody to ask. */
export async function askAgentTools(mesh: Mesh, order: Order, own: OwnSettings, scope: ToolScope): Promise<Offered> {
  const self = viberOf(order);
  const chain = [...(order.asked?.chain ?? []), self];
  const others = mesh.registry.ids().filter((id) => !chain.includes(id));
  if (others.length === 0 || chain.length > mesh.limits.max_depth) return { tools: [], skills: '' };
  const asked: Asked = {
    ...{ chain, root: order.asked?.root ?? order.run, isAlone: true, mode: own.mode ?? 'decide' },
    // Those of the steps that were finished before a restart count; what waits is counted when it goes on.
    calls: order.asked?.calls ?? { used: callsOf(order).filter(({ isOpen }) => !isOpen).length },
    may: (name) => mayUse(own, order.asked)({ name }),
  };
  const keyOf = questionKeys(order, (name) => mesh.registry.find(name) ?? name);
  const tool = defineTool({
    name: 'ask_agent',
    description: `Ask another agent for a part of this task; it has the same files and its own skills. Several at once work side by side. Agents:\n${await listed(mesh, others)}`,
    input,
    effect: 'idempotent',
    consent: 'never',
    isBeside: true,
    isResumable: true,
    async execute({ agent: name, message }, { signal, callId }) {
      const agent = mesh.registry.find(name) ?? (chain.includes(name) ? name : undefined);
      if (agent === undefined) {
        const there = others.slice(0, MAX_LISTED).join(', ');
        throw new UserError(`There is no agent ${JSON.stringify(name.slice(0, 64))}. There are: ${there}.`);
      }
      if (message.length > MAX_MESSAGE)
        throw new UserError(`The message is too long: at most ${MAX_MESSAGE} characters; put the rest into a file.`);
      const said = scope.onAsked?.(agent);
      const key = keyOf(agent, message, callId);
      const question = { agent, message, key, order, signal, asked, instructions: INSTRUCTIONS };
      const answer = await mesh.ask(question).catch((error: unknown) => {
        if (signal.aborted || !(error instanceof RunError)) throw error;
        throw new UserError(`${agent} could not answer: ${error.userMessage || error.kind}`);
      });
      if ('waiting' in answer) throw new WaitsBelow(answer);
      for (const ref of answer.artifactRefs) scope.onArtifact(ref);
      said?.(answer.text);
      const text = answer.text.length > MAX_ANSWER ? `${answer.text.slice(0, MAX_ANSWER)} [cut]` : answer.text;
      return {
        text: text.toWellFormed(),
        artifacts: answer.artifactRefs.map(({ id, title, type }) => ({ id, title, type })),
      };
    },
  });
  return { tools: [tool], skills: '' };
}

async function listed(mesh: Mesh, ids: readonly string[]): Promise<string> {
  const lines = await Promise.all(
    ids.slice(0, MAX_LISTED).map(async (id) => {
      const about = await describe(mesh, id);
      return about === '' ? `- ${id}` : `- ${id}: ${about}`;
    }),
  );
  return [...lines, ...(ids.length > MAX_LISTED ? [`(and ${ids.length - MAX_LISTED} more)`] : [])].join('\n');
}

/** A file that cannot be used is told when it is asked for. */
async function describe(mesh: Mesh, id: string): Promise<string> {
  try {
    const { description = '' } = await mesh.registry.load(id);
    return description.replace(/\s+/g, ' ').trim().slice(0, MAX_DESCRIPTION).toWellFormed();
  } catch (error) {
    if (error instanceof UserError) return '(its file is damaged)';
    throw error;
  }
}

/**
 * Keys of questions: the same words to the same agent are the same question after a restart, and another one when they are asked
 * twice in one run. A call that waits has the key with which it was begun.
 */
function questionKeys(
  order: Order,
  idOf: (name: string) => string,
): (agent: string, message: string, callId: string) => string {
  const counts = new Map<string, number>();
  const next = (agent: string, message: string): string => {
    // As the session holds them.
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
  toolName: z.literal('ask_agent'),
  toolCallId: z.string(),
  input,
});

function callsOf({ earlier }: Order): AskedCall[] {
  const steps = earlier.flatMap((entry) => (entry.type === 'step' ? [entry.messages] : []));
  const open = new Set(openCalls(steps.flat()).map(({ callId }) => callId));
  // A provider may give the calls of every step the same ids: only the last step's can be open.
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
