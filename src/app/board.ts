/** Assembles what HTTP serves beyond health: the protocol of programs, and routes and logins of features. Loaded at the first request. */
import { artifactRoute } from '../board/api/artifacts.ts';
import { chatRoutes } from '../board/api/chat.ts';
import { eventsRoute } from '../board/api/events.ts';
import { taskRoutes } from '../board/api/tasks.ts';
import { uploadRoute } from '../board/api/uploads.ts';
import { requestedViber } from '../board/route.ts';
import type { Board, BoardAt, Places, Readiness } from '../runtime/contract/board.ts';
import { DEFAULT_VIBER } from '../workspace/home.ts';
import type { OpenGateway } from './contract.ts';

export async function openBoard(
  open: OpenGateway,
  { places, port, readiness }: { places: Places; port: number; readiness: () => Promise<Readiness> },
): Promise<Board> {
  const { gw, uploads } = open;
  const { config, home, features } = gw;
  const { parts, exchange, sockets, close } = await open.protocol();
  const maxBytes = config.limits.downloadBytes;
  const about = { viber: config.viber ?? DEFAULT_VIBER, vibers: () => gw.places.vibers.ids() };
  const at: BoardAt = {
    places,
    port,
    readiness,
    protocol: parts,
    viberOf: (url) => requestedViber(url, about),
    decide: parts.decideMemory,
  };
  const [routes, doors] = await Promise.all([
    Promise.all(features.on.map((feature) => feature.routes?.(at, gw) ?? [])),
    Promise.all(features.on.flatMap((feature) => feature.door?.(at, gw) ?? [])),
  ]);
  return {
    routes: [
      ...taskRoutes(parts, exchange),
      eventsRoute(parts, exchange),
      ...chatRoutes(parts, exchange, maxBytes),
      ...routes.flat(),
      ...doors.flatMap((door) => door.routes),
      artifactRoute({ home, maySee: parts.maySee }),
      uploadRoute({ uploads, maxBytes }),
    ],
    open: doors.flatMap((door) => door.open),
    session: doors[0]?.session,
    upgrade: sockets.upgrade,
    async close() {
      close();
      for (const door of doors) door.close();
    },
  };
}
