/** One step of a playbook, up to a result that passes its check: its agent is asked, and once more with the reason if it does not. */
import type { Logger } from '../../../log.ts';
import type { Waiting } from '../../../runtime/contract/agent.ts';
import type { Order } from '../../../runtime/contract/order.ts';
import type { AgentAnswer } from '../../../runtime/contract/question.ts';
import type { Bus } from '../../../runtime/live/bus.ts';
import type { Playbook, PlaybookStep } from '../../../skills/playbook.ts';
import type { Home } from '../../../workspace/home.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef, TaskRecord } from '../../../workspace/types.ts';
import type { Mesh } from '../mesh/mesh.ts';
import type { Judge } from './judge.ts';
import type { CurrentStep, DoneStep } from './record.ts';
import type { PlayTurn } from './turn.ts';
import { CORRECTION, INSTRUCTIONS, roleWords, stepMessage } from './words.ts';

export interface StepOptions {
  home: Home;
  mesh: Mesh;
  judge: Judge;
  bus: Bus;
  log: Logger;
}

export interface StepAt {
  playbook: Playbook;
  current: CurrentStep;
  done: readonly DoneStep[];
  /** What a person has added to it; '' for nothing. */
  added: string;
  /** Tries of this step that this process has seen to their end. */
  tried: number | undefined;
  /** It was done in this run before, and a person has unticked it: it is done anew, whatever came of it. */
  isAnew: boolean;
}

export type StepResult =
  | (AgentAnswer & { number: number })
  | Waiting
  /** It does not pass. */
  | { reason: string; artifactRefs: ArtifactRef[] };

/** Tries of one step: the second is told why the first did not pass. */
const TRIES = 2;

interface Try {
  /** From 1; tells the question from those of other tries. */
  number: number;
  isCorrection: boolean;
  /** What was made before it. */
  artifactRefs: ArtifactRef[];
}

const FIRST: Try = { number: 1, isCorrection: false, artifactRefs: [] };

/** Whether nobody but the viber itself can act as this agent. */
export const isRole = (mesh: Mesh, task: TaskRecord, { agent }: Pick<PlaybookStep, 'agent'>): boolean =>
  agent !== undefined && mesh.registry.find(agent) === undefined && agent.toLowerCase() !== task.viber;

/** Throws what `mesh.ask` and the judge throw. */
export function createStepWork({ home, mesh, judge, bus, log }: StepOptions) {
  return async (turn: PlayTurn, at: StepAt): Promise<StepResult> => {
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
      const verdict = await judge({ task, run, principal, signal, ...work });
      if (verdict.isOk) return { ...answer, artifactRefs: refs, number };
      log.info({ trace: run, task: task.id, step: key, reason: verdict.reason }, 'a step did not pass its check');
      left -= 1;
      if (left === 0) return { reason: verdict.reason, artifactRefs: refs };
      reason = verdict.reason;
    }
  };
}

const tryKey = (key: string, number: number): string => `${key} ${number}`;

/** The try that an earlier process was at; the first when there is none. */
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

/** What a later try makes under the same title takes the place of what was there. */
function joinRefs(before: readonly ArtifactRef[], later: readonly ArtifactRef[]): ArtifactRef[] {
  const again = new Set(later.map((ref) => ref.title));
  return uniqueRefs([...before.filter((ref) => !again.has(ref.title)), ...later]);
}

export const uniqueRefs = (refs: readonly ArtifactRef[]): ArtifactRef[] => [
  ...new Map(refs.map((ref) => [ref.id, ref])).values(),
];
