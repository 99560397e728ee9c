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
import type { ArtifactRef, AskedCall, Json, SessionEntry, TaskRecord } from '../../workspace/types.ts';
import { resultMessage } from '../context/open-calls.ts';
import type { AgentOutcome, WaitingCall } from '../contract/agent.ts';
import type { Allowance, ApprovalRequest, Decision } from '../contract/approval.ts';
import type { Entry } from '../contract/entry.ts';
import type { RunVerdicts } from '../contract/order.ts';
import type { Answer, QuestionContents } from '../contract/outcome.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { escapeMarkdown } from '../conversations/places.ts';
import { summarise } from '../reply/render-answer.ts';
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
import { decidedOf, isAbout, isLine, type Line, openIn, sessionOf } from './session-lines.ts';
import { allowAlways, verdictOf } from './verdict.ts';

export interface SuspendedRun {
  task: TaskRecord;
  run: string;
  principal: Principal;
  items: readonly QueueItem<Entry>[];
  /** Includes other senders' messages. */
  answered: readonly QueueItem<Entry>[];
  earlier: readonly SessionEntry[];
  /** The session that holds the call, of an agent that the run asked. */
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

  /** @throws a system error if the question can't be stored */
  async suspend(
    where: SuspendedRun,
    outcome: AgentOutcome,
    tools: readonly RuntimeTool[],
    { said, refs }: QuestionContents,
  ): Promise<Answer> {
    const [call, ...others] = outcome.parked ?? [];
    if (!call) throw new Error('a run that waits for nothing was parked');
    const tool = tools.find(({ name }) => name === call.tool);
    const messages = messagesFor((where.items[0] as QueueItem<Entry>).message.message);
    const joined = tool?.asksTogether ? others.filter((other) => other.tool === call.tool && !other.below) : [];
    const { request, plan, asked, isAgain } = await this.#requestFor(where, [call, ...joined], tool, refs);
    if (!asked) await this.#replace(where, request);
    const question: Question = asked
      ? askPerson(request, asked, messages)
      : plan
        ? askAboutPlan(request, plan.text, messages)
        : tool
          ? askForConsent(request, { messages, ...consentWords(tool, request, messages) })
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
      ...(question.labels && { labels: question.labels }),
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

  /** `void`: the person wrote something else first; `stop`: the run ends here. */
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
      if (call) await this.#answerAll({ task, run, earlier }, 'execution denied: the person stopped the work.');
      return 'stop';
    }
    if (decision.verdict === 'always') await allowAlways(this.#home, task, request, decision);
    if (!call) return { run, verdicts: new Map() };
    const isMoved = decidedOf(earlier, request.callId).includes('another');
    const verdicts = new Map([
      [call.callId, await verdictOf(this.#home, task, request, decision, shown?.digest, isMoved)],
    ]);
    for (const { callId, ...other } of request.more ?? []) {
      const { shows: _shows, ...first } = request;
      const known = shown?.more?.find((each) => each.callId === callId);
      verdicts.set(callId, await verdictOf(this.#home, task, { ...first, ...other }, decision, known?.digest));
    }
    return { run, verdicts };
  }

  /** A message of one of the task's people answers the model's questions. Requests for consent stay pending. */
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

  /** The new question replaces an open one about the same subject. */
  async #replace({ task, principal }: SuspendedRun, now: ApprovalRequest): Promise<void> {
    for (const request of this.#approvals.waiting(task.id)) {
      if (request.run === now.run || request.decision || !isSameMatter(request, now)) continue;
      if (principal.role === 'guest' && request.principal.role !== 'guest') continue;
      await this.#close(task, request, principal);
    }
  }

  /** Closes a question. Its call gets a result that says so, so that the history is complete. */
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

  /** Makes the request for a call. After a crash it reuses the line in the session. */
  async #requestFor(
    where: SuspendedRun,
    [call, ...joined]: [WaitingCall, ...WaitingCall[]],
    tool: RuntimeTool | undefined,
    refs: ArtifactRef[],
  ) {
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
    const more = joined.map(furtherCall);
    // If the time or anything it shows has changed, it is another question.
    const digest = kind === 'tool' ? digestOf(call.tool, input, call.shows) : digestOf(call.tool, input);
    const isSame = same?.digest === digest && digestsOf(same.more) === digestsOf(more);
    const known = kind === 'tool' && !isSame ? undefined : same;
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
      ...(more.length > 0 && { more }),
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
      ...(kind === 'tool' && (await allowedBy(tool, [input, ...more.map((one) => one.input)]))),
      ...(preferred === undefined ? {} : { otherwise: preferred }),
      principal: where.principal,
      asked: answered.flatMap(askedOf),
      ...(first.job ? { job: first.job } : {}),
    });
    const before = earlier
      .filter(isLine('approval'))
      .findLast((each) => isAbout(each, call.callId) && each.id !== line.id);
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

  /** Gives each open call a result, since the history must be complete. */
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

/** The form of a further call in the session, where transcripts hold no secrets (promise 57). */
function furtherCall({ callId, tool, input: given, shows }: WaitingCall): AskedCall {
  const input: Json = JSON.parse(scrub(JSON.stringify(given)));
  return { callId, input, digest: digestOf(tool, input, shows), ...(shows !== undefined && { shows }) };
}

const digestsOf = (calls: readonly AskedCall[] = []): string =>
  JSON.stringify(calls.map(({ callId, digest }) => [callId, digest]));

/** Returns what a person may allow beyond these calls; nothing if one of them is asked about each time. */
async function allowedBy(tool: RuntimeTool | undefined, inputs: readonly Json[]): Promise<Allowance> {
  if (!tool?.judges) return {};
  const kinds = new Set<string>();
  let mayRepeat = true;
  for (const given of inputs) {
    const parsed = tool.input.safeParse(given);
    const found = parsed.success ? await tool.judges(parsed.data) : undefined;
    if (found?.is !== 'usual') return { kinds: [] };
    mayRepeat &&= found.kinds.length > 0;
    for (const kind of found.kinds) kinds.add(kind);
  }
  const [first] = inputs;
  const wide = tool.coveredBy?.(tool.input.parse(first));
  return { kinds: mayRepeat ? [...kinds] : [], ...(wide?.tool === tool.name && { wide }) };
}
