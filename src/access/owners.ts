/** Where owners can be reached: the direct conversations they have used, `access/owners.json`. Written when one is new. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
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

/** @param isOwner asked with an identity as text each time: whoever was an owner once is told nothing more */
export function openOwners(folder: string, isOwner: (identity: string) => boolean): Owners {
  const file = path.join(folder, 'owners.json');
  let known: Record<string, OwnerAddress> | undefined;

  function load(): Record<string, OwnerAddress> {
    if (known) return known;
    try {
      known = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, OwnerAddress>;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
      known = {};
    }
    return known;
  }

  return {
    note(principal, address) {
      const all = load();
      const identity = identityText(principal);
      if (all[identity]?.chat === address.chat || address.channel === 'terminal' || address.channel === 'local') return;
      all[identity] = address;
      fs.writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
    },
    addresses: () => Object.entries(load()).flatMap(([identity, address]) => (isOwner(identity) ? [address] : [])),
  };
}
