/** Sets up the gateway on the Board: offers what `viber init` can do to owners in a browser. */
import type { Feature } from '../gateway.ts';

export const setup: Feature = {
  name: 'setup',
  async routes(at, gw) {
    return (await import('./routes.ts')).setupRoutes(at, gw);
  },
};
