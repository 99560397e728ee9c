/**
 * Who is answered in which language. The setting `language` wins; else the one that comes with the event, the one the person was
 * last seen with, the owners'. What is sent later on nobody's event goes by where it goes: to a person's own chat in their
 * language, to a group in the owners'. `access/languages.json`; what is lost of it is learned again.
 */
import path from 'node:path';
import { type Address, conversationKey } from '../channels/channel.ts';
import { createLru } from '../lib/lru.ts';
import { readRecords } from '../lib/read-json.ts';
import { objectOf, shape } from '../lib/shape.ts';
import { writeJson } from '../lib/write-json.ts';
import type { Logger } from '../log.ts';
import { type Messages, messagesIn } from '../messages/messages.ts';
import { aliasesOf, identityText, type Principal } from './principal.ts';

export interface Languages {
  /** Of whom an event comes from; `said` is what the platform says with it. */
  of(principal: Principal, said?: string): string | undefined;
  /** Remembers the language of an owner or a person, and of their own chat; written down a moment later. Of a guest nothing stays. */
  note(principal: Principal, direct: Address | undefined, said?: string): void;
  /** What is typed before a command's name there. */
  prefixAt(address: Pick<Address, 'channel'>): string;
  /** For what is sent there on our own account. */
  at(address: Address): Messages;
  /** Writes down what is still to be. */
  close(): void;
}

const MAX_KNOWN = 5_000;
const WRITE_MS = 2_000;
const OWNER = 'owner';
const TAG = /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8}){0,4}$/i;
const ABOUT = {
  asMap: true as const,
  lost: 'the languages people are answered in',
  next: 'Each is learned again from the next message.',
};
const chatKey = ({ thread: _thread, ...chat }: Address) => conversationKey(chat);
const isTag = (value: unknown): value is string => typeof value === 'string' && TAG.test(value);

export interface LanguagesOptions {
  /** `access/` of the home. */
  folder: string;
  /** A tag, or `auto`. */
  configured: string;
  /** What commands begin with, by channel. */
  prefixes: Readonly<Record<string, string>>;
  log: Logger;
}

export function openLanguages({ folder, configured, prefixes, log }: LanguagesOptions): Languages {
  const file = path.join(folder, 'languages.json');
  let timer: NodeJS.Timeout | undefined;
  let loaded: ReturnType<typeof createLru<string>> | undefined;

  function known(): ReturnType<typeof createLru<string>> {
    if (loaded) return loaded;
    const kept = createLru<string>(MAX_KNOWN);
    for (const [key, { tag }] of readRecords(file, shape<{ tag: string }>(objectOf({ tag: isTag })), ABOUT, (left) =>
      writeJson(file, Object.fromEntries(left)),
    ))
      kept.set(key, tag);
    loaded = kept;
    return kept;
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      writeJson(file, Object.fromEntries([...known().entries()].map(([key, tag]) => [key, { tag }])));
    } catch (error) {
      log.warn({ err: error }, 'the languages of people could not be written down');
    }
  }

  const prefixAt = ({ channel }: Pick<Address, 'channel'>) => prefixes[channel] ?? '/';
  const fixed = configured === 'auto' ? undefined : configured;

  return {
    of(principal, said) {
      if (fixed !== undefined) return fixed;
      if (isTag(said)) return said;
      const all = known();
      for (const key of [identityText(principal), ...aliasesOf(principal)]) {
        const tag = all.get(key);
        if (tag !== undefined) return tag;
      }
      return all.get(OWNER);
    },
    note(principal, direct, said) {
      if (!isTag(said) || principal.role === 'guest') return;
      const all = known();
      const keys = [identityText(principal)];
      if (direct) keys.push(chatKey(direct));
      if (direct && principal.role === 'owner') keys.push(OWNER);
      const changed = keys.filter((key) => all.get(key) !== said);
      if (changed.length === 0) return;
      for (const key of changed) all.set(key, said);
      timer ??= setTimeout(write, WRITE_MS).unref();
    },
    prefixAt,
    at(address) {
      const all = known();
      return messagesIn(fixed ?? all.get(chatKey(address)) ?? all.get(OWNER), prefixAt(address));
    },
    close: () => timer && write(),
  };
}
