/** Finds the progress of the run that answers a message in the task's session. Pure. */
import { answerOptions } from '../../board/protocol/decisions.ts';
import { bareAnswer } from '../../messages/bare-answers.ts';
import type { Messages } from '../../messages/messages.ts';
import type { ApprovalRequest } from '../../runtime/contract/approval.ts';
import type { SessionEntry } from '../../workspace/types.ts';

export type ResultLine = Extract<SessionEntry, { type: 'result' }>;

export interface RunOutcome {
  run?: string;
  result?: ResultLine;
}

/** The result of a run that continued with newer messages; the run after it answers both. */
const STEERED = 'steered';

/** @param run the run that answers, if it is known */
export function outcomeIn(
  entries: readonly SessionEntry[],
  { message, run }: { message?: string | undefined; run?: string | undefined },
): RunOutcome {
  let current = run;
  let result: ResultLine | undefined;
  let isPassedOn = false;
  for (const entry of entries) {
    if (entry.type === 'message') {
      const isOurs = message !== undefined && (entry.id === message || entry.also?.includes(message) === true);
      if (!isOurs && !isPassedOn) continue;
      current = entry.run;
      isPassedOn = false;
      result = undefined;
    } else if (entry.type === 'result' && entry.run === current) {
      isPassedOn = entry.error === STEERED;
      result = isPassedOn ? undefined : entry;
    }
  }
  return { ...(current !== undefined && { run: current }), ...(result && { result }) };
}

/** Formats a question as an answer, with the possible replies. */
export function questionText(request: ApprovalRequest, messages: Messages): string {
  const { sentence = '', details = '', kind } = request;
  const options = (answerOptions(request) ?? []).map((option, at) => `${at + 1}. ${option}`);
  const how = kind === 'question' ? (options.length > 0 ? 'programs.choose' : undefined) : 'programs.yesOrNo';
  return [sentence, details, options.join('\n'), how ? messages.text(how) : ''].filter(Boolean).join('\n\n');
}

export type TypedVerdict = { verdict: 'approve' | 'reject' } | { verdict: 'answer'; answer: string };

/** Returns the decision that these words mean; undefined for other words, which are a message. */
export function typedVerdict(text: string, request: ApprovalRequest): TypedVerdict | undefined {
  if (request.kind !== 'question') {
    const means = bareAnswer(text);
    return means && { verdict: means === 'yes' ? 'approve' : 'reject' };
  }
  const options = answerOptions(request) ?? [];
  const said = text.trim().replace(/[.)]$/, '').toLowerCase();
  const answer = options.find((option, at) => said === String(at + 1) || said === option.trim().toLowerCase());
  return answer === undefined ? undefined : { verdict: 'answer', answer };
}
