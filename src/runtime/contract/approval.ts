/** Requests that wait for a person, and people's decisions. Types only. */
import type { Principal } from '../../access/principal.ts';
import type { InboundMessage } from '../../channels/channel.ts';
import type { ApprovalVerdict, Json } from '../../workspace/types.ts';
import type { JobOrder } from './entry.ts';

export interface Decision {
  verdict: ApprovalVerdict;
  /** A principal as text; empty if nobody decided. */
  by: string;
  name: string;
  /** ISO 8601. */
  at: string;
  /** The answer, for `answer`; the time in the person's words, for `another`. */
  answer?: string;
  /** Set if the decision was made outside the chat where the request was asked. */
  place?: 'board';
}

export interface ApprovalRequest {
  id: string;
  kind: 'tool' | 'plan' | 'question';
  viber: string;
  taskId: string;
  run: string;
  callId: string;
  tool: string;
  input: Json;
  /** A digest of what was shown: tool, input and `shows`, or the plan. */
  digest: string;
  /** A digest of what the question shows beside the arguments. */
  shows?: string;
  /** The kind of arguments that "Always" would cover. */
  scope: string;
  /** ISO 8601. */
  askedAt: string;
  /** ISO 8601. Without it the request never expires. */
  expiresAt?: string;
  /** The answer when the request expires; without it the request is denied. */
  otherwise?: string;
  /** The session that holds the call, if it belongs to an agent that the run asked. */
  inner?: { viber: string; run: string };
  play?: true;
  /** The scheduled job that the run belongs to; the run that resumes it belongs to it too. */
  job?: JobOrder;
  /** The question as shown, and its full details, as Markdown. */
  sentence?: string;
  details?: string;
  /** The person whose words the run answers. */
  principal: Principal;
  /** The messages that were answered with the question. It may be decided only where they came from. */
  asked: InboundMessage[];
  decision?: Decision;
  /** The time when the run resumed with the decision, ISO 8601. */
  takenAt?: string;
}
