/** The facts of an event. Reads and writes nothing but what is asked for, and waits for nobody. */
import { authoriseEntry, type EntryDecision, type EntryFacts } from '../../access/authorise.ts';
import { isMadeName } from '../../access/link-records.ts';
import { identityText, type Principal, principalText } from '../../access/principal.ts';
import type { InboundMessage } from '../../channels/channel.ts';
import type { KeyedMutex } from '../../lib/locks.ts';
import type { Lru } from '../../lib/lru.ts';
import { messagesFor } from '../../messages/messages.ts';
import { newTaskId } from '../../workspace/tasks/index.ts';
import { findCommand } from '../commands/table.ts';
import type { Visit } from '../contract/entry.ts';
import { bindingKey, taskOf } from '../conversations/conversations.ts';
import { viberAt } from '../conversations/vibers.ts';
import type { Gateway } from '../run/gateway.ts';
import type { AnsweredDigest, BoundTask, Facts } from './decide.ts';
import type { Access, IntakeServices } from './services.ts';
import type { TooFast } from './too-fast.ts';

/** What the gateway itself remembers. */
export interface IntakeState {
  /** By binding, changes of the task that it is about. */
  changes: KeyedMutex;
  /** Who has begun the newest tasks: known here before their records tell. */
  beginners: Lru<string>;
  /** By the message, a hash of its newest words where it was edited. */
  edits: Lru<string>;
  tooFast: TooFast;
}

/** An event on its way in. */
export interface Arrival {
  message: InboundMessage;
  visit: Visit;
  pressed?: Facts['pressed'];
  isSeen?: boolean;
  isUnchanged?: boolean;
  replied?: Facts['replied'];
  typed?: Facts['typed'];
  /** Of the task that it was bound to when that was looked up. */
  looked?: { taskId: string; isBusy: boolean };
}

/** The facts with the key of the conversation's binding. */
export type Gathered = Facts & { readonly key: string };

type Who = Pick<InboundMessage, 'address' | 'sender' | 'isDirect'>;

/** Who it is and whether they may come in. */
export function authorise(
  { address, sender, isDirect }: Who,
  via: string,
  access: Pick<Access, 'resolve' | 'rulesOf'>,
  how: (principal: Principal) => Pick<EntryFacts, 'isMention' | 'isCommand' | 'isButton'> & { isBot?: boolean },
  as?: Principal,
): { principal: Principal; entry: EntryDecision } {
  if (as) return { principal: { ...as, via }, entry: { allow: true } };
  const { channel, account, workspace, chat } = address;
  const resolved = access.resolve({
    ...{ channel, account, user: sender.user, name: sender.name, via },
    ...(workspace === undefined ? {} : { workspace }),
  });
  const { isKnown } = resolved;
  const { person } = resolved.principal;
  // The name in the configuration, and not what they call themselves there.
  const principal =
    person === undefined || isMadeName(person) ? resolved.principal : { ...resolved.principal, name: person };
  const rules = access.rulesOf(address);
  return {
    principal,
    entry: authoriseEntry(principal, { rules, isKnown, isDirect, isBot: sender.isBot, chat, ...how(principal) }),
  };
}

/** What goes on below the pressed message takes place there. */
function placed({ message, pressed }: Arrival, { commands }: Gateway['features']): InboundMessage {
  const isBelow =
    typeof pressed === 'object' && 'command' in pressed && findCommand(commands, pressed.command)?.isBelow;
  if (!isBelow || !message.below) return message;
  const { address, opens } = message.below;
  return { ...message, address, isThread: true, ...(opens && { opensThread: true }) };
}

/** The new text of a command orders nothing twice, but it is meant for us where the command is ours. */
function correctsCommand({ kind, text }: InboundMessage, { commands }: Gateway['features']): boolean {
  const name = kind === 'edit' ? /^\/(\w+)(?!\S)/.exec(text)?.[1] : undefined;
  return name !== undefined && findCommand(commands, name) !== undefined;
}

export function gather(arrival: Arrival, services: IntakeServices, state: IntakeState): Gathered {
  const { visit, pressed, isSeen, isUnchanged, replied, typed, looked } = arrival;
  const { gw, access, lookups } = services;
  const { vibers, settings } = gw.places;
  const { conversations, digests, expected } = gw.tasks;
  const { languages } = gw.people;
  const message = placed(arrival, gw.features);
  const { address, isDirect, editOf } = message;
  const keyOf = (principal: Principal) => bindingKey(principal, address, isDirect);
  const how = (who: Principal) => ({
    // The platform's own news of a listed group needs nobody to address us; nor does a thread in which a task lives.
    isMention:
      message.isMention ||
      message.kind === 'migration' ||
      (message.isThread === true && (conversations.get(keyOf(who)) ?? digests.of(message)) !== undefined),
    isCommand: message.command !== undefined || correctsCommand(message, gw.features),
    isButton: message.button !== undefined,
    // No bot has said it, and it gives nobody a right.
    ...(message.kind === 'migration' && { isBot: false }),
  });
  const { principal, entry } = authorise(message, message.kind, access, how, visit.as);
  const key = keyOf(principal);
  const language = languages.of(principal, message.sender.language);
  const prefix = languages.prefixAt(address);
  let viber: string | undefined;
  const sender = visit.as ? message.sender : { ...message.sender, name: principal.name };
  const spoken = { ...message, sender, prefix, ...(language !== undefined && { language }) };
  return {
    ...{
      message: spoken,
      messages: messagesFor(spoken),
      principal,
      newTaskId: newTaskId(new Date()),
      entry,
      rate: visit.rate,
      pressed,
      replied,
      typed,
      key,
      isSeen,
      isUnchanged: editOf === undefined ? false : isUnchanged,
    },
    get viber() {
      viber ??= viberAt({ principal, address, isDirect }, vibers, conversations, message.viber);
      return viber;
    },
    get isViberGone() {
      return !vibers.has(this.viber);
    },
    get isChanging() {
      return state.changes.pending(key) !== undefined;
    },
    get task(): BoundTask | undefined {
      const bound = conversations.get(key);
      const id = taskOf(bound, this.viber);
      if (!bound || id === undefined) return undefined;
      return {
        ...{ id, address: bound.address, isLeft: bound.viber !== this.viber, mayJoin: lookups.mayJoin(id, principal) },
        hasBegun: state.beginners.get(id) === identityText(principal),
        isBusy: looked?.taskId === id ? looked.isBusy : undefined,
      };
    },
    commands: gw.features.commands,
    get digest(): AnsweredDigest | undefined {
      const { taskId, viber } = digests.of(message) ?? {};
      // Of a task that was cleared away nothing is left to go on with.
      const mayJoin = taskId === undefined ? undefined : lookups.mayJoin(taskId, principal);
      return taskId === undefined || viber === undefined || mayJoin === undefined ? undefined : { taskId, viber };
    },
    get expected() {
      return expected.get(address, principalText(principal));
    },
    get mode() {
      return settings.get(address).queue ?? 'steer';
    },
  };
}
