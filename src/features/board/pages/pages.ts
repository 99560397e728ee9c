/** All routes of the pages beyond the protocol. */
import type { BoardRoute } from '../../../runtime/contract/board.ts';
import { approvalRoutes } from './approvals.ts';
import { everydayRoutes } from './everyday.ts';
import { fileRoutes } from './files.ts';
import type { PageParts } from './parts.ts';
import { shownRoutes } from './shown.ts';
import { taskTabRoutes } from './task-tabs.ts';
import { usageRoutes } from './usage.ts';

export const pageRoutes = (parts: PageParts): BoardRoute[] => [
  ...everydayRoutes(parts),
  ...approvalRoutes(parts),
  ...fileRoutes(parts),
  ...taskTabRoutes(parts),
  ...usageRoutes(parts),
  ...shownRoutes(parts),
];
