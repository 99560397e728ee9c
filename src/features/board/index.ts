/** The Board: logins, the page in a browser and what it shows, `/board` and `viber board`. */
import type { Feature } from '../gateway.ts';
import { board as command } from './command.ts';
import { loginsOf } from './logins.ts';

export const board: Feature = {
  name: 'board',
  commands: [command],
  requests: { board: (asked, gw) => loginsOf(gw).answer(asked) },
  async door(at, gw) {
    return (await import('./door.ts')).openDoor(at, gw);
  },
  async routes(at, gw) {
    return (await import('./open-pages.ts')).boardRoutes(at, gw);
  },
};
