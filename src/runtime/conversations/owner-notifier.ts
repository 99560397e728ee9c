/**
 * Sends messages that the gateway itself starts, such as the question to the owners when a stranger asks for access.
 */
import type { Languages } from '../../access/known.ts';
import { openOwners } from '../../access/known.ts';
import type { People } from '../../access/people.ts';
import { type Principal, principalText, readIdentity } from '../../access/principal.ts';
import {
  type Address,
  conversationKey,
  type EndedRun,
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
import { type Entry, runOf, traceOf } from '../contract/entry.ts';
import type { Delivery } from '../delivery.ts';
import type { Buttons } from '../reply/buttons.ts';
import { plainName } from './places.ts';

export type OwnerNotifier = ReturnType<typeof openOwnerNotifier>;

interface OwnerNotifierOptions {
  folder: string;
  people: People;
  languages: Languages;
  buttons: Buttons;
  delivery: Delivery;
  log: Logger;
}

type Question = (messages: Messages) => { text: Text; buttons?: ButtonAction[][] };

const UNDELIVERED = 'undelivered';

function pairingButtons(code: string, messages: Messages): ButtonAction[] {
  const decides = questionId.pairing(code);
  return [
    { label: messages.text('pairing.approve'), command: 'pair', args: `approve ${code}`, decides, means: 'yes' },
    { label: messages.text('pairing.deny'), command: 'pair', args: `deny ${code}`, decides, means: 'no' },
  ];
}

export function openOwnerNotifier(options: OwnerNotifierOptions) {
  const { folder, people } = options;
  const whose = (identity: string) =>
    people.resolve({ ...readIdentity(identity), account: '', name: identity, via: 'message' }).principal;
  const owners = openOwners(folder, (identity) => whose(identity).role === 'owner');

  /** Asks every owner in each of their chats: one may turn out to be unreachable when it is too late. */
  const askOwners = (id: string, question: Question) =>
    sendTo(owners.addresses().map(keyedByPlace), { id, question }, options);

  /** Tells each owner once, in the first of their chats, which is the one that the Board continues too. */
  const tellEachOwner = (id: string, text: (messages: Messages) => Text) =>
    sendTo(
      firstOfEach(owners.byIdentity(), whose),
      { id, question: (messages) => ({ text: text(messages) }) },
      options,
    );

  const tellOwners = (id: string, said: Wording) => askOwners(id, (messages) => ({ text: messages.said(said) }));

  /** Tells the owners something about a place, once a day. */
  const tellOfPlace = (kind: string, address: Address, said: Wording) =>
    tellOwners(
      `${kind}-${hashText(conversationKey(address)).slice(0, 12)}-${new Date().toISOString().slice(0, 10)}`,
      said,
    );

  return {
    askOwners,
    tellEachOwner,
    tellOwners,
    /** An owner wrote in a direct message: questions may be sent there. */
    noteOwner: (principal: Principal, address: Address) => owners.note(principal, address),
    /** Asks the owners about a stranger. Never rejects. */
    ask: (code: string, { name, channel }: Principal) =>
      askOwners(`pairing-${code}`, (messages) => ({
        text: messages.text('pairing.asksIn', { name: plainName(name), channel, code }),
        buttons: [pairingButtons(code, messages)],
      })),
    /** The direct conversations in which owners can be asked. */
    ownerAddresses: () => owners.addresses(),
    /**
     * Returns where to contact this owner. One who has only written on this machine or through a program counts as the
     * only owner, if there is just one.
     */
    directOf(principal: Principal): Address[] {
      const all = [...owners.byIdentity()];
      const own = all.filter(([identity]) => principalText(whose(identity)) === principalText(principal));
      const isOneAlone = new Set(all.map(([identity]) => principalText(whose(identity)))).size === 1;
      return (own.length > 0 || !isOneAlone ? own : all).map(([, address]) => address);
    },
    /** A message was given up after its third crash (promise 10) or failure. Returns the end of its run. */
    tellGivenUp: (item: QueueItem<Entry>, reason: string, takesResults: boolean) =>
      tellGivenUp(item, reason, takesResults, options),
    /** An event of an admitted person was given up: its sender is told, and once a day the owners. */
    async tellNotTaken(message: InboundMessage, key: string, reason: string): Promise<void> {
      const { address } = message;
      const trace = traceOf(key);
      // A `migration` event has no author to answer.
      if (message.kind !== 'migration') await answerNotTaken(message, key, options);
      const given = {
        place: formatAddress(address),
        reason: plainLine(reason),
        command: viberCommand(`trace ${trace}`),
      };
      await tellOfPlace('not-taken', address, say('failures.notTakenOwner', given));
    },
    /** Reports once a day for each chat. Never rejects. */
    async tellUndelivered({ id, address }: OutboundMessage, reason: string): Promise<void> {
      // A failure in an owner's own chat is not reported there again.
      if (id.startsWith(UNDELIVERED)) return;
      const given = { place: formatAddress(address), reason: plainLine(reason) };
      await tellOfPlace(UNDELIVERED, address, say('failures.undelivered', given));
    },
  };
}

const keyedByPlace = (address: Address): [string, Address] => [`${address.channel}-${address.chat}`, address];

function firstOfEach(
  addresses: ReadonlyMap<string, Address>,
  whose: (identity: string) => Principal,
): Map<string, Address> {
  const first = new Map<string, Address>();
  for (const [identity, address] of addresses) {
    const person = hashText(principalText(whose(identity))).slice(0, 12);
    if (!first.has(person)) first.set(person, address);
  }
  return first;
}

/** Sends a message to each of these places under a key of its own, which has no effect again. Never rejects. */
async function sendTo(
  places: Iterable<readonly [string, Address]>,
  { id, question }: { id: string; question: Question },
  { languages, buttons, delivery, log }: OwnerNotifierOptions,
): Promise<void> {
  try {
    for (const [name, address] of places) {
      const { text, buttons: rows } = question(languages.at(address));
      const offered = rows && { buttons: await buttons.offer(address, rows) };
      await delivery.add({ id: `${id}-${name}`, address, text, files: [], ...offered }, id, true);
    }
  } catch (error) {
    log.error({ err: error, id }, 'could not notify the owners');
  }
}

async function tellGivenUp(
  item: QueueItem<Entry>,
  reason: string,
  takesResults: boolean,
  { delivery, log }: OwnerNotifierOptions,
): Promise<EndedRun> {
  const { id, attempts, message: entry } = item;
  const { message, taskId } = entry;
  const trace = traceOf(id);
  log.error({ trace, reason }, 'a message was given up');
  const given = { n: Math.max(attempts, 3), command: commandForAnyone(`trace ${trace}`) };
  const text = messagesFor(message).text('failures.givenUp', given);
  const result: EndedRun = { taskId, runId: runOf(item), state: 'error', text, summary: text, artifactRefs: [] };
  const told = { id: `${id}-dead`, address: message.address, text, files: [], ...(takesResults && { result }) };
  await delivery.add(told, trace, true);
  return result;
}

async function answerNotTaken(
  { address, messageId, interaction }: InboundMessage,
  key: string,
  { languages, delivery }: OwnerNotifierOptions,
): Promise<void> {
  const trace = traceOf(key);
  const text = languages.at(address).text('failures.notTaken', { command: commandForAnyone(`trace ${trace}`) });
  const answer = interaction === undefined ? { replyTo: messageId } : { interaction };
  const answered = { id: `${key}-dead`, address, text, files: [], ...(messageId === '' ? {} : answer) };
  await delivery.add(answered, trace, true);
}
