/**
 * The language for each person. The setting `language` wins; then come the event's language, the person's last known
 * one, and the owners'. Messages that don't answer an event use the language of their destination: a person's own chat
 * has theirs, a group has the owners'. Stored in `access/languages.json`; lost entries are learned again.
 */
import path from 'node:path';
import { type Address, conversationKey } from '../channels/channel.ts';
import { objectOf, shape } from '../lib/shape.ts';
import type { Logger } from '../log.ts';
import { type Messages, messagesIn } from '../messages/messages.ts';
import { openJsonMap } from './json-map.ts';
import { aliasesOf, identityText, type Principal } from './principal.ts';

export interface Languages {
  /**
   * Returns the language for an event's sender.
   * @param said the platform's language tag, if any
   */
  of(principal: Principal, said?: string): string | undefined;
  /**
   * Remembers the language of an owner or member and their direct chat; written a moment later. Stores nothing for
   * guests.
   */
  note(principal: Principal, direct: Address | undefined, said?: string): void;
  /** Returns the prefix of commands on the channel. */
  prefixAt(address: { channel: string }): string;
  /** Returns the texts for a message that answers no event. */
  at(address: Address): Messages;
  /** Writes pending entries. */
  close(): void;
}

const MAX_KNOWN = 5_000;
const WRITE_MS = 2_000;
const OWNER = 'owner';
const TAG = /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8}){0,4}$/i;
const ABOUT = {
  lost: 'the languages people are answered in',
  next: 'Each is learned again from the next message.',
};
const chatKey = ({ thread: _thread, ...chat }: Address) => conversationKey(chat);
const isTag = (value: unknown): value is string => typeof value === 'string' && TAG.test(value);

export interface LanguagesOptions {
  /** `access/` in the home. */
  folder: string;
  /** A language tag, or `auto`. */
  configured: string;
  /** Prefixes of commands, by channel. */
  prefixes: Readonly<Record<string, string>>;
  log: Logger;
}

const tagShape = shape<{ tag: string }>(objectOf({ tag: isTag }));

export function openLanguages(options: LanguagesOptions): Languages {
  const { folder, configured, prefixes, log } = options;
  const kept = openJsonMap(path.join(folder, 'languages.json'), tagShape, ABOUT, { max: MAX_KNOWN });
  /** Entries that are not written yet. */
  const learned = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  const tagOf = (key: string) => learned.get(key) ?? kept.read().get(key)?.tag;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      kept.change((all) => {
        // The newest entries go last, since the first ones are dropped.
        for (const [key, tag] of learned) {
          all.delete(key);
          all.set(key, { tag });
        }
      });
      learned.clear();
    } catch (error) {
      log.warn({ err: error }, 'the languages of people could not be written down');
    }
  }

  const prefixAt = ({ channel }: { channel: string }) => prefixes[channel] ?? '/';
  const fixed = configured === 'auto' ? undefined : configured;

  return {
    of(principal, said) {
      if (fixed !== undefined) return fixed;
      if (isTag(said)) return said;
      for (const key of [identityText(principal), ...aliasesOf(principal)]) {
        const tag = tagOf(key);
        if (tag !== undefined) return tag;
      }
      return tagOf(OWNER);
    },
    note(principal, direct, said) {
      if (!isTag(said) || principal.role === 'guest') return;
      const keys = [identityText(principal)];
      if (direct) keys.push(chatKey(direct));
      if (direct && principal.role === 'owner') keys.push(OWNER);
      const changed = keys.filter((key) => tagOf(key) !== said);
      if (changed.length === 0) return;
      for (const key of changed) learned.set(key, said);
      for (const oldest of learned.keys()) {
        if (learned.size <= MAX_KNOWN) break;
        learned.delete(oldest);
      }
      timer ??= setTimeout(write, WRITE_MS).unref();
    },
    prefixAt,
    at(address) {
      return messagesIn(fixed ?? tagOf(chatKey(address)) ?? tagOf(OWNER), prefixAt(address));
    },
    close: () => timer && write(),
  };
}
