/**
 * Where owners can be reached: the direct conversations that they have used, in `access/owners.json`. Written when one
 * is new.
 */
import path from 'node:path';
import { shape } from '../lib/shape.ts';
import { openJsonMap } from './json-map.ts';
import { isAddress } from './link-records.ts';
import { identityText, type Principal } from './principal.ts';

/** An address as the channels define it, stored unchanged. */
export interface OwnerAddress {
  channel: string;
  account: string;
  workspace?: string;
  chat: string;
  thread?: string;
}

export interface Owners {
  note(principal: Principal, address: OwnerAddress): void;
  /** Returns the conversations of current owners. */
  addresses(): OwnerAddress[];
  /** Returns the same by identity, as text. */
  byIdentity(): ReadonlyMap<string, OwnerAddress>;
}

const ABOUT = {
  lost: 'where owners can be reached',
  next: 'An owner who writes in a direct message is known again.',
  tell: true,
};

/** @param isOwner called each time with an identity as text: a former owner gets no more messages */
export function openOwners(folder: string, isOwner: (identity: string) => boolean): Owners {
  const known = openJsonMap(path.join(folder, 'owners.json'), shape<OwnerAddress>(isAddress), ABOUT);

  const byIdentity = () => new Map([...known.read()].filter(([identity]) => isOwner(identity)));

  return {
    note(principal, address) {
      const identity = identityText(principal);
      if (address.channel === 'terminal' || address.channel === 'local') return;
      if (known.read().get(identity)?.chat !== address.chat) known.change((all) => void all.set(identity, address));
    },
    byIdentity,
    addresses: () => [...byIdentity().values()],
  };
}
