/** Decides which pushes are recorded, and what happens to each. Pure. */
import { isOneOf, type Principal } from '../../../access/principal.ts';
import { API } from '../../../channels/channel.ts';
import type { TaskRecord } from '../../../workspace/types.ts';
import type { PushResult } from './post.ts';
import { isSamePush, type Push, type Subscription } from './records.ts';

const MINUTE_MS = 60_000;
const MAX_WAIT_MS = 60 * MINUTE_MS;
const MAX_TRIES = 8;
/** The number of finished runs that the page may still show in a notification. */
const KEPT_DONE = 20;

/** A job's task belongs to nobody, and an owner without a linked account answers for all tasks. */
const isTaskOf = (task: TaskRecord, principal: Principal): boolean =>
  principal.channel === API || task.job !== undefined || isOneOf(task.people, principal);

export const mayAskFor = (task: TaskRecord, principal: Principal): boolean =>
  principal.role === 'owner' && isTaskOf(task, principal);

/** Only for work that was started on the Board or by a program, because chats show their answers themselves. */
export const mayTellEnd = (task: TaskRecord, principal: Principal): boolean =>
  mayAskFor(task, principal) &&
  task.job === undefined &&
  task.parent === undefined &&
  task.conversations.every((place) => place.split(/[:@]/, 1)[0] === API);

/** Records a push, but only once. One pending push about finished work is enough for all of it. */
export function withPush(pushes: readonly Push[], push: Push): readonly Push[] {
  const stands = (each: Push) =>
    isSamePush(each, push) ||
    (push.kind === 'done' && each.kind === 'done' && each.session === push.session && each.state === 'due');
  if (pushes.some(stands)) return pushes;
  return [...pushes, push];
}

/**
 * Drops pushes that nobody needs any more.
 * @param isOpen returns whether a question is still pending
 */
export function stillOfUse(
  pushes: readonly Push[],
  subscriptions: readonly Subscription[],
  isOpen: (question: string) => boolean,
  now: number,
): readonly Push[] {
  const sessions = new Set(subscriptions.map(({ session }) => session));
  const left = pushes.filter(({ session, kind, about, until }) =>
    kind === 'question' ? sessions.has(session) && isOpen(about) : sessions.has(session) && until > now,
  );
  const done = Map.groupBy(
    left.filter(({ kind }) => kind === 'done'),
    ({ session }) => session,
  );
  const old = new Set([...done.values()].flatMap((all) => all.slice(0, -KEPT_DONE)));
  const kept = left.filter((push) => !old.has(push));
  return kept.length === pushes.length ? pushes : kept;
}

/** Returns the index of a push that hasn't been tried since it was read; -1 if another process was faster. */
const dueAt = (pushes: readonly Push[], { tries = 0, ...push }: Push): number =>
  pushes.findIndex((each) => isSamePush(each, push) && each.state === 'due' && (each.tries ?? 0) === tries);

/** Marks a push as being sent. Returns the same list if another process was faster; then it must not be sent. */
export function claimPush(pushes: readonly Push[], push: Push, now: number): readonly Push[] {
  const at = dueAt(pushes, push);
  return at === -1 ? pushes : pushes.with(at, { ...push, state: 'tried', tries: (push.tries ?? 0) + 1, leftAt: now });
}

/**
 * Records the outcome of a try.
 * @param hasLeft false if there was no connection to send it over
 */
export function afterTry(
  pushes: readonly Push[],
  push: Push,
  { result, hasLeft, now }: { result: PushResult; hasLeft: boolean; now: number },
): readonly Push[] {
  const tries = (push.tries ?? 0) + 1;
  const isIt = (each: Push) => isSamePush(each, push) && each.state === 'tried' && each.tries === tries;
  const at = hasLeft ? pushes.findIndex(isIt) : dueAt(pushes, push);
  if (at === -1) return pushes;
  const { leftAt: _left, ...tried } = { ...push, tries, state: 'tried' as const };
  const after = nextTry(tried, result, now);
  if (after !== undefined) return pushes.with(at, { ...tried, state: 'due', after });
  return pushes.with(at, { ...tried, ...(result.kind === 'unsure' && { isUnsure: true }) });
}

/** Returns pushes that were sent before `since` and whose outcome will never be known. */
export const leftAlone = (pushes: readonly Push[], since: number): readonly Push[] =>
  pushes.filter(({ leftAt }) => leftAt !== undefined && leftAt <= since);

export function asUnsure(pushes: readonly Push[], since: number): readonly Push[] {
  if (leftAlone(pushes, since).length === 0) return pushes;
  return pushes.map(({ leftAt, ...push }): Push => {
    if (leftAt === undefined) return push;
    return leftAt <= since ? { ...push, isUnsure: true } : { ...push, leftAt };
  });
}

/** Returns the time of the next try; undefined if there is none. */
export function nextTry({ tries = 1, until }: Push, result: PushResult, now: number): number | undefined {
  if (result.kind !== 'later' || tries >= MAX_TRIES) return undefined;
  const after = now + (result.afterMs ?? Math.min(MAX_WAIT_MS, MINUTE_MS * 2 ** (tries - 1)));
  return after < until ? after : undefined;
}
