/**
 * Stores facts about people besides their rights: their language (`access/languages.json`), their time zone
 * (`zones.json`), and the direct conversations in which owners can be reached (`owners.json`). Lost entries are learned
 * again.
 */
import path from 'node:path';
import { type Address, conversationKey } from '../channels/channel.ts';
import { machineLanguage, NO_LANGUAGE } from '../lib/language.ts';
import { createLru } from '../lib/lru.ts';
import { isFilled, isFlag, objectOf, shape } from '../lib/shape.ts';
import { isTimezone } from '../lib/timezone.ts';
import type { Logger } from '../log.ts';
import { type Messages, messagesIn } from '../messages/messages.ts';
import { aliasesOf, identityText, isAddress, isAtMachine, type Principal, principalText } from './principal.ts';
import { type JsonMap, openJsonMap } from './records.ts';

interface PersonalZone {
  zone: string;
  /** Whether the person said it, and not a platform. */
  isSaid: boolean;
}

const MAX_KNOWN = 5_000;
const ZONES = {
  lost: 'the time zones of people',
  next: 'The machine’s zone applies until they set theirs again with /timezone.',
};
const zoneShape = shape<PersonalZone>(
  objectOf({ zone: (value) => isFilled(value) && isTimezone(String(value)), isSaid: isFlag }),
);

interface NameQuestion {
  run: string;
}

const askedShape = shape<NameQuestion>(objectOf({ run: isFilled }));
const ASKED = { lost: 'the list of people who were asked for their time zone', next: 'They may be asked once more.' };

const zoneKeys = (principal: Principal): string[] => [
  principalText(principal),
  identityText(principal),
  ...aliasesOf(principal),
];

/**
 * The time zone of each person. What they have said takes precedence over the platform's information; the default is
 * the machine's zone. Each person is asked at most once (`access/zones-asked.json`).
 */
export class Zones {
  readonly #known: JsonMap<PersonalZone>;
  /** By person: the run in which they were asked. */
  readonly #asked: JsonMap<NameQuestion>;

  constructor(folder: string) {
    this.#known = openJsonMap(path.join(folder, 'zones.json'), zoneShape, ZONES, MAX_KNOWN);
    this.#asked = openJsonMap(path.join(folder, 'zones-asked.json'), askedShape, ASKED, MAX_KNOWN);
  }

  /** Returns undefined if the zone is unknown. */
  of(principal: Principal): string | undefined {
    return this.#find(principal)?.zone;
  }

  /** Sets the zone that the person has said. Durable on return. */
  set(principal: Principal, zone: string): void {
    this.#keep(principal, { zone, isSaid: true });
  }

  /**
   * Returns whether this run may ask the person: only the first run that wants to, and that one again after a restart.
   * Durable on return, so that no second run asks.
   */
  asksIn(principal: Principal, run: string): boolean {
    if (principal.role === 'guest') return false;
    const askedIn = (all: ReadonlyMap<string, NameQuestion>) =>
      zoneKeys(principal).flatMap((key) => all.get(key) ?? [])[0]?.run;
    let before = askedIn(this.#asked.read());
    if (before !== undefined) return before === run;
    this.#asked.change((all) => {
      before = askedIn(all);
      if (before === undefined) all.set(principalText(principal), { run });
    });
    return before === undefined || before === run;
  }

  /** Learns the zone of a person with access from a platform. */
  learn(principal: Principal, zone: string | undefined): void {
    if (zone === undefined || principal.role === 'guest') return;
    const known = this.#find(principal);
    if (known?.isSaid || known?.zone === zone || !isTimezone(zone)) return;
    this.#keep(principal, { zone, isSaid: false });
  }

  #find(principal: Principal): PersonalZone | undefined {
    return findZone(this.#known.read(), principal);
  }

  #keep(principal: Principal, zone: PersonalZone): void {
    this.#known.change((all) => {
      // Another process may have stored what they said in between.
      if (!zone.isSaid && findZone(all, principal)?.isSaid) return;
      // The zone said on another of their accounts no longer applies.
      for (const key of [...aliasesOf(principal), principalText(principal)]) all.delete(key);
      all.set(principalText(principal), zone);
    });
  }
}

function findZone(all: ReadonlyMap<string, PersonalZone>, principal: Principal): PersonalZone | undefined {
  if (all.size === 0) return undefined;
  const own = zoneKeys(principal).flatMap((key) => all.get(key) ?? []);
  return own.find(({ isSaid }) => isSaid) ?? own[0];
}

/**
 * The language for each person. The setting `language` wins; then come the event's language, the person's last known
 * one, and the owners'. Messages that don't answer an event use the language of their destination: a person's own chat
 * has theirs, a group has the owners'. A session at the machine has the language of its environment, which no file
 * keeps: the next session may have another.
 */
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

const WRITE_MS = 2_000;
const OWNER = 'owner';
const TAG = /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8}){0,4}$/i;
const LANGUAGES = {
  lost: 'the languages people are answered in',
  next: 'Each is learned again from the next message.',
};
const chatKey = ({ thread: _thread, ...chat }: Address) => conversationKey(chat);
const isTag = (value: unknown): value is string => typeof value === 'string' && TAG.test(value);

interface LanguagesOptions {
  /** `access/` in the home. */
  folder: string;
  /** A language tag, or `auto`. */
  configured: string;
  /** The language of this process's environment, if it is not the real one. */
  machine?: string;
  /** Prefixes of commands, by channel. */
  prefixes: Readonly<Record<string, string>>;
  log: Logger;
}

const spoken = (tag: string) => (tag === NO_LANGUAGE ? undefined : tag);
const tagShape = shape<{ tag: string }>(objectOf({ tag: isTag }));

export function openLanguages(options: LanguagesOptions): Languages {
  const { folder, configured, machine = machineLanguage(process.env), prefixes, log } = options;
  /** The languages of sessions at the machine, by identity and by chat. */
  const sessions = createLru<string>(MAX_KNOWN);
  const kept = openJsonMap(path.join(folder, 'languages.json'), tagShape, LANGUAGES, MAX_KNOWN);
  /** Entries that are not written yet. */
  const learned = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  /** Looks up one or several keys. The file is asked at most once. */
  function lookUp(): (key: string) => string | undefined {
    let all: ReadonlyMap<string, { tag: string }> | undefined;
    return (key) => {
      const tag = learned.get(key);
      if (tag !== undefined) return tag;
      all ??= kept.read();
      return all.get(key)?.tag;
    };
  }

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
      log.warn({ err: error }, "people's languages could not be saved");
    }
  }

  const prefixAt = ({ channel }: { channel: string }) => prefixes[channel] ?? '/';
  const fixed = configured === 'auto' ? undefined : configured;

  return {
    of(principal, said) {
      if (fixed !== undefined) return fixed;
      if (isTag(said)) return said;
      if (isAtMachine(principal)) return spoken(said ?? sessions.get(identityText(principal)) ?? machine);
      const tagOf = lookUp();
      for (const key of [identityText(principal), ...aliasesOf(principal)]) {
        const tag = tagOf(key);
        if (tag !== undefined) return tag;
      }
      return tagOf(OWNER);
    },
    note(principal, direct, said) {
      if (said === undefined || principal.role === 'guest') return;
      const keys = [identityText(principal)];
      if (direct) keys.push(chatKey(direct));
      for (const key of isAtMachine(principal) ? keys : []) sessions.set(key, said);
      if (isAtMachine(principal) || !isTag(said)) return;
      if (direct && principal.role === 'owner') keys.push(OWNER);
      const tagOf = lookUp();
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
      if (isAtMachine(address))
        return messagesIn(fixed ?? sessions.get(chatKey(address)) ?? machine, prefixAt(address));
      const tagOf = lookUp();
      return messagesIn(fixed ?? tagOf(chatKey(address)) ?? tagOf(OWNER), prefixAt(address));
    },
    close: () => timer && write(),
  };
}

/** Where owners can be reached; written when an owner uses a new direct conversation. */
export interface Owners {
  note(principal: Principal, address: Address): void;
  /** Returns the conversations of current owners. */
  addresses(): Address[];
  /** Returns the same by identity, as text. */
  byIdentity(): ReadonlyMap<string, Address>;
}

const OWNERS = {
  lost: 'the conversations in which owners can be reached',
  next: 'An owner who writes in a direct message is known again.',
  tell: true,
};

/** @param isOwner called each time with an identity as text: a former owner gets no more messages */
export function openOwners(folder: string, isOwner: (identity: string) => boolean): Owners {
  const known = openJsonMap(path.join(folder, 'owners.json'), shape<Address>(isAddress), OWNERS);

  const byIdentity = () => new Map([...known.read()].filter(([identity]) => isOwner(identity)));

  return {
    note(principal, address) {
      const identity = identityText(principal);
      if (isAtMachine(address)) return;
      if (known.read().get(identity)?.chat !== address.chat) known.change((all) => void all.set(identity, address));
    },
    byIdentity,
    addresses: () => [...byIdentity().values()],
  };
}
