/**
 * Ends a run that waits for a person, and resumes it after the decision (promise 36). The step with the pending call is
 * in the session before the question is asked, and the decision is there before anything is done about it. An approved
 * call runs once; if a crash leaves unknown whether it ran, that is reported and the call is never tried again.
 *
 *   step (a call without result) -> approval -> [the worker is free] -> decision -> call -> step (its result) -> model
 */

import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { authoriseAction } from '../../access/authorise.ts';
import { type Principal, principalText } from '../../access/principal.ts';
import type { Attachment } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import { scrub } from '../../log.ts';
import { messagesFor } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, Json, SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { AgentOutcome, WaitingCall } from '../agent/agent.ts';
import { resultMessage } from '../context/open-calls.ts';
import type { ApprovalRequest, Decision } from '../contract/approval.ts';
import type { Entry } from '../contract/entry.ts';
import type { RunVerdicts } from '../contract/order.ts';
import type { Answer, QuestionContents } from '../contract/outcome.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { escapeMarkdown } from '../conversations/places.ts';
import { summarise } from '../reply/reply.ts';
import { digestOf } from '../reply/show.ts';
import { askUser, askUserInput } from '../tools/ask-user.ts';
import type { Approvals } from './approvals.ts';
import { adoptPlan, proposedPlan, proposePlan } from './plan-approval.ts';
import {
  askAboutPlan,
  askForConsent,
  askPerson,
  consentMinutes,
  consentWords,
  detailsButton,
  QUESTION_MINUTES,
  type Question,
  scopeOf,
} from './question.ts';
import { askedOf, insteadOf, isPromised, isSameMatter } from './request.ts';
import { decidedOf, isLine, type Line, openIn, sessionOf, where } from './session-lines.ts';
import { allowAlways, verdictOf } from './verdict.ts';

export interface SuspendedRun {
  task: TaskRecord;
  run: string;
  /** The person for whom it runs and resumes. */
  principal: Principal;
  items: readonly QueueItem<Entry>[];
  /** All messages that the run answers, whoever sent them. */
  answered: readonly QueueItem<Entry>[];
  earlier: readonly SessionEntry[];
  /** The session that holds the call, if it belongs to an agent that the run asked. */
  inner?: { viber: string; run: string; earlier: readonly SessionEntry[] };
  play?: true;
}

export class RunSuspension {
  readonly #home: Home;
  readonly #approvals: Approvals;
  readonly #now: () => number;

  constructor(options: { home: Home; approvals: Approvals; now?: () => number }) {
    this.#home = options.home;
    this.#approvals = options.approvals;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Ends the run by asking the question that it waits for.
   * @throws a system error if the question can't be stored
   */
  async suspend(
    where: SuspendedRun,
    outcome: AgentOutcome,
    tools: readonly RuntimeTool[],
    { said, refs }: QuestionContents,
  ): Promise<Answer> {
    const call = outcome.parked?.[0];
    if (!call) throw new Error('a run that waits for nothing was parked');
    const tool = tools.find(({ name }) => name === call.tool);
    const messages = messagesFor((where.items[0] as QueueItem<Entry>).message.message);
    const { request, plan, asked, isAgain } = await this.#requestFor(where, call, tool, refs);
    if (!asked) await this.#replace(where, request);
    const question: Question = asked
      ? askPerson(request, asked, messages)
      : plan
        ? askAboutPlan(request, plan.text, messages)
        : tool
          ? askForConsent(request, { messages, ...consentWords(tool, request.input, messages) })
          : askForConsent(request, { messages });
    crashPoint('run:parked');
    const { inner, task } = where;
    const asks =
      inner && inner.viber !== task.viber
        ? messages.text('questions.agentAsks', { name: escapeMarkdown(inner.viber) })
        : '';
    const again = isAgain ? messages.text('consent.again') : '';
    const text = scrub([said, asks, again, question.text].filter(Boolean).join('\n\n'));
    const details = question.details === undefined ? undefined : scrub(question.details);
    await this.#approvals.told(request.id, {
      sentence: scrub(question.text),
      ...(details === undefined ? {} : { details }),
    });
    return {
      ...(details === undefined ? {} : { details: { text: details, button: detailsButton(request.id, messages) } }),
      state: 'waiting',
      text,
      summary: summarise(question.text),
      artifactRefs: refs,
      buttons: question.buttons,
      ...(question.file ? { files: [await this.#questionFile(request, question.file)] } : {}),
    };
  }

  /**
   * Returns the decision for the run that resumes with it. `void`: there is none, because the person wrote something
   * else first; `stop`: the run ends here.
   */
  async resume(parked: SuspendedRun, approval: string): Promise<RunVerdicts | 'void' | 'stop'> {
    const request = await this.#approvals.look(approval);
    if (!request?.decision || !(await this.#approvals.take(approval))) return 'void';
    const { decision } = request;
    const { task, run, earlier } = request.inner ? await this.#innerOf(parked.task, request.inner) : parked;
    const isNoted = earlier.some((entry) => entry.type === 'decision' && entry.approval === approval);
    if (!isNoted)
      await openTask(this.#home, task).session.append([this.#decisionLine(run, request, decision)], {
        sync: true,
      });
    const shown = earlier.filter(isLine('approval')).find(({ id }) => id === approval);
    const call = openIn(earlier).find(({ callId }) => callId === request.callId);
    if (decision.verdict === 'stop') {
      if (call) await this.#answerAll(where(task, run, earlier), 'execution denied: the person stopped the work.');
      return 'stop';
    }
    if (decision.verdict === 'always') await allowAlways(this.#home, task, request, decision);
    if (!call) return { run, verdicts: new Map() };
    const isMoved = decidedOf(earlier, request.callId).includes('another');
    const verdict = await verdictOf(this.#home, task, request, decision, shown?.digest, isMoved);
    return { run, verdicts: new Map([[call.callId, verdict]]) };
  }

  /**
   * Handles a message that one of the task's people wrote instead of pressing a button: it answers the model's
   * questions, and the history says so. Requests for consent stay pending.
   */
  async supersede({ task, run, items }: SuspendedRun): Promise<void> {
    const entry = (items[0] as QueueItem<Entry>).message;
    if (!authoriseAction(entry.principal, 'steer', task.people)) return;
    await this.#approvals.refresh();
    for (const request of this.#approvals.waiting(task.id)) {
      // The task continues with people's version of a proposed plan; its question stays.
      if (request.kind === 'plan' && !request.decision) await adoptPlan(this.#home, task, request.digest);
      if (request.kind !== 'question' || request.run === run || isPromised(request)) continue;
      // A guest can't close a question to others.
      if (entry.principal.role === 'guest' && request.principal.role !== 'guest') continue;
      await this.#close(task, request, entry.principal);
    }
  }

  /** Closes an open question of the task about the same subject: the new one replaces it. */
  async #replace({ task, principal }: SuspendedRun, now: ApprovalRequest): Promise<void> {
    for (const request of this.#approvals.waiting(task.id)) {
      if (request.run === now.run || request.decision || !isSameMatter(request, now)) continue;
      if (principal.role === 'guest' && request.principal.role !== 'guest') continue;
      await this.#close(task, request, principal);
    }
  }

  /** Closes a request and gives its call a result that says so, so that the history is complete. */
  async #close(task: TaskRecord, request: ApprovalRequest, principal: Principal): Promise<void> {
    await this.#approvals.withdraw(request.id, { by: principalText(principal), name: principal.name });
    const { decision } = this.#approvals.get(request.id) ?? {};
    if (!decision) return;
    const asked = await this.#innerOf(task, request.inner ?? { viber: task.viber, run: request.run });
    const closing = this.#decisionLine(asked.run, request, decision);
    await this.#answerAll(asked, insteadOf(request), [closing]);
  }

  #later(minutes: number) {
    return new Date(this.#now() + minutes * 60_000).toISOString();
  }

  /** Returns the request and its line in the session. After a crash it reuses the existing line. */
  async #requestFor(where: SuspendedRun, call: WaitingCall, tool: RuntimeTool | undefined, refs: ArtifactRef[]) {
    const { items, answered, inner } = where;
    const first = (items[0] as QueueItem<Entry>).message;
    const { task, run, earlier } = inner ? sessionOf(where.task, inner, inner.earlier) : where;
    const kind = call.tool === askUser.name ? 'question' : tool?.asksAfter ? 'plan' : 'tool';
    // The input that is shown and run comes from the session: transcripts contain no secrets (promise 57).
    const input: Json = JSON.parse(scrub(JSON.stringify(call.input)));
    const asked = kind === 'question' ? askUserInput.parse(input) : undefined;
    const preferred = asked?.recommended === undefined ? undefined : asked.options?.[asked.recommended];
    const minutes =
      kind === 'tool' ? consentMinutes(call.tool) : preferred === undefined ? undefined : QUESTION_MINUTES;
    const same = earlier.filter(isLine('approval')).findLast((line) => line.callId === call.callId);
    // If the time or anything it shows has changed, it is another question.
    const digest = kind === 'tool' ? digestOf(call.tool, input, call.shows) : digestOf(call.tool, input);
    const known = kind === 'tool' && same?.digest !== digest ? undefined : same;
    // A plan that was proposed before a crash may have been edited since.
    const propose = known ? proposedPlan : proposePlan;
    const plan = kind === 'plan' ? await propose(this.#home, task) : undefined;
    const scope = tool ? scopeOf(tool, input) : '';
    const line: Line<'approval'> = known ?? {
      type: 'approval',
      id: randomBytes(12).toString('hex'),
      run,
      kind,
      callId: call.callId,
      tool: call.tool,
      input,
      digest: plan?.hash ?? digest,
      at: call.at ?? new Date(this.#now()).toISOString(),
      ...(kind === 'tool' && call.shows !== undefined && { shows: call.shows }),
      ...(scope === '' ? {} : { scope }),
      ...(minutes === undefined ? {} : { expiresAt: this.#later(minutes) }),
      ...(refs.length > 0 && { artifactRefs: refs }),
    };
    if (!known) await openTask(this.#home, task).session.append([line], { sync: true });
    const { type: _type, at: askedAt, artifactRefs: _refs, ...fields } = line;
    const request = await this.#approvals.ask({
      ...fields,
      run: where.run,
      ...(inner && { inner: { viber: inner.viber, run: inner.run } }),
      ...(where.play && { play: true }),
      askedAt,
      viber: where.task.viber,
      taskId: task.id,
      scope,
      ...(preferred === undefined ? {} : { otherwise: preferred }),
      principal: where.principal,
      asked: answered.flatMap(askedOf),
      ...(first.job ? { job: first.job } : {}),
    });
    const before = earlier
      .filter(isLine('approval'))
      .findLast(({ callId, id }) => callId === call.callId && id !== line.id);
    const said = before && this.#approvals.get(before.id)?.decision?.verdict;
    const isAgain = said === 'approve' || said === 'always';
    return { request, plan, asked, isAgain };
  }

  async #questionFile(request: ApprovalRequest, { name, text }: { name: string; text: string }) {
    const file = path.join(this.#approvals.folder, `${request.id}.txt`);
    const bytes = Buffer.from(scrub(text));
    await writeFileAtomic(file, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { path: file, name, mimeType: 'text/plain', size: bytes.length, sha256 } satisfies Attachment;
  }

  #decisionLine(run: string, request: ApprovalRequest, decision: Decision): Line<'decision'> {
    return { type: 'decision', run, at: decision.at, approval: request.id, verdict: decision.verdict, by: decision.by };
  }

  async #innerOf(task: TaskRecord, inner: { viber: string; run: string }) {
    return sessionOf(task, inner, openTask(this.#home, task, inner.viber).session.run(inner.run));
  }

  /** Gives every pending call the same result, so that the history is complete. */
  async #answerAll(
    { task, run, earlier }: { task: TaskRecord; run: string; earlier: readonly SessionEntry[] },
    why: string,
    before: SessionEntry[] = [],
  ) {
    const messages = openIn(earlier).map((call) => resultMessage(call, { error: why }));
    const index = earlier.filter(isLine('step')).reduce((last, step) => Math.max(last, step.index), 0) + 1;
    const at = new Date(this.#now()).toISOString();
    const step: SessionEntry[] = messages.length > 0 ? [{ type: 'step', run, at, index, messages }] : [];
    await openTask(this.#home, task).session.append([...before, ...step], { sync: true });
  }
}
