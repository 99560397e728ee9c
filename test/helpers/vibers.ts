/** Vibers of a test that is about something else: the usual one alone. */
import type { ViberRules } from '../../src/runtime/conversations/conversations.ts';

export const ONE_VIBER: ViberRules = {
  ids: () => ['default'],
  has: (id) => id === 'default',
  configured: () => 'default',
  forMembers: [],
  about: async () => undefined,
};
