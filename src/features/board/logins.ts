/** Creates login links for the Board, lists logins and ends them. The file is opened on first use. */
import { z } from 'zod';
import { type Account, createSpeakers, type Speaker, type Speakers } from '../../board/speakers.ts';
import { UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say } from '../../messages/messages.ts';
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import type { BoardLink } from './links.ts';
import type { Session, SessionInfo, Sessions } from './sessions.ts';

const ASKED = z.discriminatedUnion('ask', [
  z.object({ ask: z.enum(['sessions', 'origins']) }),
  // `origin`: one of the configured ones; by default, the address on this machine.
  z.object({ ask: z.literal('link'), origin: z.string().max(300).exactOptional() }),
  z.object({ ask: z.literal('revoke'), id: z.string().min(1).max(64) }),
]);
export type LoginRequest = z.infer<typeof ASKED>;

export interface LoginAnswer {
  url?: string;
  sessions?: SessionInfo[];
  /** The address where HTTP is served. */
  origins?: readonly string[];
  port?: number;
}

class Logins {
  /** Ends a login of the open Board at once; undefined until somebody has used the Board. */
  revoke: ((id: string) => boolean) | undefined;
  readonly #gw: Gateway;
  #sessions: Promise<Sessions> | undefined;
  #speakers: Speakers | undefined;

  constructor(gw: Gateway) {
    this.#gw = gw;
  }

  sessions(): Promise<Sessions> {
    this.#sessions ??= import('./sessions.ts').then(({ openSessions }) => openSessions(this.#gw.home.access));
    return this.#sessions;
  }

  get speakers(): Speakers {
    const { people } = this.#gw;
    this.#speakers ??= createSpeakers({
      people,
      configured: configOf(this.#gw).people,
      pairing: people.pairing,
      directOf: people.owners.directOf,
      languageOf: (principal) => people.languages.of(principal),
    });
    return this.#speakers;
  }

  /** Returns the person of a login, with their current role. */
  speakerOf({ by }: Session): Speaker {
    return by ? this.speakers.ofAccount(by) : this.speakers.ofOwner();
  }

  /**
   * Returns undefined if the Board can't be reached safely.
   * @param by the owner who asks in a chat; undefined on this machine
   * @param origin the address to use; by default, the most suitable one
   */
  async link(by?: Account, origin?: string): Promise<BoardLink | undefined> {
    const { boardLink } = await import('./links.ts');
    const served = this.#gw.features.served();
    const listed = served?.origins.filter((each) => new URL(each).origin === origin) ?? [];
    // The Board would refuse another address.
    if (origin !== undefined && listed.length === 0) return undefined;
    const place = origin === undefined ? served : served && { ...served, origins: listed };
    const isFar = by !== undefined || origin !== undefined;
    // Don't create a code for a link that doesn't work.
    if (!place || !boardLink(place, '', isFar)) return undefined;
    const code = (await this.sessions()).issue(by ? 'chat' : 'machine', by, Date.now());
    return boardLink(place, code, isFar);
  }

  /**
   * Answers `viber board`.
   * @throws UserError
   */
  async answer(given: unknown): Promise<LoginAnswer> {
    const asked = ASKED.parse(given);
    switch (asked.ask) {
      case 'link': {
        const made = await this.link(undefined, asked.origin);
        if (made) return { url: made.url };
        throw new UserError(say('board.notServed'));
      }
      case 'origins': {
        const { origins = [], port = 0 } = this.#gw.features.served() ?? {};
        return { origins, port };
      }
      case 'sessions':
        return { sessions: (await this.sessions()).list(Date.now()) };
      case 'revoke': {
        const revoke = this.revoke ?? (await this.sessions()).revoke;
        if (!revoke(asked.id))
          throw new UserError(say('cli.unknownLogin', { id: asked.id, command: viberCommand('board sessions') }));
        return {};
      }
    }
  }
}

export const loginsOf = perGateway((gw) => new Logins(gw));
