/**
 * Does one step of a playbook until its result passes the check: asks its agent, and once more with the reason if the
 * check fails.
 */
import type { Waiting } from '../../../runtime/contract/agent.ts';
import type { Order } from '../../../runtime/contract/order.ts';
import type { AgentAnswer } from '../../../runtime/contract/question.ts';
import { openTask, withoutNumber } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef, TaskRecord } from '../../../workspace/types.ts';
import type { Gateway } from '../../gateway.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { judge } from './judge.ts';
import type { Playbook, PlaybookStep } from './read-playbook.ts';
import type { CurrentStep, DoneStep } from './record.ts';
import type { PlayTurn } from './turn.ts';
import { CORRECTION, INSTRUCTIONS, roleWords, stepMessage } from './words.ts';

export interface StepAt {
  playbook: Playbook;
  current: CurrentStep;
  done: readonly DoneStep[];
  /** What a person has added to it; '' if nothing. */
  added: string;
  /** Completed tries of this step in this process. */
  tried: number | undefined;
  /** Whether a person has unticked a step that was done in this run. If so, it is repeated, whatever its result. */
  isAnew: boolean;
}

export type StepResult =
  | (AgentAnswer & { number: number })
  | Waiting
  /** It failed the check. */
  | { reason: string; artifactRefs: ArtifactRef[] };

/** How often a step is tried. The second try is given the reason why the first one failed. */
const TRIES = 2;

interface Try {
  /** From 1; distinguishes the questions of different tries. */
  number: number;
  isCorrection: boolean;
  /** Artifacts from earlier tries. */
  artifactRefs: ArtifactRef[];
}

const FIRST: Try = { number: 1, isCorrection: false, artifactRefs: [] };

/** Returns whether the agent is a role that only the viber itself can play. */
export const isRole = (mesh: Mesh, task: TaskRecord, { agent }: PlaybookStep): boolean =>
  agent !== undefined && mesh.registry.find(agent) === undefined && agent.toLowerCase() !== task.viber;

/** @throws the errors of `mesh.ask` and the judge */
export async function workOnStep(turn: PlayTurn, at: StepAt, mesh: Mesh, gw: Gateway): Promise<StepResult> {
  const { home, log } = gw;
  const { bus } = gw.tasks;
  const { task, run, principal, tellsMemory, address, signal, watch, earlier, decided } = turn;
  const { step, key } = at.current;
  const { agent: name = task.viber, instruction, constraints } = step;
  const agent = mesh.registry.find(name) ?? task.viber;
  const order: Order = {
    task,
    run,
    principal,
    tellsMemory,
    earlier,
    signal,
    ...(decided && { decided }),
    ...(watch && { watch }),
    words: [],
    names: [],
    query: instruction,
    place: '',
    ...(address && { address }),
  };
  const asked = { chain: agent === task.viber ? [] : [task.viber], root: run, calls: { used: 0 }, isAlone: false };
  const instructions = isRole(mesh, task, step) ? `${INSTRUCTIONS} ${roleWords(name)}` : INSTRUCTIONS;
  const files = openTask(home, task).artifacts.list();
  const done = at.done.filter((each) => each.key !== key);
  const shown = { agentId: task.viber, taskId: task.id, runId: run };
  const last = at.tried === undefined ? await lastTry(mesh, { agent, key, order }) : { ...FIRST, number: at.tried };
  const from = at.tried !== undefined || at.isAnew ? { ...FIRST, number: last.number + 1 } : last;
  let refs = from.artifactRefs;
  let reason: string | undefined;
  for (let number = from.number, left = from.isCorrection ? 1 : TRIES; ; number += 1) {
    const message = stepMessage({ ...at, done, files, reason });
    bus.emit({ ...shown, type: 'tool-call', tool: 'ask_agent', args: { agent: name, message } });
    const question = { agent, message, key: tryKey(key, number), order, asked, instructions };
    const answer = await mesh.ask(question);
    if ('waiting' in answer) return answer;
    bus.emit({ ...shown, type: 'tool-result', tool: 'ask_agent', result: { text: answer.text } });
    bus.emit({ ...shown, type: 'state-change', state: 'thinking' });
    refs = joinRefs(refs, answer.artifactRefs);
    const work = { instruction, constraints, answer: answer.text, artifactRefs: refs };
    const verdict = await judge(work, turn, gw);
    if (verdict.isOk) return { ...answer, artifactRefs: refs, number };
    log.info({ trace: run, task: task.id, step: key, reason: verdict.reason }, 'a step did not pass its check');
    left -= 1;
    if (left === 0) return { reason: verdict.reason, artifactRefs: refs };
    reason = verdict.reason;
  }
}

const tryKey = (key: string, number: number): string => `${key} ${number}`;

/** Returns the try that an earlier process was working on, or the first one. */
async function lastTry(mesh: Mesh, question: Parameters<Mesh['begun']>[0]): Promise<Try> {
  let last = FIRST;
  let refs: ArtifactRef[] = [];
  for (let number = 1; ; number++) {
    const begun = await mesh.begun({ ...question, key: tryKey(question.key, number) });
    if (!begun) return last;
    last = { number, isCorrection: begun.message.startsWith(CORRECTION), artifactRefs: refs };
    refs = joinRefs(refs, begun.artifactRefs);
  }
}

/** A later artifact replaces earlier ones with the same title, regardless of a number in it. */
function joinRefs(before: readonly ArtifactRef[], later: readonly ArtifactRef[]): ArtifactRef[] {
  const again = new Set(later.map((ref) => withoutNumber(ref.title)));
  return uniqueRefs([...before.filter((ref) => !again.has(withoutNumber(ref.title))), ...later]);
}

export const uniqueRefs = (refs: readonly ArtifactRef[]): ArtifactRef[] => [
  ...new Map(refs.map((ref) => [ref.id, ref])).values(),
];
