/** Where owners can be reached: the direct conversations they have used, `access/owners.json`. Written when one is new. */
import path from 'node:path';
import { readRecords } from '../lib/read-json.ts';
import { shape } from '../lib/shape.ts';
import { writeJson } from '../lib/write-json.ts';
import { isAddress } from './link-records.ts';
import { identityText, type Principal } from './principal.ts';

/** An address as the channels define it; kept as it came. */
export interface OwnerAddress {
  channel: string;
  account: string;
  workspace?: string;
  chat: string;
  thread?: string;
}

export interface Owners {
  note(principal: Principal, address: OwnerAddress): void;
  /** Of those who are owners still. */
  addresses(): OwnerAddress[];
}

const ABOUT = {
  asMap: true as const,
  lost: 'where owners can be reached',
  next: 'An owner who writes in a direct message is known again.',
  tell: true,
};

/** @param isOwner asked with an identity as text each time: whoever was an owner once is told nothing more */
export function openOwners(folder: string, isOwner: (identity: string) => boolean): Owners {
  const file = path.join(folder, 'owners.json');
  let known: Record<string, OwnerAddress> | undefined;

  function load(): Record<string, OwnerAddress> {
    known ??= Object.fromEntries(
      readRecords(file, shape<OwnerAddress>(isAddress), ABOUT, (left) => write(Object.fromEntries(left))),
    );
    return known;
  }

  const write = (all: Record<string, OwnerAddress>) => writeJson(file, all);

  return {
    note(principal, address) {
      const all = load();
      const identity = identityText(principal);
      if (all[identity]?.chat === address.chat || address.channel === 'terminal' || address.channel === 'local') return;
      all[identity] = address;
      write(all);
    },
    addresses: () => Object.entries(load()).flatMap(([identity, address]) => (isOwner(identity) ? [address] : [])),
  };
}
