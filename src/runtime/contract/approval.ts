/** What waits for a person, and what they decided. Types only. */
import type { Principal } from '../../access/principal.ts';
import type { InboundMessage } from '../../channels/channel.ts';
import type { ApprovalVerdict, Json } from '../../workspace/types.ts';
import type { JobOrder } from './entry.ts';

export interface Decision {
  verdict: ApprovalVerdict;
  /** A principal as text; '' when nobody did. */
  by: string;
  name: string;
  /** ISO 8601. */
  at: string;
  /** With `answer`; the time in their words, with `another`. */
  answer?: string;
  /** Not in the chat where it was asked. */
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
  /** Of what was shown: tool, input and `shows`, or the plan. */
  digest: string;
  /** A sum of what the question shows beside the arguments. */
  shows?: string;
  /** The kind of arguments that "Always" would cover. */
  scope: string;
  /** ISO 8601. */
  askedAt: string;
  /** ISO 8601; without it the request waits for as long as it takes. */
  expiresAt?: string;
  /** What is answered when the time is up; without it the request is denied. */
  otherwise?: string;
  /** The session that holds the call, where it is that of an agent which the run asked. */
  inner?: { viber: string; run: string };
  /** The run plays a playbook. */
  play?: true;
  /** The run is a scheduled job's: so is what goes on from it. */
  job?: JobOrder;
  /** What was asked, and all there is to know about it, as Markdown. */
  sentence?: string;
  details?: string;
  /** Whose words the run is about. */
  principal: Principal;
  /** The messages that were answered with the question: it may be decided where they came from, and nowhere else. */
  asked: InboundMessage[];
  decision?: Decision;
  /** ISO 8601: when the run went on with the decision. */
  takenAt?: string;
}
