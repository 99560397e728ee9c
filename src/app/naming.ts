/** Finds the name of the viber that answers on this machine's own channels. */
import type { Address } from '../channels/channel.ts';
import { viberAt } from '../runtime/conversations/conversations.ts';
import { DEFAULT_VIBER } from '../workspace/home.ts';
import { viberName } from '../workspace/viber-name.ts';
import type { AppGateway } from './contract.ts';

/** Never rejects: a viber whose name can't be read goes by its ID. */
export function openNaming({ config, people, places, tasks, home, log }: AppGateway) {
  return async (address: Address, user: string): Promise<string> => {
    const { channel, account } = address;
    const { principal } = people.resolve({ channel, account, user, name: user, via: channel });
    const viber = viberAt({ principal, address, isDirect: true }, places.vibers, tasks.conversations);
    const name = await viberName(home, viber).catch((error: unknown) => {
      log.warn({ err: error, viber }, "the name of a viber can't be read");
      return undefined;
    });
    // A new home's template names the viber, but nobody has chosen that name.
    const isOwn = name !== undefined && name.toLowerCase() !== 'viber';
    if (isOwn) return name;
    return viber === (config.viber ?? DEFAULT_VIBER) ? 'viber' : viber;
  };
}
