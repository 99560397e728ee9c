/** The records of pairings: who is waiting for access, and who has it. */
import type { InboundMessage } from '../channels/channel.ts';
import {
  anything,
  isFilled,
  isNumber,
  isText,
  isTime,
  listOf,
  objectOf,
  oneOf,
  optional,
  shape,
} from '../lib/shape.ts';
import { isRole } from './link-records.ts';
import type { Role } from './principal.ts';

export interface PendingPairing {
  code: string;
  /** `telegram:1001`. */
  identity: string;
  channel: string;
  name: string;
  /** The address to greet once approved, as the channel's own JSON. */
  address: unknown;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Their messages in the meantime: answered once they have access, and deleted with the code. */
  kept?: readonly InboundMessage[];
  /** An owner refused: kept until it expires, so that the request is not repeated at once. */
  denied?: true;
  /** Milliseconds since the epoch: decided outside the chats, where the question is still shown. */
  untold?: number;
}

export interface Paired {
  identity: string;
  name: string;
  role: Role;
  /** ISO 8601. */
  approvedAt: string;
  address: unknown;
  /** Their earlier messages, kept until the gateway has greeted them and accepted these. */
  waiting?: readonly InboundMessage[];
  /** The code of a question still shown in chats, although it was answered elsewhere. */
  asked?: string;
}

export const pendingShape = shape<PendingPairing>(
  objectOf({
    code: isFilled,
    identity: isFilled,
    channel: isFilled,
    name: isText,
    createdAt: isNumber,
    denied: optional(oneOf(true)),
    untold: optional(isNumber),
    kept: optional(listOf(anything)),
  }),
);
export const pairedShape = shape<Paired>(
  objectOf({
    identity: isFilled,
    name: isText,
    role: isRole,
    approvedAt: isTime,
    waiting: optional(listOf(anything)),
    asked: optional(isText),
  }),
);
