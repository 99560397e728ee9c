/**
 * The entry point to the Board: creates links for owners and answers the command line. Everything behind it is loaded
 * on first use.
 */
import type { Account, Sessions } from '../../access/sessions.ts';
import type { BoardLink } from '../../board/links.ts';
import { UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import type { OpenBoard } from '../board.ts';
import type { BoardDoor, Protocol } from '../contract.ts';
import type { Stores } from '../stores.ts';

export function createBoardDoor({ config, home }: Stores): BoardDoor {
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
    // Don't create a code for a link that leads nowhere.
    if (!place || !boardLink(place, '', by !== undefined)) return undefined;
    const code = (await stored()).issue(by ? 'chat' : 'machine', by, Date.now());
    return boardLink(place, code, by !== undefined);
  }

  const door: BoardDoor = {
    port: undefined,
    close: async () => (await protocol)?.close(),
    protocol(open) {
      protocol ??= import('./protocol.ts').then(({ openProtocol }) => openProtocol(open));
      return protocol;
    },
    async load(places, port, open, readiness) {
      const { openBoard } = await import('../board.ts');
      const [opened, known] = await Promise.all([door.protocol(open), stored()]);
      board = await openBoard({ open, sessions: known, places, port, readiness, protocol: opened });
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
          if (!isGone)
            throw new UserError(`There is no login ${asked.id}. To list them: ${viberCommand('board sessions')}`);
          return {};
        }
      }
    },
  };
  return door;
}
