/** The vibers of a test about something else: only the default one. */
import type { ViberRules } from '../../src/runtime/conversations/conversations.ts';

export const ONE_VIBER: ViberRules = {
  ids: () => ['default'],
  has: (id) => id === 'default',
  configured: () => 'default',
  forMembers: [],
  about: async () => undefined,
};
