/**
 * Tells browsers by Web Push that a question is pending or work has finished, and nothing more: the page's service
 * worker asks the gateway what to show. Nothing runs before the first subscription.
 */
import { principalText } from '../../../access/principal.ts';
import { RequestError } from '../../../board/respond.ts';
import { crashPoint } from '../../../crash-points.ts';
import { scrub } from '../../../log.ts';
import { say } from '../../../messages/messages.ts';
import type { ApprovalRequest } from '../../../runtime/contract/approval.ts';
import type { Caller } from '../../../runtime/contract/board.ts';
import type { News } from '../../../runtime/contract/news.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import { configOf, type Gateway } from '../../gateway.ts';
import { loginsOf } from '../logins.ts';
import type { Sessions } from '../sessions.ts';
import { afterTry, asUnsure, claimPush, leftAlone, mayAskFor, mayTellEnd, stillOfUse, withPush } from './decide.ts';
import { isPushAddress, LIMIT_MS, type PushResult, postPush, pushHeaders } from './post.ts';
import {
  isSamePush,
  openPushRecords,
  type Push,
  type PushKind,
  type PushRecords,
  type Subscription,
} from './records.ts';
import { areBrowserKeys, type BrowserKeys, sealFor } from './seal.ts';
import { hasSubscriptions } from './subscription-file.ts';
import { type PushKeys, pushKeys, vapidHeader } from './vapid.ts';

const MAX_PER_PERSON = 10;
const MAX_TIMER_MS = 3_600_000;
const QUESTION_MS = 24 * 3_600_000;
const DONE_MS = 12 * 3_600_000;
const TEST_MS = 60_000;
/** The pause after a push that could not be recorded. */
const FAILED_MS = 60_000;
/** No process waits longer for an answer. If nothing is known by then, a crash interrupted the push. */
const LEFT_MS = 2 * LIMIT_MS;
/** The program's contact for operators of push services, as long as the gateway has no https address. */
const PROJECT = 'https://www.npmjs.com/package/openviber-gateway';

export class Pushes {
  readonly #gw: Gateway;
  readonly #records: PushRecords;
  readonly #sessions: Sessions;
  readonly #keys: PushKeys;
  /** Maps a push service's origin to the time until which it wants no pushes. */
  readonly #held = new Map<string, number>();
  readonly #sending = new Map<string, Promise<void>>();
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(gw: Gateway, sessions: Sessions) {
    this.#gw = gw;
    this.#sessions = sessions;
    this.#records = openPushRecords(gw.home.access);
    this.#keys = pushKeys(gw.home.access);
  }

  get publicKey(): string {
    return this.#keys.publicKey;
  }

  /** Continues where an earlier process stopped, and listens from now on. */
  begin(): void {
    if (this.#unsubscribe || this.#isClosed) return;
    this.#unsubscribe = this.#gw.tasks.news.subscribe((news) => this.#happened(news));
    this.#unlessFailed(() => {
      // Where only one process uses the home, whatever it had begun ended with it.
      this.#ownUp(this.#gw.config.engine.kind === 'local' ? Date.now() : Date.now() - LEFT_MS);
      for (const request of this.#gw.consent.approvals.all()) if (request.sentence !== undefined) this.#ask(request);
    });
    this.#sendDue();
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
  }

  of(session: string): Subscription | undefined {
    return this.#current().find((each) => each.session === session);
  }

  /** @throws RequestError for an address or keys that can't be used, or if there are too many subscriptions */
  subscribe(caller: Caller, { endpoint, keys }: { endpoint: string; keys: BrowserKeys }): void {
    const { services } = configOf(this.#gw).push;
    if (!isPushAddress(endpoint, services) || !areBrowserKeys(keys))
      throw new RequestError(400, 'bad_request', say('boardSetup.pushAddress'), 'endpoint');
    const person = principalText(caller.principal);
    const { p256dh, auth } = keys;
    const own = { session: caller.id, person, endpoint, p256dh, auth, key: this.#keys.publicKey, since: Date.now() };
    this.#records.subscriptions.change((all) => {
      const others = this.#alive(all).filter((each) => each.session !== caller.id && each.endpoint !== endpoint);
      if (others.filter((each) => each.person === person).length >= MAX_PER_PERSON)
        throw new RequestError(409, 'too_many', say('boardSetup.pushTooMany', { n: MAX_PER_PERSON }));
      return [...others, own];
    });
    this.begin();
  }

  forget(session: string): void {
    if (!hasSubscriptions(this.#gw)) return;
    this.#records.subscriptions.change((all) =>
      all.some((each) => each.session === session) ? all.filter((each) => each.session !== session) : all,
    );
  }

  /** Sends a push now, and returns the result. */
  async test(session: string): Promise<PushResult> {
    const found = this.of(session);
    if (!found) return { kind: 'gone' };
    const now = Date.now();
    const push: Push = {
      session,
      kind: 'test',
      about: 'test',
      taskId: '-',
      state: 'tried',
      at: now,
      until: now + TEST_MS,
    };
    const result = await this.#post(found, push, () => true);
    this.#learn(found, result);
    return result;
  }

  /** Returns a login's pushes of this kind, newest last. */
  noticesOf(session: string, kind: PushKind): readonly Push[] {
    return this.#tidy().filter((push) => push.session === session && push.kind === kind);
  }

  /** How many may not have arrived, of those that are still of use. */
  unsureOf(session: string): number {
    return this.#tidy().filter((push) => push.session === session && push.isUnsure).length;
  }

  #happened(news: News): void {
    this.#unlessFailed(() => {
      if (news.type === 'approval:asked') this.#ask(news.request);
      else if (news.type === 'run:ended' && news.end.state !== 'stopped') this.#end(news.end.taskId, news.end.runId);
      else return;
      this.#sendDue();
    });
  }

  /** Never throws: the file may be locked, or the disk full. A question is found again at the next start. */
  #unlessFailed(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#gw.log.error({ err: error }, 'a notification could not be recorded');
    }
  }

  #ask({ id, taskId, askedAt, expiresAt }: ApprovalRequest): void {
    const asked = Date.parse(askedAt);
    const until = expiresAt === undefined ? asked + QUESTION_MS : Date.parse(expiresAt);
    this.#note('question', { about: id, taskId, until }, mayAskFor, asked);
  }

  #end(taskId: string, run: string): void {
    this.#note('done', { about: run, taskId, until: Date.now() + DONE_MS }, mayTellEnd, Date.now());
  }

  #note(
    kind: PushKind,
    what: { about: string; taskId: string; until: number },
    may: typeof mayAskFor,
    happened: number,
  ): void {
    const task = openTask(this.#gw.home, what.taskId).record();
    if (!task) return;
    const now = Date.now();
    const meant = this.#current().filter(({ session, since }) => {
      const login = this.#sessions.get(session, now);
      return login !== undefined && since <= happened && may(task, loginsOf(this.#gw).speakerOf(login).principal);
    });
    if (meant.length === 0) return;
    this.#records.pushes.change((all) =>
      meant.reduce((noted, { session }) => withPush(noted, { session, kind, ...what, state: 'due', at: now }), all),
    );
  }

  /** Returns the subscriptions that can be used: those of current logins, made with our key. */
  #alive(all: readonly Subscription[]): readonly Subscription[] {
    const now = Date.now();
    return all.filter(({ session, key }) => key === this.#keys.publicKey && this.#sessions.get(session, now));
  }

  #current(): readonly Subscription[] {
    return this.#alive(this.#records.subscriptions.read());
  }

  #tidy(): readonly Push[] {
    const { approvals } = this.#gw.consent;
    const isOpen = (question: string) => {
      const request = approvals.get(question);
      return request !== undefined && !request.decision;
    };
    const keep = (all: readonly Push[]) => stillOfUse(all, this.#current(), isOpen, Date.now());
    const all = this.#records.pushes.read();
    if (keep(all) !== all) this.#records.pushes.change(keep);
    return this.#records.pushes.read();
  }

  /** Sends what is due, each browser's pushes one after the other. Never throws; failed pushes are retried later. */
  #sendDue(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#sendDue(), FAILED_MS).unref();
    this.#unlessFailed(() => this.#sendNow());
  }

  /** Says of pushes that left before a crash that nobody knows whether they arrived. */
  #ownUp(since: number): void {
    const left = leftAlone(this.#records.pushes.read(), since);
    if (left.length === 0) return;
    this.#records.pushes.change((all) => asUnsure(all, since));
    for (const { kind, taskId } of left)
      this.#gw.log.warn({ kind, task: taskId }, 'a notification was cut off while it left, and may not have arrived');
  }

  #sendNow(): void {
    this.#ownUp(Date.now() - LEFT_MS);
    const pushes = this.#tidy();
    const due = pushes.filter(({ state }) => state === 'due');
    const now = Date.now();
    for (const subscription of this.#current()) {
      const { session } = subscription;
      if (this.#sending.has(session)) continue;
      const push = due.find((each) => each.session === session && this.#dueAt(subscription, each) <= now);
      if (!push) continue;
      const sent = this.#send(subscription, push)
        .catch((error: unknown) => {
          this.#gw.log.error({ err: error }, 'a notification could not be sent');
          // It is still due. Without a pause it would be retried forever, and nothing else would run.
          this.#held.set(new URL(subscription.endpoint).origin, Date.now() + FAILED_MS);
        })
        .finally(() => {
          this.#sending.delete(session);
          this.#sendDue();
        });
      this.#sending.set(session, sent);
    }
    const times = due.flatMap((push) => {
      const subscription = this.#current().find(({ session }) => session === push.session);
      return subscription && !this.#sending.has(push.session) ? [this.#dueAt(subscription, push)] : [];
    });
    for (const { leftAt } of pushes) if (leftAt !== undefined) times.push(leftAt + LEFT_MS);
    clearTimeout(this.#timer);
    if (times.length === 0) return;
    const wait = Math.max(1_000, Math.min(MAX_TIMER_MS, Math.min(...times) - now));
    this.#timer = setTimeout(() => this.#sendDue(), wait).unref();
  }

  #dueAt({ endpoint }: Subscription, { after = 0 }: Push): number {
    return Math.max(after, this.#held.get(new URL(endpoint).origin) ?? 0);
  }

  async #send(subscription: Subscription, push: Push): Promise<void> {
    let hasLeft = false;
    const result = await this.#post(subscription, push, () => {
      hasLeft = this.#claim(push);
      return hasLeft;
    });
    // Another process sends it.
    if (result.kind === 'taken') return;
    this.#learn(subscription, result);
    const now = Date.now();
    this.#records.pushes.change((all) => afterTry(all, push, { result, hasLeft, now }));
    if (result.kind !== 'later') return;
    const next = this.#records.pushes.read().find((each) => each.state === 'due' && isSamePush(each, push));
    this.#held.set(new URL(subscription.endpoint).origin, next?.after ?? now + TEST_MS);
  }

  #claim(push: Push): boolean {
    crashPoint('push:reached');
    let isMine = false;
    this.#records.pushes.change((all) => {
      const after = claimPush(all, push, Date.now());
      isMine = after !== all;
      return after;
    });
    crashPoint('push:claimed');
    return isMine;
  }

  #post(subscription: Subscription, push: Push, claim: () => boolean): Promise<PushResult> {
    const { endpoint } = subscription;
    const { contact, services } = configOf(this.#gw).push;
    const { origins } = configOf(this.#gw).http;
    const named = contact ?? origins.find((origin) => origin.startsWith('https://')) ?? PROJECT;
    const now = Date.now();
    const headers = { authorization: vapidHeader(endpoint, this.#keys, named, now), ...pushHeaders(push, now) };
    return postPush({ endpoint, headers, body: sealFor(subscription, push.kind), claim }, services);
  }

  /** Updates the subscription according to the service's answer. */
  #learn({ session, endpoint, problem }: Subscription, result: PushResult): void {
    if (result.kind !== 'sent') {
      const { origin } = new URL(endpoint);
      const reason = 'reason' in result ? scrub(result.reason) : undefined;
      this.#gw.log.warn(
        { service: origin, result: result.kind, reason },
        'a push service did not accept a notification',
      );
    }
    const isThis = (each: Subscription) => each.session === session && each.endpoint === endpoint;
    if (result.kind === 'gone')
      this.#records.subscriptions.change((all) => (all.some(isThis) ? all.filter((each) => !isThis(each)) : all));
    const now = result.kind === 'refused' ? scrub(result.reason) : undefined;
    if (result.kind !== 'refused' && (result.kind !== 'sent' || problem === undefined)) return;
    this.#records.subscriptions.change((all) =>
      all.map((each) => {
        if (!isThis(each)) return each;
        const { problem: _before, ...rest } = each;
        return now === undefined ? rest : { ...rest, problem: now };
      }),
    );
  }
}
