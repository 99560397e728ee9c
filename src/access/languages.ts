/**
 * Who is answered in which language. The setting `language` wins; else the one that comes with the event, the one the person was
 * last seen with, the owners'. What is sent later on nobody's event goes by where it goes: to a person's own chat in their
 * language, to a group in the owners'. `access/languages.json`; what is lost of it is learned again.
 */
import path from 'node:path';
import { type Address, conversationKey } from '../channels/channel.ts';
import { objectOf, shape } from '../lib/shape.ts';
import type { Logger } from '../log.ts';
import { type Messages, messagesIn } from '../messages/messages.ts';
import { openJsonMap } from './json-map.ts';
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

const tagShape = shape<{ tag: string }>(objectOf({ tag: isTag }));

export function openLanguages(options: LanguagesOptions): Languages {
  const { folder, configured, prefixes, log } = options;
  const kept = openJsonMap(path.join(folder, 'languages.json'), tagShape, ABOUT, { max: MAX_KNOWN });
  /** What is to be written down. */
  const learned = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  const tagOf = (key: string) => learned.get(key) ?? kept.read().get(key)?.tag;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      kept.change((all) => {
        // What was learned last goes last.
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

  const prefixAt = ({ channel }: Pick<Address, 'channel'>) => prefixes[channel] ?? '/';
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
