/**
 * Maps conversations to tasks: `conversations/<hash>.json`, one small file each, and the reverse in
 * `conversations/tasks/<taskId>.json`. A linked person's direct messages share one binding on every channel (promise
 * 22).
 */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { identityText, isAddress, type Principal } from '../../access/principal.ts';
import {
  type Address,
  conversationKey,
  type InboundMessage,
  isProgramTask,
  type LiveMode,
} from '../../channels/channel.ts';
import { errorCode } from '../../errors.ts';
import { hashText, writeFileAtomic } from '../../lib/files.ts';
import { isRecord, readJson } from '../../lib/json.ts';
import { exclusively, isShared, serialise } from '../../lib/locks.ts';
import { createLru } from '../../lib/lru.ts';
import { type Is, isFilled, isFlag, isText, listOf, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';
import type { Logger } from '../../log.ts';
import { isId } from '../../workspace/home.ts';
import { THINKING } from '../contract/settings.ts';
import type { ChosenModel } from '../model/choose.ts';

export interface Binding {
  key: string;
  taskId: string;
  viber: string;
  /** The last one that used this binding. */
  address: Address;
  isDirect: boolean;
  /** The account that last used a person's binding; absent in older bindings. */
  by?: string;
  /** ISO 8601. */
  boundAt: string;
  /** A person chose this viber here, which overrides the configuration. */
  isChosen?: boolean;
  /** Tasks of other vibers here, so that switching back resumes them. */
  left?: Readonly<Record<string, string>>;
}

export type Conversations = ReturnType<typeof openConversations>;

const isTasks: Is = (value) => isRecord(value) && Object.entries(value).flat().every(isId);
const bindingShape = shape<Binding>(
  objectOf({
    key: isFilled,
    taskId: isId,
    viber: isId,
    address: isAddress,
    isDirect: isFlag,
    boundAt: isText,
    by: optional(isFilled),
    isChosen: optional(isFlag),
    left: optional(isTasks),
  }),
);
const keysShape = shape<string[]>(listOf(isText));
const BINDING = {
  lost: 'which task a conversation is about',
  next: 'Its next message begins a new task; /open continues the old one.',
};
const KEYS = {
  lost: 'which conversations follow a running task',
  next: 'They are found again when somebody writes there.',
};

const PERSON = 'person:';
const MAX_CACHED = 5_000;
/** The most conversations of one task. */
const MAX_BOUND = 100;

/** Direct messages of a linked person share a key; every group, thread, submitted task and unlinked person has one. */
export function bindingKey(principal: Principal, address: Address, isDirect: boolean): string {
  return isDirect && principal.person && !isProgramTask(address)
    ? `${PERSON}${principal.person}`
    : conversationKey(address);
}

/** The binding's place, as `bind` expects it. */
export function bindingAt(
  principal: Principal,
  address: Address,
  isDirect: boolean,
): Pick<Binding, 'key' | 'address' | 'isDirect' | 'by'> {
  const key = bindingKey(principal, address, isDirect);
  return { key, address, isDirect, ...(key.startsWith(PERSON) && { by: identityText(principal) }) };
}

export function bindingPlace({ key, address, isDirect }: Binding): {
  address: Address;
  isDirect: boolean;
  person?: string;
} {
  return { address, isDirect, ...(key.startsWith(PERSON) ? { person: key.slice(PERSON.length) } : {}) };
}

/**
 * A newly linked person continues with the task of one of the accounts, unless their direct messages have one.
 * @param was the person that consisted of this account alone until then: the account's own key may lead to a
 * conversation from before it was separated from someone else
 */
export async function shareTask(
  conversations: Conversations,
  person: string,
  from: Address,
  was?: string,
): Promise<void> {
  const key = `${PERSON}${person}`;
  const own = conversations.get(was === undefined ? conversationKey(from) : `${PERSON}${was}`);
  if (own && !conversations.get(key)) await conversations.bind({ ...own, key });
}

export async function followMove(conversations: Conversations, message: InboundMessage, log: Logger): Promise<void> {
  const to = message.movedTo;
  if (!to) return;
  for (const old of await conversations.within(message.address)) {
    const { thread } = old.address;
    const address = thread === undefined ? to : { ...to, thread };
    await conversations.bind({ ...old, key: conversationKey(address), address });
  }
  const setting = `channels.${to.channel}.access.chats`;
  log.warn({ from: message.address.chat, to: to.chat }, `a group has a new id; list it under ${setting}`);
}

const hashedFile = (folder: string, key: string): string => path.join(folder, `${hashText(key).slice(0, 24)}.json`);

/** @param isAccountOf whether an account, as `identityText` formats it, belongs to the person now */
export function openConversations(
  folder: string,
  isAccountOf: (identity: string, person: string) => boolean = () => true,
) {
  const bindings = createCache<Binding>(MAX_CACHED, folder);
  const keysOf = createCache<readonly string[]>(MAX_CACHED, folder);
  const fileOf = (key: string) => hashedFile(folder, key);
  const indexOf = (taskId: string) => path.join(folder, 'tasks', `${taskId}.json`);

  const get = (key: string) => bindings.get(key, () => readJson(fileOf(key), bindingShape, BINDING));
  const readKeys = (taskId: string) => readJson(indexOf(taskId), keysShape, KEYS) ?? [];
  const keys = (taskId: string) => keysOf.get(taskId, () => readKeys(taskId)) ?? [];

  return {
    /** Reads one small file at first. */
    get,
    /** Takes effect at once; durable when it resolves. */
    async bind(binding: Omit<Binding, 'boundAt'>): Promise<void> {
      const { key, taskId } = binding;
      const full = { ...following(binding, get(key)), boundAt: new Date().toISOString() };
      const file = fileOf(key);
      // The last binding wins.
      const written = serialise(file, () => writeFileAtomic(file, `${JSON.stringify(full, null, 2)}\n`));
      const work = [bindings.put(key, full, written)];
      const known = keys(taskId);
      if (!known.includes(key)) {
        const withKey = (others: readonly string[]) =>
          [...others.filter((other) => other !== key), key].slice(-MAX_BOUND);
        const index = exclusively(indexOf(taskId), () => {
          // Another process may have bound one since.
          const now = withKey(isShared(folder) ? readKeys(taskId) : keys(taskId));
          // The reverse index only serves live progress and lists, so it need not survive a power cut.
          return writeFileAtomic(indexOf(taskId), `${JSON.stringify(now)}\n`, { sync: false });
        });
        work.push(keysOf.put(taskId, withKey(known), index));
      }
      await Promise.all(work);
    },
    /** Returns the bindings of a chat and its threads. Reads all bindings. */
    async within(chat: Address): Promise<Binding[]> {
      const found: Binding[] = [];
      const files = await readdir(folder).catch(noneYet);
      for (const file of files.filter((name) => name.endsWith('.json'))) {
        const kept = readJson(path.join(folder, file), bindingShape, BINDING);
        // The binding in effect may not be on disk yet.
        const binding = kept && get(kept.key);
        const { thread: _any, ...place } = binding?.address ?? chat;
        const isOwn = binding !== undefined && binding.key === conversationKey(binding.address);
        if (isOwn && conversationKey(place) === conversationKey(chat)) found.push(binding);
        await setImmediate();
      }
      return found;
    },
    /** Leaves out a person's binding if the account that last used it is no longer theirs. */
    bound(taskId: string): Binding[] {
      const isTheirs = ({ key, by }: Binding) =>
        by === undefined || !key.startsWith(PERSON) || isAccountOf(by, key.slice(PERSON.length));
      return keys(taskId).flatMap((key) => {
        const binding = get(key);
        return binding?.taskId === taskId && isTheirs(binding) ? [binding] : [];
      });
    },
  };
}

function noneYet(error: unknown): string[] {
  if (errorCode(error) !== 'ENOENT') throw error;
  return [];
}

/** Vibers of a conversation whose tasks are remembered. */
const MAX_LEFT = 50;

/** A choice holds as long as the viber stays the same, and the tasks of other vibers are kept. */
function following(next: Omit<Binding, 'boundAt'>, before: Binding | undefined): Omit<Binding, 'boundAt'> {
  const { isChosen, left: given, ...rest } = next;
  const stays = before?.viber === next.viber;
  const all = { ...before?.left, ...given, ...(before && !stays && { [before.viber]: before.taskId }) };
  const left = Object.entries(all).filter(([viber]) => viber !== next.viber);
  const chosen = isChosen ?? (stays && before.isChosen);
  return {
    ...rest,
    ...(chosen && { isChosen: true }),
    ...(left.length > 0 && { left: Object.fromEntries(left.slice(-MAX_LEFT)) }),
  };
}

/** The conversation may be about another task now. */
export const taskOf = (binding: Binding | undefined, viber: string): string | undefined =>
  binding?.viber === viber ? binding.taskId : new Map(Object.entries(binding?.left ?? {})).get(viber);

/** Caches small files in memory while no other process writes them. */
interface Cache<T> {
  /** Also remembers that a file doesn't exist. */
  get(key: string, read: () => T | undefined): T | undefined;
  /** Settles like `written`. If other processes write too, the value is cached only until then. */
  put(key: string, value: T, written: Promise<void>): Promise<void>;
}

/** If other processes write to the folder, every lookup reads. */
function createCache<T>(max: number, folder: string): Cache<T> {
  const kept = createLru<T | undefined>(max);
  const isOurs = !isShared(folder);
  return {
    get(key, read) {
      if (kept.has(key)) return kept.get(key);
      const value = read();
      if (isOurs) kept.set(key, value);
      return value;
    },
    put(key, value, written) {
      kept.set(key, value);
      return isOurs ? written : written.finally(() => kept.get(key) === value && kept.delete(key));
    },
  };
}

export const LIVE_MODES = ['off', 'status', 'text'] as const satisfies readonly LiveMode[];
export const QUEUE_MODES = ['steer', 'collect', 'followup'] as const;

export interface ConversationSetting extends ChosenModel {
  live?: LiveMode;
  queue?: (typeof QUEUE_MODES)[number];
}

export type ConversationSettings = ReturnType<typeof openConversationSettings>;

const settingShape = shape<ConversationSetting>(
  objectOf({
    live: optional(oneOf(...LIVE_MODES)),
    queue: optional(oneOf(...QUEUE_MODES)),
    model: optional(isFilled),
    thinking: optional(oneOf(...THINKING, 'usual')),
  }),
);
const CHOSEN = {
  lost: 'the choices made with /live, /queue, /model and /think in a conversation',
  next: 'The configured settings apply there.',
};

/**
 * People's choices for a conversation: `conversations/settings/<hash>.json`, one small file each. An unreadable file
 * only loses the choices in it.
 * @param configured the settings where nothing was chosen
 */
export function openConversationSettings(folder: string, configured: (address: Address) => ConversationSetting) {
  const chosen = createCache<ConversationSetting>(MAX_CACHED, folder);
  const fileOf = (key: string) => hashedFile(folder, key);
  const own = (key: string) => chosen.get(key, () => readSetting(fileOf(key))) ?? {};

  return {
    /** Returns what was chosen here, chosen for the chat around a thread, or configured. */
    get(address: Address): ConversationSetting {
      const { thread, ...chat } = address;
      const here = own(conversationKey(address));
      return { ...configured(address), ...(thread === undefined ? {} : own(conversationKey(chat))), ...here };
    },
    /** Takes effect at once; durable when it resolves. */
    async set(address: Address, patch: ConversationSetting): Promise<void> {
      const key = conversationKey(address);
      const setting = { ...own(key), ...patch };
      const file = fileOf(key);
      const written = exclusively(file, () => {
        // Another process may have changed it since.
        const all = { ...readSetting(file), ...patch };
        return writeFileAtomic(file, `${JSON.stringify({ address, ...all }, null, 2)}\n`);
      });
      await chosen.put(key, setting, written);
    },
  };
}

function readSetting(file: string): ConversationSetting {
  const { live, queue, model, thinking } = readJson(file, settingShape, CHOSEN) ?? {};
  return {
    ...(live && { live }),
    ...(queue && { queue }),
    ...(model && { model }),
    ...(thinking && { thinking }),
  };
}

/** The configured rules, regardless of choices. */
export interface ViberRules {
  ids(): string[];
  has(id: string): boolean;
  /** The viber that answers there if nobody has chosen. */
  configured(principal: Principal, address: Address, isDirect: boolean): string;
  /** Members may choose these everywhere. */
  forMembers: readonly string[];
  /** The description in a viber's file. */
  about(id: string): Promise<string | undefined>;
}

export interface Standing {
  principal: Principal;
  address: Address;
  isDirect: boolean;
}

/** @param named the viber that the person who opened the conversation has named */
export function viberAt(
  { principal, address, isDirect }: Standing,
  rules: ViberRules,
  conversations: Conversations,
  named?: string,
): string {
  if (named !== undefined) return named;
  const bound = conversations.get(bindingKey(principal, address, isDirect));
  const { thread, ...chat } = address;
  const isOwnThread = thread !== undefined && !isDirect;
  if (bound && (bound.isChosen || isOwnThread)) return bound.viber;
  const around = !bound && thread !== undefined ? conversations.get(conversationKey(chat)) : undefined;
  return around?.isChosen ? around.viber : rules.configured(principal, address, isDirect);
}

/** Owners choose any, members the listed ones and the one configured where they are. */
export function mayChoose({ principal, address, isDirect }: Standing, id: string, rules: ViberRules): boolean {
  if (principal.role === 'guest' || !rules.has(id)) return false;
  if (principal.role === 'owner') return true;
  return rules.forMembers.includes(id) || rules.configured(principal, address, isDirect) === id;
}

export const choosable = (standing: Standing, rules: ViberRules): string[] =>
  rules.ids().filter((id) => mayChoose(standing, id, rules));

/** Takes effect at once, at the viber's own task here. */
export function chooseViber(
  { principal, address, isDirect }: Standing,
  viber: string,
  conversations: Conversations,
  newTaskId: () => string,
): { taskId: string; bound: Promise<void> } {
  const place = bindingAt(principal, address, isDirect);
  const taskId = taskOf(conversations.get(place.key), viber) ?? newTaskId();
  return { taskId, bound: conversations.bind({ ...place, taskId, viber, isChosen: true }) };
}
