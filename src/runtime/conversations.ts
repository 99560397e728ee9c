/**
 * Which task a conversation is about: `conversations/<hash>.json`, one small file each, so that nothing grows with their
 * number. A linked person's direct messages share one binding on every channel (C40). Written at the door only.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Principal } from '../access/principal.ts';
import { type Address, conversationKey } from '../channels/channel.ts';
import { errorCode } from '../errors.ts';
import { writeFileAtomic } from '../workspace/files.ts';

export interface Binding {
  key: string;
  taskId: string;
  viber: string;
  /** The last address that used this binding. */
  address: Address;
  /** ISO 8601. */
  boundAt: string;
}

export interface Conversations {
  /** The binding of a key; one small read at the first call, none later. */
  get(key: string): Binding | undefined;
  /** In force at once; durable when it resolves. */
  bind(binding: Omit<Binding, 'boundAt'>): Promise<void>;
}

const MAX_CACHED = 5_000;

/** Direct messages of a linked person share a binding; every group, thread and unlinked person has its own. */
export function bindingKey(principal: Principal, address: Address, isDirect: boolean): string {
  return isDirect && principal.person ? `person:${principal.person}` : conversationKey(address);
}

export function openConversations(folder: string): Conversations {
  const cache = new Map<string, Binding | undefined>();
  const fileOf = (key: string) =>
    path.join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 24)}.json`);

  function remember(key: string, binding: Binding | undefined): void {
    cache.delete(key);
    cache.set(key, binding);
    const oldest = cache.keys().next().value;
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  }

  return {
    get(key) {
      if (cache.has(key)) return cache.get(key);
      let binding: Binding | undefined;
      try {
        binding = JSON.parse(fs.readFileSync(fileOf(key), 'utf8')) as Binding;
      } catch (error) {
        // A torn file costs the pointer to the current task, nothing else: the next message starts a task.
        if (errorCode(error) !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
      }
      remember(key, binding);
      return binding;
    },
    async bind(binding) {
      const full = { ...binding, boundAt: new Date().toISOString() };
      remember(binding.key, full);
      await writeFileAtomic(fileOf(binding.key), `${JSON.stringify(full, null, 2)}\n`);
    },
  };
}
