/** Assembles the Board: logins, API and pages. Loaded at the first request for any of them. */
import type { Sessions } from '../access/sessions.ts';
import { artifactRoute } from '../board/api/artifacts.ts';
import { chatRoutes } from '../board/api/chat.ts';
import { eventsRoute } from '../board/api/events.ts';
import { jobRoutes } from '../board/api/jobs.ts';
import { taskRoutes } from '../board/api/tasks.ts';
import { uploadRoute } from '../board/api/uploads.ts';
import type { Places } from '../board/guard.ts';
import { createLogin } from '../board/login.ts';
import { pageRoutes } from '../board/pages/pages.ts';
import { requestedViber } from '../board/route.ts';
import { createSpeakers } from '../board/speakers.ts';
import { createPages } from '../board/static.ts';
import type { Board } from '../runtime/contract/board.ts';
import type { Readiness } from '../runtime/readiness.ts';
import { openPages } from './board/pages.ts';
import type { OpenGateway, Protocol } from './contract.ts';

export interface OpenBoard extends Board {
  /** Logs a session out; returns false if nobody is logged in under that ID. */
  revoke(id: string): boolean;
}

export interface BoardOptions {
  open: OpenGateway;
  sessions: Sessions;
  places: Places;
  port: number;
  protocol: Protocol;
  readiness: () => Promise<Readiness>;
}

export async function openBoard(options: BoardOptions): Promise<OpenBoard> {
  const { open, sessions, places, port, protocol, readiness } = options;
  const { uploads } = open;
  const { config, people, home, log } = open.gw;
  const { pairing, owners } = people;
  const { directOf } = owners;
  const login = createLogin({
    sessions,
    places,
    port,
    speakers: createSpeakers({
      people,
      configured: config.people,
      pairing,
      directOf,
      languageOf: (principal) => people.languages.of(principal),
    }),
    onWrongCodes: (address) => log.warn({ address }, 'many wrong codes for a login on the Board'),
  });
  const { maySee, decideMemory } = protocol.parts;
  const pages = openPages({ open, sessions, readiness, protocol: protocol.parts });
  const at = { viberOf: (url: URL) => requestedViber(url, pages.about), decide: decideMemory };
  const ofFeatures = await Promise.all(open.gw.features.on.map(({ routes }) => routes?.(at, open.gw) ?? []));
  return {
    routes: [
      ...login.routes,
      ...taskRoutes(protocol.parts, protocol.exchange),
      eventsRoute(protocol.parts, protocol.exchange),
      ...chatRoutes(protocol.parts, protocol.exchange, config.limits.downloadBytes),
      ...jobRoutes(protocol.parts),
      ...pageRoutes(pages),
      ...ofFeatures.flat(),
      artifactRoute({ home, maySee }),
      uploadRoute({ uploads, maxBytes: config.limits.downloadBytes }),
    ],
    open: [...login.open, ...createPages()],
    session: login.session,
    upgrade: protocol.sockets.upgrade,
    revoke: login.revoke,
    async close() {
      protocol.close();
      login.close();
    },
  };
}
