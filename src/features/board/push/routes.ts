/** The routes of notifications, for browsers that are logged in. */
import { z } from 'zod';
import { ownersOnly, RequestError, readBody } from '../../../board/respond.ts';
import { route } from '../../../board/route.ts';
import { messagesIn, say, type Wording } from '../../../messages/messages.ts';
import type { BoardRoute, Caller } from '../../../runtime/contract/board.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { Gateway } from '../../gateway.ts';
import { mayAskFor } from './decide.ts';
import { pushesOf } from './on-demand.ts';
import type { PushResult } from './post.ts';
import type { Pushes } from './pushes.ts';
import type { PushKind } from './records.ts';

const bodyShape = z.object({
  endpoint: z.string().min(1).max(2_048),
  keys: z.object({ p256dh: z.string().min(1).max(200), auth: z.string().min(1).max(100) }),
});
const KINDS: readonly PushKind[] = ['question', 'done', 'test'];
const MAX_TEXT = 300;

export function pushRoutes(gw: Gateway): BoardRoute[] {
  /** Programs have no browser. */
  async function opened({ kind }: Caller): Promise<Pushes> {
    if (kind !== 'session') throw ownersOnly();
    return pushesOf(gw).open();
  }
  const stateOf = (pushes: Pushes, { id, language }: Caller) => {
    const found = pushes.of(id);
    const { text: words } = messagesIn(language);
    const unsure = found ? pushes.unsureOf(id) : 0;
    const text =
      found?.problem !== undefined
        ? words('boardSetup.pushRefused', { reason: found.problem })
        : unsure > 0
          ? words('boardSetup.pushUnsure', { n: unsure })
          : undefined;
    return { key: pushes.publicKey, isOn: found !== undefined, ...(text !== undefined && { problem: text }) };
  };

  return [
    route('GET', '/api/push', 'owner', async ({ caller }) => stateOf(await opened(caller), caller)),
    route('PUT', '/api/push', 'owner', async (asked) => {
      const pushes = await opened(asked.caller);
      pushes.subscribe(asked.caller, await readBody(asked, bodyShape));
      return stateOf(pushes, asked.caller);
    }),
    route('DELETE', '/api/push', 'owner', async ({ caller }) => {
      const pushes = await opened(caller);
      pushes.forget(caller.id);
      return stateOf(pushes, caller);
    }),
    route('POST', '/api/push/test', 'owner', async ({ caller }) => {
      const result = await (await opened(caller)).test(caller.id);
      const problem = problemOf(result);
      return { ok: problem === undefined, ...(problem && { problem: messagesIn(caller.language).said(problem) }) };
    }),
    route('GET', '/api/push/news', 'owner', async ({ caller, url }) => {
      const kind = KINDS.find((each) => each === url.searchParams.get('kind'));
      if (!kind) throw new RequestError(400, 'bad_request', say('requests.invalid'), 'kind');
      return shownFor(kind, caller, await opened(caller), gw);
    }),
  ];
}

function problemOf(result: PushResult): Wording | undefined {
  switch (result.kind) {
    case 'sent':
    case 'taken':
      return undefined;
    case 'gone':
      return say('boardSetup.pushGone');
    case 'refused':
      return say('boardSetup.pushRefused', { reason: result.reason });
    default:
      return say('boardSetup.pushLater', { reason: result.reason });
  }
}

/** What a notification shows: text, and the page that opens when somebody taps it. */
function shownFor(kind: PushKind, caller: Caller, pushes: Pushes, gw: Gateway) {
  const messages = messagesIn(caller.language);
  if (kind === 'test')
    return { title: messages.text('boardSetup.pushTest'), body: '', url: '/board/settings?part=push' };
  const tasks = (ids: readonly string[]) =>
    ids.flatMap((id) => openTask(gw.home, id).record() ?? []).filter((task) => mayAskFor(task, caller.principal));
  const toTask = (id: string) => `/board/tasks/${encodeURIComponent(id)}`;
  if (kind === 'done') {
    const ids = new Set(pushes.noticesOf(caller.id, kind).map(({ taskId }) => taskId));
    const [task, ...others] = tasks([...ids]).reverse();
    if (!task) return { title: messages.text('boardSetup.pushNothing'), body: '', url: '/board/tasks' };
    const hasFailed = task.state === 'error';
    const title = messages.text(hasFailed ? 'boardSetup.pushFailed' : 'boardSetup.pushDone');
    const more = others.length === 0 ? '' : ` ${messages.text('boardSetup.pushMore', { n: others.length })}`;
    return { title, body: `${task.title}${more}`, url: toTask(task.id) };
  }
  const open = gw.consent.approvals.all().filter(({ taskId }) => tasks([taskId]).length > 0);
  const newest = open.at(-1);
  if (!newest) return { title: messages.text('boardSetup.pushNothing'), body: '', url: '/board/' };
  if (open.length > 1)
    return {
      title: messages.text('boardSetup.pushQuestions', { n: open.length }),
      body: newest.sentence ?? '',
      url: '/board/',
    };
  const title = messages.text('boardSetup.pushQuestion');
  return { title, body: (newest.sentence ?? '').slice(0, MAX_TEXT), url: toTask(newest.taskId) };
}
