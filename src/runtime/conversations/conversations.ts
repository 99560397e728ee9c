/**
 * Which task a conversation is about: `conversations/<hash>.json`, one small file each, so that nothing grows with their
 * number, and the way back in `conversations/tasks/<taskId>.json`. A linked person's direct messages share one binding on
 * every channel (promise 22).
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isAddress } from '../../access/link-records.ts';
import { identityText, type Principal } from '../../access/principal.ts';
import { type Address, conversationKey, type InboundMessage, isProgramTask } from '../../channels/channel.ts';
import { errorCode } from '../../errors.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import { isRecord } from '../../lib/json.ts';
import { exclusively, serialise } from '../../lib/locks.ts';
import { readJson } from '../../lib/read-json.ts';
import { type Is, isFilled, isFlag, isText, listOf, objectOf, optional, shape } from '../../lib/shape.ts';
import type { Logger } from '../../log.ts';
import { isId } from '../../workspace/home.ts';
import { createCache } from './cache.ts';

export interface Binding {
  key: string;
  taskId: string;
  viber: string;
  /** The last address that used this binding. */
  address: Address;
  isDirect: boolean;
  /** The account that used a person's binding last; absent in those of before. */
  by?: string;
  /** ISO 8601. */
  boundAt: string;
  /** A person has chosen this viber here: what the configuration says does not count. */
  isChosen?: boolean;
  /** The task that each other viber was at here, so that switching back goes on there. */
  left?: Readonly<Record<string, string>>;
}

export interface Conversations {
  /** The binding of a key; one small read at the first call, none later unless others write here too. */
  get(key: string): Binding | undefined;
  /** In force at once; durable when it resolves. */
  bind(binding: Omit<Binding, 'boundAt'>): Promise<void>;
  /** The conversations that are about a task now. A person's are shown nothing where an account wrote last that is theirs no more. */
  bound(taskId: string): Binding[];
  /** Those of a chat and of its threads. Reads all there are: for what seldom happens. */
  within(chat: Address): Promise<Binding[]>;
}

const isIdText: Is = (value) => isText(value) && isId(String(value));
const isTasks: Is = (value) =>
  isRecord(value) && Object.entries(value).every(([viber, taskId]) => isId(viber) && isIdText(taskId));
const bindingShape = shape<Binding>(
  objectOf({
    key: isFilled,
    taskId: isIdText,
    viber: isIdText,
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
  next: 'Its next message begins a new task; /open leads back.',
};
const KEYS = {
  lost: 'which conversations see a task at work',
  next: 'They are found again when somebody writes there.',
};

const PERSON = 'person:';
const MAX_CACHED = 5_000;
/** Conversations of one task. */
const MAX_BOUND = 100;

/** Direct messages of a linked person share a binding; every group, thread, submitted task and unlinked person has its own. */
export function bindingKey(principal: Principal, address: Address, isDirect: boolean): string {
  return isDirect && principal.person && !isProgramTask(address)
    ? `${PERSON}${principal.person}`
    : conversationKey(address);
}

/** The same with where the principal is, as `bind` takes it. */
export function bindingAt(
  principal: Principal,
  address: Address,
  isDirect: boolean,
): Pick<Binding, 'key' | 'address' | 'isDirect' | 'by'> {
  const key = bindingKey(principal, address, isDirect);
  return { key, address, isDirect, ...(key.startsWith(PERSON) && { by: identityText(principal) }) };
}

/** Where a binding is, and whose it is when it is the one of a person's direct messages. */
export function placeOf({ key, address, isDirect }: Binding): { address: Address; isDirect: boolean; person?: string } {
  return { address, isDirect, ...(key.startsWith(PERSON) ? { person: key.slice(PERSON.length) } : {}) };
}

/**
 * After linking, a person goes on with the task of one of the accounts, unless their direct messages have one already.
 *
 * @param was who the account was alone until then: its conversation of before it was separated from somebody else is not its own
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

/** A group has a new id: its conversation goes on there, and so do those in its threads. */
export async function follow(conversations: Conversations, message: InboundMessage, log: Logger): Promise<void> {
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

export interface ConversationsOptions {
  /** Whether an account, as `identityText` writes it, is one of the person's now. */
  isAccountOf?: (identity: string, person: string) => boolean;
}

export function openConversations(
  folder: string,
  { isAccountOf = () => true }: ConversationsOptions = {},
): Conversations {
  const bindings = createCache<Binding>(MAX_CACHED, folder);
  const keysOf = createCache<readonly string[]>(MAX_CACHED, folder);
  const fileOf = (key: string) =>
    path.join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 24)}.json`);
  const indexOf = (taskId: string) => path.join(folder, 'tasks', `${taskId}.json`);

  const get = (key: string) => bindings.get(key, () => readJson(fileOf(key), bindingShape, BINDING));
  const readKeys = (taskId: string) => readJson(indexOf(taskId), keysShape, KEYS) ?? [];
  const keys = (taskId: string) => keysOf.get(taskId, () => readKeys(taskId)) ?? [];

  return {
    get,
    async bind(binding) {
      const { key, taskId } = binding;
      const full = { ...following(binding, get(key)), boundAt: new Date().toISOString() };
      bindings.set(key, full);
      const file = fileOf(key);
      // The last one that was made is the one that stays.
      const written = serialise(file, () => writeFileAtomic(file, `${JSON.stringify(full, null, 2)}\n`));
      const work = [bindings.until(written, key, full)];
      const known = keys(taskId);
      if (!known.includes(key)) {
        const withKey = (others: readonly string[]) =>
          [...others.filter((other) => other !== key), key].slice(-MAX_BOUND);
        const all = withKey(known);
        keysOf.set(taskId, all);
        const index = exclusively(indexOf(taskId), () => {
          // Another process may have bound one since.
          const now = withKey(readKeys(taskId));
          // The way back only serves live progress and lists: it need not survive a power cut.
          return writeFileAtomic(indexOf(taskId), `${JSON.stringify(now)}\n`, { sync: false });
        });
        work.push(keysOf.until(index, taskId, all));
      }
      await Promise.all(work);
    },
    async within(chat) {
      const found: Binding[] = [];
      const files = await readdir(folder).catch(noneYet);
      for (const file of files.filter((name) => name.endsWith('.json'))) {
        const kept = readJson(path.join(folder, file), bindingShape, BINDING);
        // What is in force may not be written yet.
        const binding = kept && get(kept.key);
        const { thread: _any, ...place } = binding?.address ?? chat;
        const isOwn = binding !== undefined && binding.key === conversationKey(binding.address);
        if (isOwn && conversationKey(place) === conversationKey(chat)) found.push(binding);
        await setImmediate();
      }
      return found;
    },
    bound: (taskId) =>
      keys(taskId)
        .map(get)
        .filter((binding) => binding?.taskId === taskId)
        .filter((binding) => binding !== undefined)
        .filter(
          ({ key, by }) => by === undefined || !key.startsWith(PERSON) || isAccountOf(by, key.slice(PERSON.length)),
        ),
  };
}

/** Before the first binding there is no folder. */
function noneYet(error: unknown): string[] {
  if (errorCode(error) !== 'ENOENT') throw error;
  return [];
}

/** Vibers of one conversation whose tasks are remembered. */
const MAX_LEFT = 50;

/** A binding in the place of another: what was chosen here holds as long as the viber does, and what it leaves is kept. */
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

/** The task of a viber here, whether or not the conversation is about it now. */
export const taskOf = (binding: Binding | undefined, viber: string): string | undefined =>
  binding?.viber === viber ? binding.taskId : new Map(Object.entries(binding?.left ?? {})).get(viber);
