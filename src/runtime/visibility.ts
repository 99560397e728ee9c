/** Which tasks a person sees from where they stand (C40, T6): their own in direct messages, a group's own in the group. */
import { type Principal, principalText } from '../access/principal.ts';
import { type Address, formatAddress } from '../channels/channel.ts';
import type { TaskRecord } from '../workspace/types.ts';

export interface Viewpoint {
  principal: Principal;
  address: Address;
  isDirect: boolean;
  viber: string;
}

export function maySee(view: Viewpoint, task: TaskRecord): boolean {
  if (task.viber !== view.viber) return false;
  if (!view.isDirect) return task.conversations.includes(formatAddress(view.address, { account: true }));
  return view.principal.role === 'owner' || task.people.includes(principalText(view.principal));
}
