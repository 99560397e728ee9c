/** Puts the board together: who speaks, what is answered, and the page. Loaded at the first request for any of it. */
import type { Sessions } from '../access/sessions.ts';
import { artifactRoute } from '../board/api/artifacts.ts';
import { chatRoutes } from '../board/api/chat.ts';
import { eventsRoute } from '../board/api/events.ts';
import { jobRoutes } from '../board/api/jobs.ts';
import { taskRoutes } from '../board/api/tasks.ts';
import { uploadRoute } from '../board/api/uploads.ts';
import type { Board } from '../board/contract.ts';
import type { Places } from '../board/guard.ts';
import { createLogin } from '../board/login.ts';
import { pageRoutes } from '../board/pages/pages.ts';
import { createSpeakers } from '../board/speakers.ts';
import { createPages } from '../board/static.ts';
import type { Gateway } from '../runtime/gateway.ts';
import type { Readiness } from '../runtime/readiness.ts';
import { openPages } from './board/pages.ts';
import type { Protocol } from './board/protocol.ts';
import type { Services } from './services.ts';
import type { Work } from './work.ts';

export interface BoardParts {
  work: Work;
  gateway: Gateway;
  readiness: () => Promise<Readiness>;
}

export interface OpenBoard extends Board {
  /** False: nobody is logged in under that id. */
  revoke(id: string): boolean;
}

export interface BoardOptions {
  services: Services;
  sessions: Sessions;
  places: Places;
  port: number;
  protocol: Protocol;
  parts: BoardParts;
}

export async function openBoard(options: BoardOptions): Promise<OpenBoard> {
  const { services, sessions, places, port, protocol, parts } = options;
  const { config, people, pairing, notifier, home, uploads, log } = services;
  const { directOf } = notifier;
  const login = createLogin({
    ...{ sessions, places, port, speakers: createSpeakers({ people, configured: config.people, pairing, directOf }) },
    onWrongCodes: (address) => log.warn({ address }, 'many wrong codes for a login on the Board'),
  });
  const { maySee } = protocol.parts;
  return {
    routes: [
      ...login.routes,
      ...taskRoutes(protocol.parts, protocol.exchange),
      eventsRoute(protocol.parts, protocol.exchange),
      ...chatRoutes(protocol.parts, protocol.exchange, config.limits.downloadBytes),
      ...jobRoutes(protocol.parts),
      ...pageRoutes(openPages({ services, sessions, ...parts, protocol: protocol.parts })),
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
