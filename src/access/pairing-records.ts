/** What stands in the files of pairings: who waits to be let in, and who was. */
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
  /** The address to greet once approved, as JSON of the channel's own. */
  address: unknown;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** What they wrote meanwhile: it is answered once they are let in, and gone with the code. */
  kept?: readonly InboundMessage[];
  /** An owner said no: kept until its time is over, so that nobody asks again at once. */
  denied?: true;
  /** Milliseconds since the epoch: it was said outside of the chats, where the question still stands. */
  untold?: number;
}

export interface Paired {
  identity: string;
  name: string;
  role: Role;
  /** ISO 8601. */
  approvedAt: string;
  /** Where to greet them. */
  address: unknown;
  /** What they wrote before; there until the gateway has greeted them and taken it in. */
  waiting?: readonly InboundMessage[];
  /** The code of a question that still stands in the chats: it was answered outside of them. */
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
