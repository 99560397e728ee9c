/** What the gateway asks of the rest of the house. Types only. */
import type { AccessRules } from '../../access/authorise.ts';
import type { RateLimiter, SharedRateLimiter } from '../../access/limits.ts';
import type { Ownership } from '../../access/pairing.ts';
import type { People } from '../../access/people.ts';
import type { Principal } from '../../access/principal.ts';
import type { Address, InboundMessage, Suggestion, SuggestQuery } from '../../channels/channel.ts';
import type { Engine } from '../../engine/engine.ts';
import type { BareAnswer } from '../../messages/bare-answers.ts';
import type { Said, Text } from '../../messages/messages.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { TypedAnswer } from '../approvals/typed.ts';
import type { Entry } from '../contract/entry.ts';
import type { ReplyTo } from '../contract/feature.ts';
import type { ExpectedAnswer } from '../conversations/expected.ts';
import type { Stopping } from '../conversations/stopping.ts';
import type { Buttons } from '../reply/buttons.ts';
import type { Gateway } from '../run/gateway.ts';

/** Who somebody is, what they may, and how strangers are let in. */
export interface Access extends Pick<People, 'resolve'> {
  take: RateLimiter['take'] | SharedRateLimiter['take'];
  rulesOf(address: Address): AccessRules;
  /** A code for a stranger; undefined when they were told within the hour, or too many are waiting. What they write first is kept. */
  pair(principal: Principal, message: InboundMessage): string | undefined;
  ownership(): Ownership;
  /** A stranger was given a code: the owners are asked. */
  onPairing(code: string, principal: Principal): void;
  /** A stranger entered the code of an account that is known: what to tell them, undefined when that is nothing. */
  redeem(code: string, principal: Principal): Promise<Said | undefined>;
  /** An owner wrote in a direct message: where pairing questions may be sent. */
  onOwner(principal: Principal, address: Address): void;
}

/** What is known already of messages, buttons and tasks. */
export interface Lookups extends Pick<Buttons, 'press'> {
  /** The words of a message accepted before, by its spool key; undefined when it is not known (any more). */
  textOf(key: string): Promise<string | undefined>;
  /** What a reply to a message of ours stands for; undefined where it is a message like any other. */
  standsFor(reply: ReplyTo): Promise<ExpectedAnswer | undefined>;
  /** Which question a bare yes or no of somebody answers. */
  typed(message: InboundMessage, principal: Principal, means: BareAnswer): Promise<TypedAnswer | undefined>;
  /** One of the task's people, or an owner (promise 33); undefined while the task has no record. */
  mayJoin(taskId: string, principal: Principal): boolean | undefined;
  /** Whether a task waits for somebody's decision. */
  asks(taskId: string): boolean;
  /** The task an id typed by a person means, if it exists and they may see it from this viber. */
  findTask(text: string, message: InboundMessage, of: Sees): Promise<Pick<TaskRecord, 'id' | 'viber'> | undefined>;
  suggest(query: SuggestQuery, of: Sees, taskId: string | undefined): Promise<Suggestion[]>;
}

/** Who looks, and whose conversation it is. */
export interface Sees {
  principal: Principal;
  viber: string;
}

export interface Replies {
  /** A short answer to a message outside any task, through the outbox. */
  notice(message: InboundMessage, text: Text): Promise<void>;
  /** A short answer that is sent once and stored nowhere: for those who were not let in. */
  sendOnce(message: InboundMessage, text: Text): void;
}

export interface IntakeServices {
  gw: Gateway;
  access: Access;
  lookups: Lookups;
  replies: Replies;
  stopping: Stopping;
  /** Where other processes take in as well. */
  lock?: Engine<Entry>['lock'] | undefined;
}
