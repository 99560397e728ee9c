/**
 * The sentence that asks a person about one call, into which values are inserted so that they can't imitate its other
 * parts. Types only.
 */
import type { Messages, Text } from '../../messages/messages.ts';

/** The parts of a tool's sentence. Values from outside must go through `plain` or `code`. */
export interface Phrasing {
  messages: Messages;
  /** Formats a value as words: short simple ones as they are, others in quotation marks. */
  plain(value: unknown, max?: number): string;
  /** Formats a value in which each character counts: an address, a path. */
  code(value: unknown, max?: number): string;
}

export interface Sentence {
  text: Text;
  /** The label of the button that lets the call run; absent: Yes. */
  yes?: Text;
  /** A reply in words may change the time. */
  asksWhen?: true;
}
