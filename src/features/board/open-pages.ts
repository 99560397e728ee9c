/** The routes for the parts of the page that the protocol doesn't cover. */
import type { ProtocolParts } from '../../board/protocol/parts.ts';
import type { BoardAt, BoardRoute } from '../../runtime/contract/board.ts';
import type { Gateway } from '../gateway.ts';
import { loginsOf } from './logins.ts';
import { approvalRoutes } from './pages/approvals.ts';
import { composerRoutes } from './pages/composer.ts';
import { everydayRoutes } from './pages/everyday.ts';
import { fileRoutes } from './pages/files.ts';
import { peopleRoutes } from './pages/people.ts';
import { shownRoutes } from './pages/shown.ts';
import { taskTabRoutes } from './pages/task-tabs.ts';
import { usageRoutes } from './pages/usage.ts';
import { pushRoutes } from './push/routes.ts';

export async function boardRoutes(at: BoardAt, gw: Gateway): Promise<BoardRoute[]> {
  const protocol = at.protocol as ProtocolParts;
  return [
    ...everydayRoutes(at, protocol, gw),
    ...composerRoutes(protocol, gw),
    ...approvalRoutes(protocol),
    ...fileRoutes(at, protocol),
    ...taskTabRoutes(protocol, gw),
    ...usageRoutes(protocol),
    ...peopleRoutes(await loginsOf(gw).sessions(), gw),
    ...shownRoutes(gw),
    ...pushRoutes(gw),
  ];
}
