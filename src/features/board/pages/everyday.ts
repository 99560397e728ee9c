/** The caller, the gateway's health, and undelivered answers. */

import { z } from 'zod';
import { principalText } from '../../../access/principal.ts';
import { RequestError, readBody, wrongField } from '../../../board/respond.ts';
import { pageOf, route } from '../../../board/route.ts';
import type { Health, Me } from '../../../client/shapes.ts';
import { say } from '../../../messages/messages.ts';
import type { BoardRoute } from '../../../runtime/contract/board.ts';
import type { Letters, PageParts } from './parts.ts';

const retryBody = z.object({ sure: z.boolean().exactOptional() });

export function everydayRoutes({ about, readiness, letters }: PageParts): BoardRoute[] {
  const connecting = (): { connectModel?: string } => {
    const connectModel = about.connectModel();
    return connectModel === undefined ? {} : { connectModel };
  };
  return [
    route('GET', '/api/me', 'caller', async ({ caller }) => {
      const { principal, kind, id } = caller;
      const { name, role, person } = principal;
      const taskId = about.taskOf(caller);
      const all = about.vibers();
      return {
        name: person ?? name,
        role,
        ...(person !== undefined && { person }),
        principal: principalText(principal),
        viber: about.viber,
        vibers: role === 'owner' ? all : all.filter((each) => each === about.viber),
        version: about.version,
        language: caller.language ?? about.language(caller),
        filesPerMessage: about.filesPerMessage,
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

/** Resends an answer that may have arrived only if the caller is sure. */
async function retry(letters: Letters, id: string, isSure: boolean): Promise<object> {
  const isUnsure = letters.list('unsure').some((letter) => letter.id === id);
  if (isUnsure && !isSure)
    throw new RequestError(409, 'unsure', 'It may have arrived already: say "sure": true to send it again.', 'sure');
  if (await letters.retry(isUnsure ? 'unsure' : 'dead', id)) return { retried: 1 };
  throw new RequestError(404, 'not_found', 'There is no such letter any more.');
}
