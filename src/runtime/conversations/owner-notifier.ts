/**
 * Sends messages that the gateway itself starts: the question to the owners when a stranger asks, the notice that a
 * message was given up.
 */
import type { Languages } from '../../access/known.ts';
import { openOwners } from '../../access/known.ts';
import type { People } from '../../access/people.ts';
import { type Principal, principalText, readIdentity } from '../../access/principal.ts';
import {
  type Address,
  conversationKey,
  formatAddress,
  type InboundMessage,
  type OutboundMessage,
} from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { hashText } from '../../lib/files.ts';
import { commandForAnyone, viberCommand } from '../../lib/invocation.ts';
import { plainLine } from '../../lib/text.ts';
import type { Logger } from '../../log.ts';
import { type Messages, messagesFor, say, type Text, type Wording } from '../../messages/messages.ts';
import { type ButtonAction, questionId } from '../contract/buttons.ts';
import { type Entry, traceOf } from '../contract/entry.ts';
import type { Delivery } from '../delivery.ts';
import type { Buttons } from '../reply/buttons.ts';
import { plainName } from './places.ts';

export interface OwnerNotifier {
  /** Records that an owner wrote in a direct message, so that questions may be sent there. */
  noteOwner(principal: Principal, address: Address): void;
  /** Asks every owner who can be reached, with buttons. Never rejects. */
  ask(code: string, stranger: Principal): Promise<void>;
  /** Notifies all owners who can be reached; the same ID again has no effect. Never rejects. */
  tellOwners(id: string, said: Wording): Promise<void>;
  /** Like `tellOwners`, with buttons; the question is worded for each owner's language. Never rejects. */
  askOwners(id: string, question: (messages: Messages) => { text: Text; buttons: ButtonAction[][] }): Promise<void>;
  /** Reports a message that was given up after its third crash (promise 10) or its third failure. */
  tellGivenUp(item: QueueItem<Entry>, reason: string): Promise<void>;
  /**
   * Reports an event of an admitted person that could not be accepted and was given up: to its sender, and once a day
   * to the owners.
   */
  tellNotTaken(message: InboundMessage, key: string, reason: string): Promise<void>;
  /** Reports, once a day for each chat, that something could not be delivered for good. Never rejects. */
  tellUndelivered(message: OutboundMessage, reason: string): Promise<void>;
  /** Returns the direct conversations in which owners can be asked. */
  ownerAddresses(): Address[];
  /**
   * Returns where this owner can be contacted first. An owner who has only written on this machine or through a program
   * counts as the only owner, if there is just one.
   */
  directOf(principal: Principal): Address[];
}

export interface OwnerNotifierOptions {
  /** `access/` of the home. */
  folder: string;
  people: People;
  languages: Languages;
  buttons: Buttons;
  delivery: Delivery;
  log: Logger;
}

const UNDELIVERED = 'undelivered-';

function pairingButtons(code: string, messages: Messages): ButtonAction[] {
  const decides = questionId.pairing(code);
  return [
    { label: messages.text('pairing.approve'), command: 'pair', args: `approve ${code}`, decides, means: 'yes' },
    { label: messages.text('pairing.deny'), command: 'pair', args: `deny ${code}`, decides, means: 'no' },
  ];
}

export function openOwnerNotifier(options: OwnerNotifierOptions): OwnerNotifier {
  const { folder, people, languages, buttons, delivery, log } = options;
  const whose = (identity: string) =>
    people.resolve({ ...readIdentity(identity), account: '', name: identity, via: 'message' }).principal;
  const owners = openOwners(folder, (identity) => whose(identity).role === 'owner');
  const self: OwnerNotifier = {
    noteOwner: (principal, address) => owners.note(principal, address),
    async ask(code, { name, channel }) {
      try {
        for (const address of owners.addresses()) {
          const messages = languages.at(address);
          const text = messages.text('pairing.asksIn', { name: plainName(name), channel, code });
          const rows = await buttons.offer(address, [pairingButtons(code, messages)]);
          const id = `pairing-${code}-${address.channel}-${address.chat}`;
          await delivery.add({ id, address, text, files: [], buttons: rows }, code);
        }
      } catch (error) {
        log.error({ err: error }, 'the owners could not be asked about a stranger');
      }
    },
    ownerAddresses: () => owners.addresses(),
    directOf(principal) {
      const all = [...owners.byIdentity()];
      const own = all.filter(([identity]) => principalText(whose(identity)) === principalText(principal));
      const isOneAlone = new Set(all.map(([identity]) => principalText(whose(identity)))).size === 1;
      return (own.length > 0 || !isOneAlone ? own : all).map(([, address]) => address);
    },
    async tellOwners(id, said) {
      try {
        for (const address of owners.addresses()) {
          const key = `${id}-${address.channel}-${address.chat}`;
          const text = languages.at(address).said(said);
          await delivery.add({ id: key, address, text, files: [] }, id, true);
        }
      } catch (error) {
        log.error({ err: error, id }, 'the owners could not be told');
      }
    },
    async askOwners(id, question) {
      try {
        for (const address of owners.addresses()) {
          const key = `${id}-${address.channel}-${address.chat}`;
          const { text, buttons: rows } = question(languages.at(address));
          const offered = await buttons.offer(address, rows);
          await delivery.add({ id: key, address, text, files: [], buttons: offered }, id, true);
        }
      } catch (error) {
        log.error({ err: error, id }, 'the owners could not be asked');
      }
    },
    async tellGivenUp({ id, attempts, message: { message } }, reason) {
      const trace = traceOf(id);
      log.error({ trace, reason }, 'a message was given up');
      const text = messagesFor(message).text('failures.givenUp', givenUp(attempts, trace));
      await delivery.add({ id: `${id}-dead`, address: message.address, text, files: [] }, trace, true);
    },
    async tellNotTaken(message, key, reason) {
      const { address, kind, messageId, interaction } = message;
      const trace = traceOf(key);
      const text = languages.at(address).text('failures.notTaken', { command: commandForAnyone(`trace ${trace}`) });
      const answer = interaction === undefined ? { replyTo: messageId } : { interaction };
      const answered = { id: `${key}-dead`, address, text, files: [], ...(messageId === '' ? {} : answer) };
      // A `migration` event has no author to answer.
      if (kind !== 'migration') await delivery.add(answered, trace, true);
      const day = new Date().toISOString().slice(0, 10);
      const place = hashText(conversationKey(address)).slice(0, 12);
      const told = say('failures.notTakenOwner', notTaken(address, reason, trace));
      await self.tellOwners(`not-taken-${place}-${day}`, told);
    },
    async tellUndelivered({ id, address }, reason) {
      // A failure in an owner's own chat is not reported there again.
      if (id.startsWith(UNDELIVERED)) return;
      const day = new Date().toISOString().slice(0, 10);
      const told = say('failures.undelivered', { place: formatAddress(address), reason: plainLine(reason) });
      await self.tellOwners(`${UNDELIVERED}${hashText(conversationKey(address)).slice(0, 12)}-${day}`, told);
    },
  };
  return self;
}

const givenUp = (attempts: number, trace: string) => ({
  n: Math.max(attempts, 3),
  command: commandForAnyone(`trace ${trace}`),
});

const notTaken = (address: Address, reason: string, trace: string) => ({
  place: formatAddress(address),
  reason: plainLine(reason),
  command: viberCommand(`trace ${trace}`),
});
