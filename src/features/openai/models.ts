/** Names vibers as models: `viber` is the usual one, `viber/NAME` another. */
import { RequestError } from '../../board/respond.ts';
import { say } from '../../messages/messages.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import { choosable, mayChoose } from '../../runtime/conversations/conversations.ts';
import type { Gateway } from '../gateway.ts';

const USUAL = 'viber';

const modelStanding = ({ id, principal }: Caller) => ({
  principal,
  address: { channel: 'api', account: 'api', chat: id },
  isDirect: true,
});

export interface Model {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
}

const modelNamed = (id: string): Model => ({ id, object: 'model', created: 0, owned_by: 'openviber' });

export const modelsFor = (caller: Caller, gw: Gateway): Model[] => [
  modelNamed(USUAL),
  ...choosable(modelStanding(caller), gw.places.vibers).map((id) => modelNamed(`${USUAL}/${id}`)),
];

/**
 * Returns the viber that a model stands for; undefined for the usual one.
 * @throws {RequestError} for a model that this caller may not use
 */
export function viberForModel(model: string, caller: Caller, gw: Gateway): string | undefined {
  if (model === USUAL) return undefined;
  const [prefix, id = '', ...rest] = model.split('/');
  const isKnown = prefix === USUAL && rest.length === 0 && mayChoose(modelStanding(caller), id, gw.places.vibers);
  if (isKnown) return id;
  throw new RequestError(404, 'model_not_found', say('programs.noModel', { model: model.slice(0, 100) }), 'model');
}

/** @throws {RequestError} */
export function findModel(model: string, caller: Caller, gw: Gateway): Model {
  viberForModel(model, caller, gw);
  return modelNamed(model);
}
