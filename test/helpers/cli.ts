import { messagesIn } from '../../src/messages/messages.ts';

/** The default options of a command, for somebody who reads English. */
export const NO_OPTIONS = { values: {}, switches: new Set<string>(), messages: messagesIn('en') };
