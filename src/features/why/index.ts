/** Explains an answer: `/why` in chats, and the same below each answer on the Board. */
import type { Feature } from '../gateway.ts';
import { why as command } from './command.ts';

export const why: Feature = {
  name: 'why',
  commands: [command],
  async routes(at, gw) {
    return (await import('./board.ts')).whyRoutes(at, gw);
  },
};
