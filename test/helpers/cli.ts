import { messagesIn } from '../../src/messages/messages.ts';

/** What a command is given when none of its own options are, by somebody who reads English. */
export const NO_OPTIONS = { values: {}, switches: new Set<string>(), messages: messagesIn('en') };
