/** The sentence that asks a person about one call; values in it can't imitate its other parts. Types only. */
import type { Messages, Text } from '../../messages/messages.ts';

/** Values from outside must go through `plain` or `code`. */
export interface Phrasing {
  messages: Messages;
  /** Shows short simple values as they are, others in quotation marks. */
  plain(value: unknown, max?: number): string;
  /** Shows a value in which each character counts: an address, a path. */
  code(value: unknown, max?: number): string;
}

export interface Sentence {
  text: Text;
  /** The label of the button that lets the call run; absent: Yes. */
  yes?: Text;
  /** The label of the button that refuses; absent: No. */
  no?: Text;
  /** The label of "Always for this task", and of the wider kind. */
  always?: Text;
  all?: Text;
  /** What else counts before a yes, in the question's details. */
  note?: Text;
  /** A reply in words may change the time. */
  asksWhen?: true;
}
