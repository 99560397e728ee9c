/** Applies decisions: permanent consents, approved plans, and the verdicts on pending calls. */
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ConsentKey, TaskRecord } from '../../workspace/types.ts';
import type { Verdict } from '../contract/agent.ts';
import { type ApprovalRequest, type Decision, kindsOf } from '../contract/approval.ts';
import { digestOf } from '../reply/show.ts';
import { approvePlan } from './plan-approval.ts';
import { consentMinutes } from './question.ts';

/** Repeated calls store it once. */
export async function allowAlways(
  home: Home,
  task: TaskRecord,
  request: ApprovalRequest,
  { by, at, isWide }: Decision,
): Promise<void> {
  const { tool, wide } = request;
  const keys = isWide ? (wide ? [wide] : []) : kindsOf(request).map((kind) => ({ tool, kind }));
  await openTask(home, task).update((record) => {
    const known = record.always ?? [];
    const isNew = (key: ConsentKey) => !known.some((consent) => consent.tool === key.tool && consent.kind === key.kind);
    const added = keys.filter(isNew).map((key) => ({ ...key, by, at }));
    return added.length === 0 ? record : { ...record, always: [...known, ...added] };
  });
}

/**
 * @param shown the digest of what was shown, from the session
 * @param isMoved a person named another time than the model did
 */
export async function verdictOf(
  home: Home,
  task: TaskRecord,
  request: ApprovalRequest,
  { verdict, by, name, at, answer }: Decision,
  shown: string | undefined,
  isMoved = false,
): Promise<Verdict> {
  if (request.kind === 'question') {
    if (verdict !== 'answer') return { error: 'There is no answer: go on as you think best, or say what you need.' };
    return {
      value: {
        answer: answer ?? '',
        ...(by === '' ? { note: 'Nobody answered in time; you recommended this.' } : {}),
      },
    };
  }
  const isYes = verdict === 'approve' || verdict === 'always';
  if (request.kind === 'plan') {
    if (!isYes) return { value: { status: 'rejected', message: `${name} rejected the plan: do not carry it out.` } };
    const plan = await approvePlan(home, task, request.digest, { by, at });
    const edited = plan.hash !== request.digest;
    return {
      value: {
        status: 'approved',
        ...(edited ? { message: 'The person changed the plan: work by theirs.', plan: plan.text } : {}),
      },
    };
  }
  if (verdict === 'another') return { at: answer ?? '', input: request.input };
  if (!isYes) return { error: denial(verdict, name, request.tool) };
  const { tool, input, shows } = request;
  if ([digestOf(tool, input, shows), shown].some((digest) => digest !== request.digest))
    return { error: 'execution denied: this is no longer what was approved.' };
  return { run: input, ...(shows !== undefined && { shows }), ...(isMoved && { note: OTHER_TIME }) };
}

const OTHER_TIME = 'The person has chosen another time: it was done with that, not with the one you gave.';

function denial(verdict: Decision['verdict'], name: string, tool: string): string {
  if (verdict === 'expired') return `execution denied: nobody answered within ${consentMinutes(tool)} minutes.`;
  return `execution denied: ${name || 'the person'} said no. Go on without it, or ask what they would like.`;
}
