/** Creates links that log in on the Board, lists logins and ends them. Their file is opened on first use. */
import { z } from 'zod';
import type { Account } from '../../board/speakers.ts';
import { UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say } from '../../messages/messages.ts';
import { type Gateway, perGateway } from '../gateway.ts';
import type { BoardLink } from './links.ts';
import type { SessionInfo, Sessions } from './sessions.ts';

const ASKED = z.discriminatedUnion('ask', [
  z.object({ ask: z.enum(['link', 'sessions']) }),
  z.object({ ask: z.literal('revoke'), id: z.string().min(1).max(64) }),
]);
export type LoginRequest = z.infer<typeof ASKED>;

export interface LoginAnswer {
  url?: string;
  sessions?: SessionInfo[];
}

class Logins {
  /** Ends a login of the open Board at once; undefined until somebody has used it. */
  revoke: ((id: string) => boolean) | undefined;
  readonly #gw: Gateway;
  #sessions: Promise<Sessions> | undefined;

  constructor(gw: Gateway) {
    this.#gw = gw;
  }

  sessions(): Promise<Sessions> {
    this.#sessions ??= import('./sessions.ts').then(({ openSessions }) => openSessions(this.#gw.home.access));
    return this.#sessions;
  }

  /**
   * Returns undefined if the Board can't be reached safely.
   * @param by the owner who asks in a chat; undefined on this machine
   */
  async link(by?: Account): Promise<BoardLink | undefined> {
    const { boardLink } = await import('./links.ts');
    const place = this.#gw.features.served();
    // Don't create a code for a link that leads nowhere.
    if (!place || !boardLink(place, '', by !== undefined)) return undefined;
    const code = (await this.sessions()).issue(by ? 'chat' : 'machine', by, Date.now());
    return boardLink(place, code, by !== undefined);
  }

  /** Answers `viber board`. @throws UserError */
  async answer(given: unknown): Promise<LoginAnswer> {
    const asked = ASKED.parse(given);
    switch (asked.ask) {
      case 'link': {
        const made = await this.link();
        if (made) return { url: made.url };
        throw new UserError(say('board.notServed'));
      }
      case 'sessions':
        return { sessions: (await this.sessions()).list(Date.now()) };
      case 'revoke': {
        const revoke = this.revoke ?? (await this.sessions()).revoke;
        if (!revoke(asked.id))
          throw new UserError(`There is no login ${asked.id}. To list them: ${viberCommand('board sessions')}`);
        return {};
      }
    }
  }
}

export const loginsOf = perGateway((gw) => new Logins(gw));
