/** Requests that wait for a person, people's decisions, and what they may allow. */
import type { Principal } from '../../access/principal.ts';
import type { InboundMessage } from '../../channels/channel.ts';
import type { ApprovalVerdict, AskedCall, ConsentKey, Json } from '../../workspace/types.ts';
import type { JobOrder } from './entry.ts';

export interface Decision {
  verdict: ApprovalVerdict;
  by: string;
  name: string;
  /** ISO 8601. */
  at: string;
  /** The answer, for `answer`; the time in the person's words, for `another`. */
  answer?: string;
  /** Decided outside the chat where it was asked. */
  place?: 'board';
  /** `always` for the wider kind. */
  isWide?: true;
}

/** What people may allow besides this one time. */
export interface Allowance {
  /** The kinds that "Always" would cover instead of `scope`; none: there is no "Always". */
  kinds?: readonly string[];
  /** A wider kind, which people may allow as well. */
  wide?: ConsentKey;
}

/** As people were shown it, in Markdown. */
export interface ShownQuestion {
  sentence?: string;
  details?: string;
  labels?: ConsentLabels;
}

export interface ApprovalRequest extends Allowance, ShownQuestion {
  id: string;
  kind: 'tool' | 'plan' | 'question';
  viber: string;
  taskId: string;
  run: string;
  callId: string;
  tool: string;
  input: Json;
  /** A digest of what was shown: tool, input and `shows` (beside the arguments), or the plan. */
  digest: string;
  shows?: string;
  /** The kind of arguments that "Always" would cover. */
  scope: string;
  /** Other calls of the step; the decision is about them too. */
  more?: readonly AskedCall[];
  /** ISO 8601. */
  askedAt: string;
  /** ISO 8601. Without it the request never expires. */
  expiresAt?: string;
  /** The answer at expiry; without it the request is denied. */
  otherwise?: string;
  /** The session that holds the call, if it belongs to an agent that the run asked. */
  inner?: { viber: string; run: string };
  play?: true;
  /** The job to which the run belongs, and the run that resumes it. */
  job?: JobOrder;
  principal: Principal;
  /** The messages that the question answered. It may be decided only in their conversations. */
  asked: InboundMessage[];
  decision?: Decision;
  /** When the run resumed, ISO 8601. */
  takenAt?: string;
}

/** The buttons that let calls run, by what they allow. */
export interface ConsentLabels {
  yes: string;
  no: string;
  always?: string;
  all?: string;
}

/** The kinds that "Always" covers. */
export const kindsOf = ({ kinds, scope }: ApprovalRequest): readonly string[] => kinds ?? [scope];

/** Returns undefined if there is no such button. */
export function allowedFor(request: ApprovalRequest, verb: string): { verdict: 'always'; isWide?: true } | undefined {
  if (request.kind !== 'tool') return undefined;
  if (verb === 'all') return request.wide && { verdict: 'always', isWide: true };
  return verb === 'always' && kindsOf(request).length > 0 ? { verdict: 'always' } : undefined;
}
