/**
 * The agent mesh: agents find each other by their files and ask each other directly. An asked agent works on the same
 * task, with its files, people's rights and approvals, but with its own settings, memory and session. A part of a run
 * is the same viber, with its own session and without approvals.
 * ask -> session of the asked agent: message -> agent (each step there) -> result -> back to the asking agent
 * Invariant: the same question of the same run (`key`) is worked on only once. After a crash it resumes from its
 * journal, and an existing result is returned again.
 */

import { crashPoint } from '../../../crash-points.ts';
import { UserError } from '../../../errors.ts';
import { scrub } from '../../../log.ts';
import { cutCall, cutOffWords, STEERED } from '../../../runtime/context/past-run.ts';
import { type AbortReason, RunAbort } from '../../../runtime/contract/abort.ts';
import type { Waiting } from '../../../runtime/contract/agent.ts';
import type { Order } from '../../../runtime/contract/order.ts';
import {
  type AgentAnswer,
  ASK_AGENT,
  type Question,
  runOfQuestion,
  viberOf,
} from '../../../runtime/contract/question.ts';
import { RunError } from '../../../runtime/contract/run-error.ts';
import { summarise } from '../../../runtime/reply/render-answer.ts';
import { runAgent } from '../../../runtime/run/assemble.ts';
import { sessionOf } from '../../../runtime/run/journal.ts';
import { openTask, type Session } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef, SessionEntry } from '../../../workspace/types.ts';
import { configOf, type Gateway, perGateway } from '../../gateway.ts';
import { agentAnswer } from './answer.ts';
import { createRegistry, type Registry } from './registry.ts';

export interface TaskStart {
  message: string;
  artifactRefs: ArtifactRef[];
}

export interface MeshLimits {
  /** The maximum depth of questions. */
  maxDepth: number;
  /** The maximum number of questions in one run of a task, across all depths. */
  maxCalls: number;
}

/** Returns why the outermost run was aborted. Nested runs are aborted with the reason of the one above. */
function endedBy({ reason }: AbortSignal): AbortReason | undefined {
  for (let error: unknown = reason; error instanceof Error; error = error.cause)
    if (error instanceof RunAbort) return error.reason;
  return undefined;
}

export class Mesh {
  readonly #gw: Gateway;
  readonly registry: Registry;
  readonly limits: MeshLimits;

  constructor(gw: Gateway) {
    this.#gw = gw;
    this.registry = createRegistry(gw.home);
    this.limits = configOf(gw).mesh;
  }

  /** Returns the state of an earlier question when the asking run resumes after a crash. */
  async begun({ agent, key, order }: { agent: string; key: string; order: Order }): Promise<TaskStart | undefined> {
    if (order.earlier.length === 0) return undefined;
    const lines = openTask(this.#gw.home, order.task, agent).session.run(runOfQuestion(order.run, agent, key));
    const message = lines.find((entry) => entry.type === 'message')?.text;
    const result = lines.find((entry) => entry.type === 'result');
    return message === undefined ? undefined : { message, artifactRefs: result?.artifactRefs ?? [] };
  }

  /**
   * @throws {UserError} if the agent can't answer, worded for the asking agent
   * @throws {RunError} if its model fails, or the asking run was aborted
   */
  async ask(question: Question): Promise<AgentAnswer | Waiting> {
    const { agent: viber, message, key, order, asked } = question;
    const { part } = asked;
    if (!part) this.#check(question);
    // Counted before the first await, because several questions run in parallel.
    if (!part) asked.calls.used += 1;
    if (this.registry.ids().includes(viber)) await this.registry.load(viber);
    const run = runOfQuestion(order.run, viber, key);
    const where = { viber, run };
    const signal = question.signal ?? order.signal;
    const earlier = await this.#begin(question, run, viber);
    const done = earlier.find((entry) => entry.type === 'result');
    if (done?.type === 'result') {
      if (done.state === 'completed') return { text: done.text, artifactRefs: done.artifactRefs };
      throw new UserError(`${viber} could not answer that: ${done.text || done.error || done.state}`);
    }
    const cut = cutCall(earlier);
    if (cut !== undefined) {
      const text = `${viber} was interrupted while using ${cut}; it may or may not have happened. Look before it is done again.`;
      await this.#end(question, where, { state: 'error', text, error: 'interrupted' });
      throw new UserError(text);
    }
    // Subscribers of the bus see the question itself; the person's progress shows the work on it.
    const origin = { agentId: viber, taskId: order.task.id, runId: run };
    if (!part)
      this.#gw.tasks.bus.emit({
        ...origin,
        type: 'tool-call',
        tool: ASK_AGENT,
        args: { agent: viber, message: scrub(message) },
      });
    try {
      const { outcome, made, tools } = await runAgent(
        {
          task: order.task,
          viber,
          run,
          principal: order.principal,
          words: [message],
          names: [],
          query: message,
          tellsMemory: order.tellsMemory,
          place: part
            ? 'another run of yours, not a person: your report goes to it unchanged'
            : `another agent (${asked.chain.at(-1) ?? viber}), not a person: your answer goes to it unchanged`,
          earlier,
          signal,
          asked,
          ...(order.decided && { decided: order.decided }),
          ...(order.watch && { watch: order.watch }),
          ...(order.address && { address: order.address }),
          ...(order.job && { job: order.job }),
          ...(part && { isDirect: order.isDirect, language: order.language }),
          ...(question.maxSteps !== undefined && { own: { ...order.own, maxSteps: question.maxSteps } }),
          instructions: question.instructions,
        },
        this.#gw,
      );
      if (outcome.parked) return outcome.parked[0]?.below ?? { waiting: outcome, tools, ...where, earlier };
      const answer = await agentAnswer(outcome, made, { taskId: order.task.id, run }, this.#gw);
      await this.#end(question, where, { text: answer.text, artifactRefs: answer.artifactRefs });
      if (!part)
        this.#gw.tasks.bus.emit({ ...origin, type: 'tool-result', tool: ASK_AGENT, result: { text: answer.text } });
      return answer;
    } catch (error) {
      await this.#broken(question, where, error);
      throw error;
    }
  }

  #check({ agent, asked, message }: Question): void {
    if (message.trim() === '') throw new UserError('The message is empty.');
    if (asked.chain.includes(agent))
      throw new UserError(
        `${agent} waits for this answer itself (${asked.chain.join(' -> ')}): answer without asking it.`,
      );
    if (asked.chain.length > this.limits.maxDepth)
      throw new UserError(
        `Agents may not ask each other deeper than ${this.limits.maxDepth} (mesh.maxDepth): do it yourself.`,
      );
    if (asked.calls.used >= this.limits.maxCalls)
      throw new UserError(
        `This run has asked ${this.limits.maxCalls} times already (mesh.maxCalls): go on without asking.`,
      );
  }

  async #end(
    question: Question,
    where: { viber: string; run: string },
    result: Partial<Extract<SessionEntry, { type: 'result' }>>,
  ): Promise<void> {
    const text = scrub(result.text ?? '');
    const line: SessionEntry = {
      type: 'result',
      run: where.run,
      at: new Date().toISOString(),
      state: 'completed',
      artifactRefs: [],
      ...result,
      text,
      summary: summarise(text),
    };
    await this.#session(question, where).append([line], { sync: true });
    crashPoint('agent:answered');
  }

  #session({ order, asked }: Question, where: { viber: string; run: string }): Session {
    return sessionOf({ task: order.task, asked, ...where }, this.#gw.home);
  }

  /** Writes the first line of the run to its session, or returns the lines of a resumed run. */
  async #begin(question: Question, run: string, viber: string): Promise<SessionEntry[]> {
    const { order, message } = question;
    // A new run can't have asked this before.
    const session = this.#session(question, { viber, run });
    const earlier = order.earlier.length > 0 ? session.run(run) : [];
    if (earlier.some((entry) => entry.type === 'message')) return earlier;
    const at = new Date().toISOString();
    const name = question.asked.chain.at(-1) ?? viberOf(order);
    const from = { channel: 'agent', user: `agent:${name}`, name };
    const line: SessionEntry = {
      type: 'message',
      id: run,
      run,
      at,
      takenAt: at,
      text: scrub(message),
      from,
      files: [],
    };
    await session.append([line], { sync: true });
    return earlier;
  }

  /** Records the end of an aborted run in the session, unless the run will resume after the next start. */
  async #broken(question: Question, where: { viber: string; run: string }, error: unknown): Promise<void> {
    const reason = endedBy(question.order.signal);
    if (reason === 'shutdown' || !(error instanceof RunError)) return;
    const cut = cutCall(this.#session(question, where).run(where.run));
    const text = cut === undefined ? '' : cutOffWords(cut);
    if (reason === 'steer') await this.#end(question, where, { state: 'stopped', text, error: STEERED });
    else if (reason === 'stop') await this.#end(question, where, { state: 'stopped', text });
    else await this.#end(question, where, { state: 'error', text, error: error.kind });
  }
}

export const meshOf = perGateway((gw) => new Mesh(gw));
