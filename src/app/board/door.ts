/** The way to the Board: links for owners, and what the command line asks. What stands behind it is loaded when it is first used. */
import type { Principal } from '../../access/principal.ts';
import type { Account, SessionInfo, Sessions } from '../../access/sessions.ts';
import type { Board } from '../../board/contract.ts';
import type { Places } from '../../board/guard.ts';
import type { BoardLink } from '../../board/links.ts';
import type { Address } from '../../channels/channel.ts';
import type { BoardAsk } from '../../channels/local/requests.ts';
import { UserError } from '../../errors.ts';
import type { BoardParts, OpenBoard } from '../board.ts';
import type { Services } from '../services.ts';
import type { Protocol } from './protocol.ts';

export interface BoardDoor {
  /** Opened at the first use, for the Board and for a hub alike. */
  protocol(parts: BoardParts): Promise<Protocol>;
  load(places: Places, port: number, parts: BoardParts): Promise<Board>;
  /** For an owner who asks in a direct message; undefined where the Board cannot be reached. */
  linkFor(principal: Principal, address: Address): Promise<BoardLink | undefined>;
  answer(asked: BoardAsk): Promise<{ url?: string; sessions?: SessionInfo[] }>;
  close(): Promise<void>;
  /** The port in use, once the server listens. */
  port: number | undefined;
}

export function createBoardDoor(services: Services): BoardDoor {
  const { config, home } = services;
  let sessions: Promise<Sessions> | undefined;
  let board: OpenBoard | undefined;
  let protocol: Promise<Protocol> | undefined;
  const stored = () => {
    sessions ??= import('../../access/sessions.ts').then(({ openSessions }) => openSessions(home.access));
    return sessions;
  };

  async function link(by: Account | undefined): Promise<BoardLink | undefined> {
    const { boardLink } = await import('../../board/links.ts');
    const { port } = door;
    const place = port === undefined ? undefined : { ...config.http, port };
    // A code that leads nowhere is not made.
    if (!place || !boardLink(place, '', by !== undefined)) return undefined;
    const code = (await stored()).issue(by ? 'chat' : 'machine', by, Date.now());
    return boardLink(place, code, by !== undefined);
  }

  const door: BoardDoor = {
    port: undefined,
    close: async () => (await protocol)?.close(),
    protocol(parts) {
      protocol ??= import('./protocol.ts').then(({ openProtocol }) => openProtocol({ ...services, ...parts }));
      return protocol;
    },
    async load(places, port, parts) {
      const { openBoard } = await import('../board.ts');
      const [opened, known] = await Promise.all([door.protocol(parts), stored()]);
      board = await openBoard({ services, sessions: known, places, port, parts, protocol: opened });
      return board;
    },
    linkFor({ channel, account, workspace, user, name }, direct) {
      return link({ channel, account, ...(workspace !== undefined && { workspace }), user, name, direct });
    },
    async answer(asked) {
      switch (asked.ask) {
        case 'link': {
          const made = await link(undefined);
          if (made) return { url: made.url };
          throw new UserError(
            'There is no address under which a login would be safe: let http.host be 127.0.0.1, or list the https origin of a proxy under http.origins.',
          );
        }
        case 'sessions':
          return { sessions: (await stored()).list(Date.now()) };
        case 'revoke': {
          const isGone = board ? board.revoke(asked.id) : (await stored()).revoke(asked.id);
          if (!isGone) throw new UserError(`There is no login ${asked.id}; viber board sessions lists them.`);
          return {};
        }
      }
    },
  };
  return door;
}
