/** The caller, the gateway's health, and undelivered answers. */
import { z } from 'zod';
import { principalText } from '../../../access/principal.ts';
import type { ProtocolParts } from '../../../board/protocol/parts.ts';
import { MAX_FILES } from '../../../board/protocol/schemas.ts';
import { RequestError, readBody, wrongField } from '../../../board/respond.ts';
import { pageOf, route } from '../../../board/route.ts';
import { conversationKey } from '../../../channels/channel.ts';
import type { Health, Me } from '../../../client/shapes.ts';
import { viberCommand } from '../../../lib/invocation.ts';
import { say } from '../../../messages/messages.ts';
import type { BoardAt, BoardRoute, Caller } from '../../../runtime/contract/board.ts';
import { OFFLINE_MODEL } from '../../../runtime/contract/providers.ts';
import { bindingKey } from '../../../runtime/conversations/conversations.ts';
import { DEFAULT_VIBER } from '../../../workspace/home.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import { configOf, type Gateway } from '../../gateway.ts';
import { type Letters, openLetters } from '../letters.ts';

const retryBody = z.object({ sure: z.boolean().exactOptional() });

export function everydayRoutes({ readiness }: BoardAt, protocol: ProtocolParts, gw: Gateway): BoardRoute[] {
  const { home, engine, delivery, models, places } = gw;
  const { conversations } = gw.tasks;
  const { viber = DEFAULT_VIBER, limits } = configOf(gw);
  const letters = openLetters({ folder: home.spool, queue: engine.queue, delivery });

  /** Returns the command that connects a model, as long as the built-in one answers. */
  const connecting = (): { connectModel?: string } =>
    models.modelName() === OFFLINE_MODEL ? { connectModel: viberCommand('init') } : {};
  const placeOf = (caller: Caller) =>
    caller.direct ?? { channel: 'api', account: 'api', chat: protocol.submissions.chatOf(caller) };
  /** Finds the task of the person's direct messages or, if they have none yet, the one started on the Board. */
  function taskOf(caller: Caller): string | undefined {
    const place = placeOf(caller);
    const own = conversations.get(bindingKey(caller.principal, place, true));
    const taskId = (own ?? conversations.get(conversationKey(place)))?.taskId;
    // A task without a record has no messages, for example one that replaced a deleted task.
    return taskId !== undefined && openTask(home, taskId).record() ? taskId : undefined;
  }

  return [
    route('GET', '/api/me', 'caller', async ({ caller }) => {
      const { principal, kind, id } = caller;
      const { name, role, person } = principal;
      const taskId = taskOf(caller);
      const all = places.vibers.ids();
      return {
        name: person ?? name,
        role,
        ...(person !== undefined && { person }),
        principal: principalText(principal),
        viber,
        vibers: role === 'owner' ? all : all.filter((each) => each === viber),
        version: protocol.about.version,
        language: caller.language ?? gw.say(placeOf(caller)).language,
        filesPerMessage: Math.min(limits.filesPerMessage, MAX_FILES),
        ...connecting(),
        ...(kind === 'session' && { session: id }),
        ...(taskId !== undefined && { taskId }),
      } satisfies Me;
    }),
    route('GET', '/api/health', 'owner', async () => ({ ...(await readiness()), ...connecting() }) satisfies Health),
    route('GET', '/api/letters', 'owner', async ({ url }) => {
      const kind = url.searchParams.get('kind') ?? 'dead';
      if (kind !== 'dead' && kind !== 'unsure')
        throw wrongField('kind', say('expected.oneOf', { values: 'dead, unsure' }));
      const { items, next } = pageOf(letters.list(kind), ({ id }) => id, url);
      return { letters: items, ...(next !== undefined && { next }) };
    }),
    route('POST', '/api/letters/retry', 'owner', async () => {
      let retried = 0;
      for (const { id } of letters.list('dead')) retried += Number(await letters.retry('dead', id));
      return { retried };
    }),
    route('POST', '/api/letters/:id/retry', 'owner', async (asked) => {
      const { sure = false } = await readBody(asked, retryBody);
      return retry(letters, asked.params.id ?? '', sure);
    }),
  ];
}

/** Resends an answer that may have arrived, but only if the caller is sure. */
async function retry(letters: Letters, id: string, isSure: boolean): Promise<object> {
  const isUnsure = letters.list('unsure').some((letter) => letter.id === id);
  if (isUnsure && !isSure) throw new RequestError(409, 'unsure', say('requests.unsure'), 'sure');
  if (await letters.retry(isUnsure ? 'unsure' : 'dead', id)) return { retried: 1 };
  throw new RequestError(404, 'not_found', say('requests.noLetter'));
}
