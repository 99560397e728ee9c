/** How a person is asked about one call: in a sentence of ours, with what it is about put in so that it can fake nothing. Types only. */
import type { Messages, Text } from '../../messages/messages.ts';

/** What a tool's sentence is made with: values from outside go in by `plain` and `code` alone. */
export interface Phrasing {
  messages: Messages;
  /** A value as words: short and simple ones as they are, others between quotation marks. */
  plain(value: unknown, max?: number): string;
  /** A value in which each character counts: an address, a path. */
  code(value: unknown, max?: number): string;
}

export interface Sentence {
  text: Text;
  /** What stands on the button that lets it run; absent: Yes. */
  yes?: Text;
  /** A reply in words may change when it is. */
  asksWhen?: true;
}
