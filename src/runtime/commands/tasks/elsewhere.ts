/** Other conversations of a task, whose people learn what somebody did with it elsewhere. */

import type { Principal } from '../../../access/principal.ts';
import { type Address, conversationKey } from '../../../channels/channel.ts';
import { bindingPlace } from '../../conversations/conversations.ts';
import { plainName, shownPerson } from '../../conversations/places.ts';
import type { Invocation } from '../command.ts';

const MAX_NOTES = 10;

export const whoText = ({ person, name }: Principal): string => plainName(person ? shownPerson(person) : name);

/** Leaves out chats of the person who gave the command: they know. */
export function othersAt({ gw, address, principal }: Invocation, taskId: string): Address[] {
  const here = conversationKey(address);
  return gw.tasks.conversations
    .bound(taskId)
    .map(bindingPlace)
    .filter((place) => conversationKey(place.address) !== here)
    .filter(({ isDirect, person, address: { channel, account, chat } }) => {
      const isOwnChat = channel === address.channel && account === address.account && chat === address.chat;
      return !isDirect || (person === undefined ? !isOwnChat : person !== principal.person);
    })
    .slice(0, MAX_NOTES)
    .map((place) => place.address);
}
