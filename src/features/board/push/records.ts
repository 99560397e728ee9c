/**
 * Stores subscriptions of browsers, one per login, and the pushes to them: `access/push.json` and `access/pushes.json`.
 * A push is recorded before it is sent, and marked `tried` right before its request is sent, so that it is never sent
 * twice. After a crash it is sent unless sending had begun; if it had, and no answer came, its reader is told.
 */
import path from 'node:path';
import { openJsonList } from '../../../access/records.ts';
import { isFilled, isFlag, isNumber, objectOf, oneOf, optional, shape } from '../../../lib/shape.ts';
import { subscriptionFile } from './subscription-file.ts';

export type PushKind = 'question' | 'done' | 'test';

export interface Subscription {
  /** The login to which it belongs. */
  session: string;
  /** The person, as text, to count their subscriptions. */
  person: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  /** The gateway's public key with which it was made. */
  key: string;
  /** Milliseconds since the epoch, as all times here. */
  since: number;
  /** Why its service refused the last push. */
  problem?: string;
}

export interface Push {
  session: string;
  kind: PushKind;
  /** The question, or the run. */
  about: string;
  taskId: string;
  state: 'due' | 'tried';
  at: number;
  /** When it is no longer worth sending. */
  until: number;
  /** The earliest time to send it. */
  after?: number;
  tries?: number;
  /** When it was sent; absent once the outcome is known. */
  leftAt?: number;
  /** It may not have arrived, and isn't repeated. */
  isUnsure?: true;
}

const subscriptionShape = shape<Subscription>(
  objectOf({
    session: isFilled,
    person: isFilled,
    endpoint: isFilled,
    p256dh: isFilled,
    auth: isFilled,
    key: isFilled,
    since: isNumber,
    problem: optional(isFilled),
  }),
);

const pushShape = shape<Push>(
  objectOf({
    session: isFilled,
    kind: oneOf('question', 'done', 'test'),
    about: isFilled,
    taskId: isFilled,
    state: oneOf('due', 'tried'),
    at: isNumber,
    until: isNumber,
    after: optional(isNumber),
    tries: optional(isNumber),
    leftAt: optional(isNumber),
    isUnsure: optional(isFlag),
  }),
);

export function openPushRecords(folder: string) {
  return {
    subscriptions: openJsonList(subscriptionFile(folder), subscriptionShape, {
      lost: 'the browsers that get notifications',
      next: "People must turn them on again in the Board's settings.",
    }),
    pushes: openJsonList(path.join(folder, 'pushes.json'), pushShape, {
      lost: 'the notifications that were sent',
      next: 'A pending question may be announced again.',
    }),
  };
}

export type PushRecords = ReturnType<typeof openPushRecords>;

export const isSamePush = (one: Push, other: Push): boolean =>
  one.session === other.session && one.kind === other.kind && one.about === other.about;
