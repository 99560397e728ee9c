/** The types of a request: its caller, its contents and the keys that recognise a repetition. */
import type { Caller } from '../../runtime/contract/board.ts';
import type { Repeatable } from './records.ts';
import type { ChatWords } from './request.ts';

export interface ChatCall extends Repeatable {
  caller: Caller;
  words: ChatWords;
  viber: string | undefined;
  /** Equal for the same request of the same program. */
  key: string;
  /** Distinguishes conversations with the same words: the program, the model and its user. */
  scope: readonly string[];
  /** The program's own name for the conversation. */
  conversation: string | undefined;
  /** The address at which files are fetched. */
  origin: string;
}
