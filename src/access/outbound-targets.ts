/**
 * Decides where messages may be sent without being asked: addresses of jobs, and messages that a run sends. Checked at
 * the time of sending, by the rules for incoming messages, so that a chat that may not write here can't be written to
 * either.
 */

import {
  type Address,
  type Channel,
  conversationKey,
  formatAddress,
  type Place,
  parseAddress,
} from '../channels/channel.ts';
import { exampleOf } from '../channels/index.ts';
import { DeliveryError, UserError } from '../errors.ts';
import { createLru } from '../lib/lru.ts';
import { type AccessRules, authoriseEntry } from './authorise.ts';
import type { People } from './people.ts';
import type { Principal } from './principal.ts';

export interface OutboundTargets {
  /**
   * Parses an address such as `CHANNEL:CHAT` without contacting the platform.
   * @throws {UserError} if it is not an address, or its channel is off
   */
  read(text: string): Address;
  /**
   * Returns the address as the platform knows it, if this principal may send there: owners to every permitted chat,
   * others to the task's conversations.
   * @throws {UserError} with the reason and the setting to change
   * @throws {DeliveryError} while the platform can't be asked
   */
  find(text: string, principal: Principal, own?: readonly string[]): Promise<Address>;
  /** Returns whether a single person reads messages there; false if that can't be determined now. */
  isDirect(text: string): Promise<boolean>;
}

export interface OutboundTargetsOptions {
  channelOf: (id: string) => Channel | undefined;
  people: People;
  rulesOf: (address: Address) => AccessRules;
}

const KEPT = 500;
const KEPT_MS = 3_600_000;
const EXAMPLE = `an address looks like ${exampleOf('conversation')}`;

export function createOutboundTargets({ channelOf, people, rulesOf }: OutboundTargetsOptions): OutboundTargets {
  const places = createLru<{ place: Place; at: number }>(KEPT);

  function read(text: string): Address {
    const written = parseAddress(text);
    if (!written) throw new UserError(`"${text.slice(0, 80)}" isn't an address; ${EXAMPLE}.`);
    const channel = channelOf(written.channel);
    if (!channel || channel.id === 'local' || channel.id === 'api')
      throw new UserError(`The channel ${written.channel} of ${text} is not on; switch it on in config.yaml.`);
    // A channel does not know its bot's account before it has connected; that is checked before anything is sent.
    const account = channel.account || written.account || '';
    if (written.account !== undefined && written.account !== account)
      throw new UserError(`${text} belongs to a different bot than the one in use.`);
    return { ...written, account };
  }

  async function placeOf(address: Address): Promise<Place> {
    const key = conversationKey(address);
    const known = places.get(key);
    if (known && Date.now() - known.at < KEPT_MS) return known.place;
    const channel = channelOf(address.channel);
    if (channel?.account === '')
      throw new DeliveryError(`${address.channel} is not connected yet`, { retryAfterMs: 5_000 });
    const { chat, thread } = address;
    const asked = channel?.findPlace?.({ chat, ...(thread === undefined ? {} : { thread }) });
    // While the platform is unavailable, its last answer counts: the outbox will then wait for it, and nobody else has
    // to.
    const found = await asked?.catch((error: unknown) => {
      if (known && error instanceof DeliveryError && error.retryAfterMs !== undefined) return known.place;
      throw error;
    });
    if (found && found === known?.place) return found;
    if (!found) throw new UserError(`I can't see ${formatAddress(address)}: add me there, or check the address.`);
    places.set(key, { place: found, at: Date.now() });
    return found;
  }

  /** Returns why messages from that chat would be refused. */
  function refusal({ address, isDirect, user = '' }: Place, principal: Principal): string | undefined {
    const rules = rulesOf(address);
    const { channel, account, workspace, chat } = address;
    const who = { channel, account, user, name: '', via: 'message' };
    const { principal: reader, isKnown } = people.resolve(workspace === undefined ? who : { ...who, workspace });
    const isSelf = reader.person !== undefined && reader.person === principal.person;
    const said = { isMention: true, isCommand: false, isButton: false, isBot: false };
    const { allow } = authoriseEntry(reader, { rules, isDirect, chat, isKnown: isKnown || isSelf, ...said });
    if (allow) return undefined;
    const where = formatAddress(address);
    if (!isDirect) return `I'm not allowed to write in ${where}: list ${chat} under channels.${channel}.access.chats.`;
    return rules.dm === 'off'
      ? `I'm not allowed to write to ${where}: direct messages are off (channels.${channel}.access.dm).`
      : `I'm not allowed to write to ${where}: that person has no access.`;
  }

  return {
    read,
    async find(text, principal, own = []) {
      const address = read(text);
      const place = await placeOf(address);
      const isOwn = [address, place.address].some((each) => own.includes(formatAddress(each, { account: true })));
      if (!isOwn && principal.role !== 'owner')
        throw new UserError(`Only an owner may have something sent to ${text}; here it may go to this conversation.`);
      const problem = refusal(place, principal);
      if (problem !== undefined) throw new UserError(problem);
      return place.address;
    },
    async isDirect(text) {
      try {
        return (await placeOf(read(text))).isDirect;
      } catch (error) {
        if (error instanceof UserError || error instanceof DeliveryError) return false;
        throw error;
      }
    },
  };
}
