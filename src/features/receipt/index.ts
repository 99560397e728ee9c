/** The receipt: what happened to people's messages, on the Board and in a weekly line to owners. */
import type { Feature } from '../gateway.ts';
import { noteStart } from './starts.ts';

export const receipt: Feature = {
  name: 'receipt',
  async routes(_at, gw) {
    return (await import('./board.ts')).receiptRoutes(gw);
  },
  async start(gw) {
    // If a start can't be recorded, the gateway must start anyway; the count of restarts is then too low.
    await noteStart(gw.home, gw.clock.now()).catch((error: unknown) =>
      gw.log.warn({ err: error }, 'the start could not be recorded'),
    );
    return gw.features.lead('receipt', async (turn) => (await import('./weekly.ts')).keepSending(turn, gw));
  },
};
