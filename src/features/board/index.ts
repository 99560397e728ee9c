/** The Board: logins, the page in a browser and what it shows, `/board` and `viber board`. */

import type { StopFeature } from '../../runtime/contract/feature.ts';
import { hasDeleted } from '../../workspace/tasks/index.ts';
import type { Feature } from '../gateway.ts';
import { board as command } from './command.ts';
import { loginsOf } from './logins.ts';
import { pushesOf } from './push/on-demand.ts';
import { hasSubscriptions } from './push/subscription-file.ts';

export const board: Feature = {
  name: 'board',
  commands: [command],
  requests: {
    board: (asked, gw) => loginsOf(gw).answer(asked),
    logs: async (asked) => (await import('./log-lines.ts')).linesAfter(asked),
  },
  async start(gw) {
    const ends: StopFeature[] = [() => pushesOf(gw).close()];
    if (hasSubscriptions(gw)) (await pushesOf(gw).open()).begin();
    if (hasDeleted(gw.home))
      ends.push(await (await import('../../runtime/commands/tasks/deletions.ts')).keepDeletions(gw));
    return async () => {
      for (const end of ends) await end();
    };
  },
  async door(at, gw) {
    return (await import('./door.ts')).openDoor(at, gw);
  },
  async routes(at, gw) {
    return (await import('./open-pages.ts')).boardRoutes(at, gw);
  },
};
