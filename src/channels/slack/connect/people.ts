/**
 * Looks up names, languages and time zones of people, since events contain only IDs. Invariant: Slack is asked only
 * about admitted people, and about those whom they mention or talk with. Known people survive a restart in the cache,
 * which may be lost. https://docs.slack.dev/reference/methods/users.info/
 */

import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import { type Fields, fields, language, string, tidyLine } from '../../shared/read.ts';
import type { SlackContext, SlackOptions } from '../options.ts';
import { SlackError } from './api.ts';

export interface People {
  nameOf(user: string): string | undefined;
  /** Returns the language as Slack names it: `de-DE`. */
  languageOf(user: string): string | undefined;
  /** Returns the time zone as Slack names it: `Europe/Berlin`. */
  zoneOf(user: string): string | undefined;
  /** Learns the name of an admitted person, in the background. */
  welcome(user: string): void;
  /**
   * Resolves once the names of these people are known, as far as Slack tells: those whom a message mentions, and those
   * in its thread.
   */
  meet(users: readonly string[]): Promise<void>;
  /** Resolves once the pending request about this person has ended. */
  met(user: string): Promise<void>;
  /** Returns whether this person was ever admitted, as far as is remembered. */
  isKnown(user: string): boolean;
  load(): Promise<void>;
}

const KEY = 'slack.people';
const MAX_PEOPLE = 2000;
/** Slack lets an app ask for about a hundred people a minute. */
const MET_AT_ONCE = 20;

interface KnownPerson {
  /** '' while it is requested or can't be found. */
  name: string;
  language?: string;
  zone?: string;
}

export function createPeople({ api, options, log, timing }: SlackContext): People {
  const { cache } = options;
  const admitted = createLru<KnownPerson>(MAX_PEOPLE);
  /** Names of people who need not have been admitted. */
  const others = createLru<string>(MAX_PEOPLE);
  /** Requests since the start; people are asked about again after each start, because they change their names. */
  const asked = createLru<Promise<void>>(MAX_PEOPLE);
  let timer: NodeJS.Timeout | undefined;

  function ask(user: string): Promise<void> {
    const answer = asked.get(user) ?? learn(user);
    asked.set(user, answer);
    return answer;
  }

  async function learn(user: string): Promise<void> {
    try {
      const answer = await api.call('users.info', { user, include_locale: true });
      const about = fields(answer, 'user') ?? {};
      const name = displayName(about);
      others.set(user, name);
      const known = admitted.get(user);
      if (!known) return;
      const zone = string(about, 'tz')?.slice(0, 60);
      const now = { ...known, ...language(about, 'locale'), ...(zone && { zone }), name: name || known.name };
      admitted.set(user, now);
      if (now.name !== known.name || now.language !== known.language) {
        if (!timer) timer = setTimeout(save, timing.saveMs).unref();
      }
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      log.debug({ err: error }, 'the name of a person could not be looked up');
      // A failed request is repeated with the next message.
      if (error.kind !== 'refused' || error.retryAfterMs !== undefined) asked.delete(user);
    }
  }

  function save(): void {
    timer = undefined;
    const named = [...admitted.entries()].filter(([, { name }]) => name !== '');
    const stored = named.map(([user, { name, language = '', zone = '' }]) => [user, name, language, zone]);
    cache
      ?.set(KEY, JSON.stringify(stored))
      .catch((error: unknown) => log.debug({ err: error }, 'the names of people could not be cached'));
  }

  return {
    nameOf: (user) => admitted.get(user)?.name || others.get(user) || undefined,
    languageOf: (user) => admitted.get(user)?.language,
    zoneOf: (user) => admitted.get(user)?.zone,
    isKnown: (user) => admitted.has(user),
    welcome(user) {
      if (!admitted.has(user)) {
        admitted.set(user, { name: '' });
        // A person who was only mentioned so far has no language yet.
        asked.delete(user);
      }
      void ask(user);
    },
    async meet(users) {
      const unknown = users.filter((user) => !admitted.get(user)?.name && !others.get(user));
      await Promise.all(unknown.slice(0, MET_AT_ONCE).map(ask));
    },
    met: async (user) => asked.get(user),
    async load() {
      for (const [user, name, language, zone] of await readStoredUsers(cache, log))
        admitted.set(user, { name, ...(language && { language }), ...(zone && { zone }) });
    },
  };
}

function displayName(user: Fields): string {
  const profile = fields(user, 'profile') ?? {};
  const name =
    string(profile, 'display_name') ||
    string(profile, 'real_name') ||
    string(user, 'real_name') ||
    string(user, 'name');
  return tidyLine(name ?? '', 100);
}

type StoredUser = [user: string, name: string, tag?: string, zone?: string];

async function readStoredUsers(cache: SlackOptions['cache'], log: Logger): Promise<StoredUser[]> {
  try {
    const kept: unknown = JSON.parse((await cache?.get(KEY)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isKept) : [];
  } catch (error) {
    log.debug({ err: error }, 'the cached names of people could not be read');
    return [];
  }
}

function isKept(value: unknown): value is StoredUser {
  return (
    Array.isArray(value) && value.length >= 2 && value.length <= 4 && value.every((part) => typeof part === 'string')
  );
}
